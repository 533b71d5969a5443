// All forms of wait and test, on receives whose messages come in an order the receiver asks for.
#include <algorithm>
#include <array>
#include <numeric>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;
using rb2::test::Mpi;

constexpr int kRequests = 6;
constexpr int kGo = 100;  ///< tag of "send me number n"

/// Rank 1 of a pair: sends number n when told to, until told -1.
void serve(int peer) {
    for (;;) {
        int number = 0;
        MPI_Recv(&number, 1, MPI_INT, peer, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (number < 0) return;
        const int value = 1000 + number;
        MPI_Send(&value, 1, MPI_INT, peer, number, MPI_COMM_WORLD);
    }
}

/// Rank 0 of a pair: six receives, tags 0 to 5.
class Client {
  public:
    explicit Client(int peer) : peer_(peer) {
        for (int i = 0; i < kRequests; ++i)
            MPI_Irecv(&values[index(i)], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[index(i)]);
    }
    void ask(int number) const { MPI_Send(&number, 1, MPI_INT, peer_, kGo, MPI_COMM_WORLD); }
    void verify(int number, const MPI_Status& status) const {
        check(values[index(number)] == 1000 + number, "value");
        check(status.MPI_SOURCE == peer_ && status.MPI_TAG == number, "status");
        check(requests[index(number)] == MPI_REQUEST_NULL, "handle is null afterwards");
    }
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }

    std::array<int, kRequests> values{};
    std::array<MPI_Request, kRequests> requests{};
    std::array<MPI_Status, kRequests> statuses{};

  private:
    int peer_;
};

void wait_one_and_all(int peer) {
    Client client(peer);
    MPI_Status status;
    client.ask(3);
    check(MPI_Wait(&client.requests[3], &status) == MPI_SUCCESS, "MPI_Wait");
    client.verify(3, status);
    for (const int number : {5, 4, 2, 1, 0}) client.ask(number);
    check(MPI_Waitall(kRequests, client.requests.data(), client.statuses.data()) == MPI_SUCCESS,
          "MPI_Waitall");
    for (const int number : {0, 1, 2, 4, 5}) client.verify(number, client.statuses[Client::index(number)]);
    check(client.statuses[3].MPI_SOURCE == MPI_ANY_SOURCE, "empty status of a null request");
}

void wait_any_and_some(int peer) {
    Client client(peer);
    MPI_Status status;
    int which = -1;
    client.ask(4);
    check(MPI_Waitany(kRequests, client.requests.data(), &which, &status) == MPI_SUCCESS && which == 4,
          "MPI_Waitany");
    client.verify(4, status);
    for (const int number : {0, 1, 2, 3, 5}) client.ask(number);
    int done = 0;
    while (done < kRequests - 1) {
        int count = 0;
        std::array<int, kRequests> indices{};
        MPI_Waitsome(kRequests, client.requests.data(), &count, indices.data(), client.statuses.data());
        check(count >= 1 && count <= kRequests - 1, "MPI_Waitsome finds some");
        for (int i = 0; i < count; ++i)
            client.verify(indices[Client::index(i)], client.statuses[Client::index(i)]);
        done += count;
    }
    int count = 0;
    std::array<int, kRequests> indices{};
    MPI_Waitsome(kRequests, client.requests.data(), &count, indices.data(), client.statuses.data());
    check(count == MPI_UNDEFINED, "MPI_Waitsome without active requests");
}

void test_one_and_all(int peer) {
    Client client(peer);
    MPI_Status status;
    int flag = 1;
    MPI_Test(&client.requests[2], &flag, &status);
    check(flag == 0, "MPI_Test before the message");
    MPI_Testall(kRequests, client.requests.data(), &flag, client.statuses.data());
    check(flag == 0, "MPI_Testall before the messages");
    client.ask(2);
    for (flag = 0; flag == 0;) MPI_Test(&client.requests[2], &flag, &status);
    client.verify(2, status);
    for (const int number : {0, 1, 3, 4, 5}) client.ask(number);
    for (flag = 0; flag == 0;) MPI_Testall(kRequests, client.requests.data(), &flag, client.statuses.data());
    for (const int number : {0, 1, 3, 4, 5}) client.verify(number, client.statuses[Client::index(number)]);
}

