// send_modes MESSAGES EAGER: every send mode in every form, MESSAGES times each at one byte less than EAGER,
// at EAGER and at one more. The heap must not grow meanwhile; with the address sanitizer, which also finds at
// the end what nobody can reach any more, a million times.
#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Mpi;

constexpr int kTag = 3;
constexpr int kGo = 4;
constexpr std::size_t kBatch = 64;
/// What pools and lists may grow by when more is under way than ever before; 12 bytes for each of 2048.
constexpr std::size_t kSlack = 24UL * 1024;

using Send = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using Start = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

struct Mode {
    const char* name;
    Send send;
    Start start;
    Start prepare;
};
constexpr Mode kModes[] = {{"standard", MPI_Send, MPI_Isend, MPI_Send_init},
                           {"synchronous", MPI_Ssend, MPI_Issend, MPI_Ssend_init},
                           {"ready", MPI_Rsend, MPI_Irsend, MPI_Rsend_init},
                           {"buffered", MPI_Bsend, MPI_Ibsend, MPI_Bsend_init}};

enum class Form { blocking, nonblocking, persistent };
constexpr Form kForms[] = {Form::blocking, Form::nonblocking, Form::persistent};

std::size_t heap_in_use() {
    const struct mallinfo2 now = mallinfo2();  // all zero under the address sanitizer
    return now.uordblks + now.hblkhd;
}

/// One batch after the other, from rank 0 to rank 1, whose receives are posted before a batch begins, or,
/// with every second one that is not of ready mode, while it is under way.
class Stream {
  public:
    Stream(const Mpi& mpi, const Mode& mode, Form form, std::size_t bytes)
        : mode_(mode), form_(form), sends_(mpi.rank == 0), data_(bytes), requests_(kBatch, MPI_REQUEST_NULL) {
        if (sends_ && form_ == Form::persistent)
            for (MPI_Request& request : requests_)
                mode_.prepare(data_.data(), size(), MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &request);
        if (!sends_) all_.resize(kBatch * bytes);
    }
    ~Stream() {
        for (MPI_Request& request : requests_)
            if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    void batch() {
        ++batches_;
        const bool early = mode_.send == MPI_Rsend || batches_ % 2 == 0;
        if (sends_)
            send(early);
        else
            receive(early);
    }

  private:
    [[nodiscard]] int size() const { return static_cast<int>(data_.size()); }

    void send(bool early) {
        int word = 0;
        if (early) MPI_Recv(&word, 1, MPI_INT, 1, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        std::fill(data_.begin(), data_.end(), static_cast<char>(batches_));
        const int count = static_cast<int>(requests_.size());
        if (form_ == Form::persistent) MPI_Startall(count, requests_.data());
        for (MPI_Request& request : requests_) {
            if (form_ == Form::blocking) mode_.send(data_.data(), size(), MPI_BYTE, 1, kTag, MPI_COMM_WORLD);
            if (form_ == Form::nonblocking)
                mode_.start(data_.data(), size(), MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &request);
        }
        MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE);
        if (!early) MPI_Recv(&word, 1, MPI_INT, 1, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }

    void receive(bool early) {
        const int word = 0;
        for (std::size_t i = 0; i < kBatch; ++i) {
            char* const place = all_.data() + i * data_.size();
            if (early)
                MPI_Irecv(place, size(), MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &requests_[i]);
            else
                MPI_Recv(place, size(), MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Send(&word, 1, MPI_INT, 0, kGo, MPI_COMM_WORLD);
        MPI_Waitall(static_cast<int>(kBatch), requests_.data(), MPI_STATUSES_IGNORE);
        for (std::size_t i = 0; i < all_.size(); i += std::max<std::size_t>(data_.size() - 1, 1))
            check(all_[i] == static_cast<char>(batches_), "the message's bytes");
    }

    const Mode& mode_;
    Form form_;
    bool sends_;
    std::vector<char> data_;
    std::vector<char> all_;
    std::vector<MPI_Request> requests_;
    std::size_t batches_ = 0;
};

void run(const Mpi& mpi, const Mode& mode, Form form, std::size_t bytes, std::size_t messages) {
    Stream stream(mpi, mode, form, bytes);
    for (int i = 0; i < 8; ++i) stream.batch();  // pools and lists get their size
    const std::size_t before = heap_in_use();
    for (std::size_t sent = 0; sent < messages; sent += kBatch) stream.batch();
    const std::size_t after = heap_in_use();
    if (after > before + kSlack)
        std::fprintf(stderr,
                     "rank %d: %s, form %d, %zu bytes: %zu bytes more of heap in use after %zu messages\n",
                     mpi.rank, mode.name, static_cast<int>(form), bytes, after - before, messages);
    check(after <= before + kSlack, "the heap does not grow");
}

}  // namespace

int main(int argc, char** argv) {
    const Mpi mpi;
    check(argc == 3 && mpi.size == 2, "2 ranks, and arguments MESSAGES EAGER");
    const std::size_t messages = std::stoul(argv[1]);
    const std::size_t eager = std::stoul(argv[2]);
    std::vector<char> buffer(2 * kBatch * (eager + 1 + MPI_BSEND_OVERHEAD));
    MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
    for (const std::size_t bytes : {eager - 1, eager, eager + 1})
        for (const Mode& mode : kModes)
            for (const Form form : kForms) run(mpi, mode, form, bytes, messages);
    void* detached = nullptr;
    int size = 0;
    MPI_Buffer_detach(&detached, &size);
}
