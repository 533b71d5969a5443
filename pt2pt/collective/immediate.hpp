#pragma once
// Steps that are done as they come: what a blocking collective runs on.

#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "pt2pt/collective/scratch.hpp"
#include "pt2pt/collective/steps.hpp"
#include "pt2pt/communicator.hpp"

namespace rb2::collective {

class Immediate {
  public:
    /// One collective call; all ranks of the communicator make one at this point.
    explicit Immediate(pt2pt::Communicator& communicator)
        : communicator_(communicator), tag_(communicator.next_collective_tag()) {}
    Immediate(const Immediate&) = delete;
    Immediate& operator=(const Immediate&) = delete;
    /// Messages under way refer to memory of the caller and of this object.
    ~Immediate() { wait(); }

    [[nodiscard]] int rank() const noexcept { return communicator_.rank(); }
    [[nodiscard]] int size() const noexcept { return communicator_.size(); }
    [[nodiscard]] bool crowded() const noexcept { return engine().config().crowded; }
    [[nodiscard]] MutableBytes scratch(std::size_t bytes) { return scratch_.take(bytes); }

    void send(Bytes data, int to) {
        pt2pt::Request* const request = engine().isend(data, communicator_.world_rank(to), context(), tag_);
        if (!pt2pt::Engine::is_immediate(request)) begun(request);
    }
    void receive(MutableBytes data, int from) {
        begun(engine().ireceive(data, communicator_.world_rank(from), context(), tag_));
    }
    static void copy(Bytes from, std::byte* to) {
        if (!from.empty()) std::memmove(to, from.data(), from.size());
    }
    static void combine(const Reduction& reduction, Bytes in, MutableBytes inout) {
        collective::combine(reduction, in, inout);
    }
    static void call(void (*function)(const void*), const void* argument) { function(argument); }
    void wait();

    /// Memory of a rank that the others of its host share for collectives; empty: none is.
    [[nodiscard]] MutableBytes shared_memory(int rank) const noexcept {
        return engine().shared_memory(communicator_.world_rank(rank));
    }
    /// Whether all messages that were waited for have arrived well.
    [[nodiscard]] bool good() const noexcept { return status_ == Status::ok; }
    /// Where the ranks meet there.
    [[nodiscard]] std::uint32_t place() const noexcept { return communicator_.place(); }
    /// Wakes the rank, which may wait for a sign that it has now.
    void ring(int rank) noexcept { engine().ring(communicator_.world_rank(rank)); }
    static constexpr int kNobody = -1;
    /// Until `seen()`, which other ranks bring about in shared memory. `missing()` names one that has yet to,
    /// or kNobody.
    template <class Seen, class Missing>
    void wait_for_sign(Seen seen, Missing missing) {
        engine().wait_for_sign(seen, [this, missing] { return awaited(missing()); });
    }
    void fail(Status status) noexcept {
        if (good()) status_ = status;
    }

    /// Waits for the last round; the result of the first message that failed, if one did.
    [[nodiscard]] Status finish() {
        wait();
        return status_;
    }

  private:
    [[nodiscard]] pt2pt::Engine& engine() const noexcept { return communicator_.engine(); }
    [[nodiscard]] std::uint32_t context() const noexcept { return communicator_.collective_context(); }
    /// What a wait for the rank's sign looks like to those who ask: that for a message.
    [[nodiscard]] pt2pt::Awaited awaited(int rank) const noexcept;
    /// Null: memory is exhausted.
    void begun(pt2pt::Request* request);
    void finish_one(pt2pt::Request* request);

    pt2pt::Communicator& communicator_;
    int tag_;
    Status status_ = Status::ok;
    std::size_t few_count_ = 0;
    std::array<pt2pt::Request*, 8> few_;  // under way
    std::vector<pt2pt::Request*> more_;   // once there are more than that
    Scratch scratch_;
};

static_assert(Steps<Immediate>);

}  // namespace rb2::collective