void test_any_and_some(int peer) {
    Client client(peer);
    MPI_Status status;
    int flag = 1;
    int which = 0;
    int count = -1;
    std::array<int, kRequests> indices{};
    MPI_Testany(kRequests, client.requests.data(), &which, &flag, &status);
    check(flag == 0 && which == MPI_UNDEFINED, "MPI_Testany before the messages");
    MPI_Testsome(kRequests, client.requests.data(), &count, indices.data(), client.statuses.data());
    check(count == 0, "MPI_Testsome before the messages");
    client.ask(1);
    for (flag = 0; flag == 0;) MPI_Testany(kRequests, client.requests.data(), &which, &flag, &status);
    check(which == 1, "MPI_Testany finds it");
    client.verify(1, status);
    for (const int number : {0, 2, 3, 4, 5}) client.ask(number);
    for (int done = 0; done < kRequests - 1;) {
        MPI_Testsome(kRequests, client.requests.data(), &count, indices.data(), client.statuses.data());
        for (int i = 0; i < count; ++i)
            client.verify(indices[Client::index(i)], client.statuses[Client::index(i)]);
        done += count;
    }
}

/// A window of sends and receives as the bandwidth benchmarks use it.
void windows(int peer) {
    constexpr int window = 64;
    std::vector<MPI_Request> requests(2 * window);
    std::vector<int> out(window);
    std::vector<int> in(window);
    for (int round = 0; round < 200; ++round) {
        std::iota(out.begin(), out.end(), round);
        for (int i = 0; i < window; ++i) {
            const auto at = static_cast<std::size_t>(i);
            MPI_Irecv(&in[at], 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[at]);
            MPI_Isend(&out[at], 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[at + window]);
        }
        MPI_Waitall(2 * window, requests.data(), MPI_STATUSES_IGNORE);
        check(in == out, "window in order");
        check(std::all_of(requests.begin(), requests.end(),
                          [](MPI_Request r) { return r == MPI_REQUEST_NULL; }),
              "all handles null");
    }
}

