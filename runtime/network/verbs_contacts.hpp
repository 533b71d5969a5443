#pragma once
// First contact over verbs: ranks tell each other by datagrams what their queue pairs are (introduction.hpp).
// Who is called need not wait for anything; both may call at the same time.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/fabric/verbs/datagrams.hpp"
#include "runtime/network/hello.hpp"
#include "runtime/network/network.hpp"
#include "runtime/network/verbs_line.hpp"

namespace rb2::network {

class VerbsContacts {
  public:
    using Lines = std::map<std::uint32_t, std::unique_ptr<VerbsLine>>;
    /// Throws StartupError when there is no memory or queue pair left.
    using MakeLine = std::function<std::unique_ptr<VerbsLine>()>;

    /// `options`, `queue` and `lines`, of those met by rank, outlive it. Throws StartupError.
    VerbsContacts(const Options& options, fabric::verbs::CompletionQueue& queue, Lines& lines, MakeLine make);

    /// For the others, to be published.
    [[nodiscard]] Mailbox mailbox() const noexcept {
        return {.address = queue_->device().address(), .number = datagrams_.number()};
    }
    /// Has the rank called as soon as there is something to send, or after a while.
    void reach(std::uint32_t rank);
    /// Hears, and says what is due. Whether anything happened.
    bool poll() {
        if (unopened_.empty() && callers_.empty() && !datagrams_.arrived()) [[likely]]
            return false;
        return advance();
    }
    /// Ranks that have called this one, since the last time.
    [[nodiscard]] bool called() const noexcept { return !callers_.empty(); }
    [[nodiscard]] std::vector<std::uint32_t> take_callers() { return std::exchange(callers_, {}); }

  private:
    using Clock = Introduction::Clock;

    bool advance();
    void hear(const Hello& hello);
    void follow(VerbsLine& line, const Hello& hello);
    VerbsLine& meet(std::uint32_t rank);
    /// Of an unopened line; whether it is to be looked at no longer.
    [[nodiscard]] bool settle(std::uint32_t rank, Clock::time_point now);
    void look_up(std::uint32_t rank, VerbsLine& line);
    void say(std::uint32_t rank, VerbsLine& line);
    void refuse(const Hello& hello);
    Status send(std::uint32_t rank, const Mailbox& to, Hello& hello);

    const Options* options_;
    fabric::verbs::CompletionQueue* queue_;
    Lines* lines_;
    MakeLine make_;
    JobKeys keys_;
    fabric::verbs::Datagrams datagrams_;
    std::vector<std::uint32_t> unopened_;
    std::vector<std::uint32_t> callers_;
};

}  // namespace rb2::network