/// Requests freed while under way complete all the same.
void freed_requests(int me, int peer) {
    std::vector<unsigned char> data = rb2::test::pattern(1u << 20, 5);
    if (me % 2 == 0) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(data.data(), static_cast<int>(data.size()), MPI_BYTE, peer, 8, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        int done = 0;
        MPI_Recv(&done, 1, MPI_INT, peer, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        std::vector<unsigned char> in(data.size());
        MPI_Recv(in.data(), static_cast<int>(in.size()), MPI_BYTE, peer, 8, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        check(in == data, "data of a freed send");
        const int done = 1;
        MPI_Send(&done, 1, MPI_INT, peer, 9, MPI_COMM_WORLD);
    }
}

/// More receives than the library keeps ready, in turn of every kind that can end otherwise than the others.
class ManyReceives {
  public:
    ManyReceives(int peer, int round) : peer_(peer), round_(round) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    }
    ManyReceives(const ManyReceives&) = delete;
    ManyReceives& operator=(const ManyReceives&) = delete;
    ~ManyReceives() {
        if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    }

    /// Messages come before their receives in every other round.
    void send() const {
        int go = 0;
        if (late()) MPI_Recv(&go, 1, MPI_INT, peer_, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        std::vector<std::vector<unsigned char>> messages;
        std::vector<MPI_Request> requests;
        for (int i = 0; i < kMany; ++i) {
            if (kind(i) == Kind::cancelled) continue;
            messages.push_back(rb2::test::pattern(length(i), static_cast<unsigned>(round_ + i)));
            MPI_Isend(messages.back().data(), static_cast<int>(length(i)), MPI_BYTE, peer_, 1, comm_,
                      &requests.emplace_back());
        }
        if (!late()) MPI_Send(&go, 1, MPI_INT, peer_, 2, MPI_COMM_WORLD);
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

    void receive(bool ask_statuses) {
        int go = 0;
        if (!late()) MPI_Recv(&go, 1, MPI_INT, peer_, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < kMany; ++i) post(i);
        MPI_Comm_free(&comm_);  // stays for its receives
        if (late()) MPI_Send(&go, 1, MPI_INT, peer_, 2, MPI_COMM_WORLD);
        std::vector<MPI_Status> statuses(kMany);
        check(MPI_Waitall(kMany, requests_.data(), ask_statuses ? statuses.data() : MPI_STATUSES_IGNORE) ==
                  MPI_ERR_IN_STATUS,
              "some receives are too short");
        for (int i = 0; i < kMany; ++i) {
            verify(i);
            if (ask_statuses) verify(i, statuses[static_cast<std::size_t>(i)]);
        }
    }

  private:
    enum class Kind { short_buffer, freed, cancelled, long_message, usual };
    static constexpr int kMany = 200;
    static constexpr std::size_t kShort = 4;  ///< bytes of a buffer that is too short

    static Kind kind(int i) { return static_cast<Kind>(std::min(i % 7, static_cast<int>(Kind::usual))); }
    static std::size_t length(int i) { return kind(i) == Kind::long_message ? 100'000 : 8; }
    [[nodiscard]] bool late() const { return round_ % 2 != 0; }

    void post(int i) {
        const std::size_t room = kind(i) == Kind::short_buffer ? kShort : length(i);
        const int tag = kind(i) == Kind::cancelled ? 3 : 1;
        auto& buffer = buffers_.emplace_back(room);
        MPI_Request& request = requests_.emplace_back();
        MPI_Irecv(buffer.data(), static_cast<int>(room), MPI_BYTE, peer_, tag, comm_, &request);
        if (kind(i) == Kind::cancelled) MPI_Cancel(&request);
        if (kind(i) == Kind::freed) MPI_Request_free(&request);
    }
    void verify(int i) const {
        const auto& got = buffers_[static_cast<std::size_t>(i)];
        const std::vector<unsigned char> sent =
            rb2::test::pattern(length(i), static_cast<unsigned>(round_ + i));
        check(requests_[static_cast<std::size_t>(i)] == MPI_REQUEST_NULL, "all handles null");
        check(kind(i) == Kind::cancelled || std::equal(got.begin(), got.end(), sent.begin()), "bytes");
    }
    void verify(int i, const MPI_Status& status) const {
        int cancelled = -1;
        MPI_Test_cancelled(&status, &cancelled);
        check((cancelled != 0) == (kind(i) == Kind::cancelled), "MPI_Test_cancelled");
        int error_class = -1;
        MPI_Error_class(status.MPI_ERROR, &error_class);
        check((error_class == MPI_ERR_TRUNCATE) == (kind(i) == Kind::short_buffer), "error in the status");
        const bool received = kind(i) == Kind::usual || kind(i) == Kind::long_message;
        check(!received || (status.MPI_SOURCE == peer_ && status.MPI_TAG == 1), "status");
    }

    int peer_;
    int round_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::vector<std::vector<unsigned char>> buffers_;
    std::vector<MPI_Request> requests_;
};

void many_receives(int me, int peer) {
    for (int round = 0; round < 4; ++round) {
        ManyReceives receives(peer, round);
        if (me % 2 == 0)
            receives.send();
        else
            receives.receive(round >= 2);
    }
}

}  // namespace

int main() {
    const Mpi mpi;
    const int peer = mpi.rank ^ 1;
    if (mpi.rank % 2 == 0) {
        for (const auto test : {wait_one_and_all, wait_any_and_some, test_one_and_all, test_any_and_some})
            test(peer);
        const int stop = -1;
        MPI_Send(&stop, 1, MPI_INT, peer, kGo, MPI_COMM_WORLD);
    } else {
        serve(peer);
    }
    windows(peer);
    freed_requests(mpi.rank, peer);
    many_receives(mpi.rank, peer);
    return 0;
}
