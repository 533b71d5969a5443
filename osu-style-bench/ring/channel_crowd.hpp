#pragma once
// One ring and many clients, as in section 6.3 of "Efficient RDMA Communication Protocols" (Taranov, Fischer,
// Hoefler): clients that send into one shared ring, or that read one read ring. Each client is a thread, the
// server is one.

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "osu-style-bench/ring/channel_link.hpp"
#include "osu-style-bench/ring/channel_subject.hpp"
#include "osu-style-bench/ring/loads.hpp"

namespace rb2::bench::study {

/// Whether the server sends: then its senders, one for each client, share a pool (read ring). Else its
/// receivers do (shared ring).
template <class C, class On>
inline constexpr bool kServerSends = channel::PoolsSenderMemory<C, typename ChannelPorts<On>::Endpoint>;

/// One end of a channel, and only that.
template <class C, class On, bool kSends>
class CrowdEnd {
    using Half = std::conditional_t<kSends, ChannelOut<C, On>, ChannelIn<C, On>>;
    using Lanes = typename ChannelPorts<On>::Lanes;

  public:
    using Pool = typename Half::Pool;
    static std::size_t needed(const channel::Parameters& parameters) { return Half::needed(parameters); }
    static std::size_t pool_bytes(const channel::Parameters& parameters) {
        return Carver::whole(Pool::template bytes<C>(parameters));
    }

    CrowdEnd(const Job& job, std::span<std::byte> own, std::span<std::byte> peer, Lanes& lanes,
             Carver& carver, const channel::Parameters& parameters, Pool& pool)
        : ports_(job, own, peer, lanes, kSends), half_(ports_, carver, parameters, pool) {}

    [[nodiscard]] Half& half() noexcept { return half_; }

    [[nodiscard]] std::span<std::byte> claim(std::uint32_t bytes) { return half_.claim(bytes); }
    void commit(std::uint32_t bytes) { half_.commit(bytes); }
    [[nodiscard]] std::size_t most_bytes() const noexcept { return half_.most_bytes(); }
    bool push() { return half_.push(); }
    template <class Handler>
    std::uint64_t receive(Handler&& handler) {
        return half_.receive(handler);
    }
    void turn() {
        ports_.land();
        if constexpr (kSends) half_.turn();
    }
    void follow(channel::Ticket ticket) {
        ports_.land();
        if (ticket != 0) half_.follow(ticket);
    }

  private:
    ChannelPorts<On> ports_;
    Half half_;
};

/// A server and job.pairs clients. The server's memory holds the pool, one end for each client, and nothing
/// that clients share but that.
template <class C, class On>
class ChannelCrowd {
    static constexpr bool kServes = kServerSends<C, On>;
    using Lanes = typename ChannelPorts<On>::Lanes;

  public:
    using Server = CrowdEnd<C, On, kServes>;
    using Client = CrowdEnd<C, On, !kServes>;

    explicit ChannelCrowd(const Job& job)
        : parameters_(channel_parameters<C>(job.shape, job.bytes)),
          server_memory_(Server::pool_bytes(parameters_) +
                             static_cast<std::size_t>(job.pairs) * Server::needed(parameters_),
                         job.pages, job.memory_node),
          carver_(server_memory_.bytes()),
          pool_(carver_.take(Server::pool_bytes(parameters_)), parameters_) {
        for (int client = 0; client < job.pairs; ++client) add(job);
    }
    ChannelCrowd(const ChannelCrowd&) = delete;
    ChannelCrowd& operator=(const ChannelCrowd&) = delete;

    [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
    /// The server's end towards a client; all of them belong to one thread.
    [[nodiscard]] Server& server(std::size_t client) noexcept { return members_[client]->server; }
    [[nodiscard]] Client& client(std::size_t client) noexcept { return members_[client]->client; }

  private:
    struct Member {
        Member(ChannelCrowd& crowd, const Job& job)
            : memory(Client::pool_bytes(crowd.parameters_) + Client::needed(crowd.parameters_), job.pages,
                     job.memory_node),
              carver(memory.bytes()),
              pool(carver.take(Client::pool_bytes(crowd.parameters_)), crowd.parameters_),
              server(job, crowd.server_memory_.bytes(), memory.bytes(), lanes, crowd.carver_,
                     crowd.parameters_, crowd.pool_),
              client(job, memory.bytes(), crowd.server_memory_.bytes(), lanes, carver, crowd.parameters_,
                     pool) {}

        Memory memory;
        Carver carver;
        Lanes lanes;
        typename Client::Pool pool;
        Server server;
        Client client;
    };

    void add(const Job& job) {
        Member& member = *members_.emplace_back(std::make_unique<Member>(*this, job));
        auto& sender = [&]() -> auto& {
            if constexpr (kServes)
                return member.server.half().sender();
            else
                return member.client.half().sender();
        }
        ();
        auto& receiver = [&]() -> auto& {
            if constexpr (kServes)
                return member.client.half().receiver();
            else
                return member.server.half().receiver();
        }
        ();
        sender.connect(receiver.card());
        receiver.connect(sender.card());
    }

    channel::Parameters parameters_;
    Memory server_memory_;
    Carver carver_;
    typename Server::Pool pool_;
    std::vector<std::unique_ptr<Member>> members_;
};

/// The server of a read ring as the end of a stream: a message goes by the first sender of the pool, and
/// the others tell their clients of it.
template <class Crowd>
class Broadcast {
  public:
    explicit Broadcast(Crowd& crowd) noexcept : crowd_(crowd) {}

    [[nodiscard]] std::span<std::byte> claim(std::uint32_t bytes) { return crowd_.server(0).claim(bytes); }
    void commit(std::uint32_t bytes) { crowd_.server(0).commit(bytes); }
    [[nodiscard]] std::size_t most_bytes() const noexcept { return crowd_.server(0).most_bytes(); }
    bool push() { return crowd_.server(0).push(); }
    void turn() {
        crowd_.server(0).turn();
        const channel::Ticket last = crowd_.server(0).half().last();
        for (std::size_t i = 1; i < crowd_.size(); ++i) crowd_.server(i).follow(last);
    }
    template <class Handler>
    std::uint64_t receive(Handler&&) {
        return 0;
    }

  private:
    Crowd& crowd_;
};

/// The server of a shared ring: takes the messages of all clients in turn.
template <class Application, class Crowd>
void drink_from_all(Crowd& crowd, std::size_t most_bytes, const Job& job, PairState& state, Pace& pace) {
    using Server = typename Crowd::Server;
    auto judge = [application = Application(job)](auto record, std::uint64_t number) mutable {
        return application.asked(record, number);
    };
    std::vector<Incoming<Server, decltype(judge)>> streams;
    streams.reserve(crowd.size());
    for (std::size_t i = 0; i < crowd.size(); ++i) {
        streams.emplace_back(crowd.server(i), Application::request_bytes(job), most_bytes, job.copies, judge);
    }
    const Time time;
    pace.meet();
    Pace::Wait wait(pace);
    std::uint64_t start = Time::now();
    std::uint64_t arrived = 0;
    const std::uint64_t warmup = job.warmup * crowd.size();
    const std::uint64_t all = warmup + job.messages * crowd.size();
    const auto count = [&] {
        if (++arrived == warmup) start = Time::now();
    };
    while (arrived < all) {
        bool any = false;
        for (std::size_t i = 0; i < crowd.size(); ++i) {
            any = streams[i].advance(count) || any;
            crowd.server(i).turn();
        }
        any ? wait.over() : wait.idle();
    }
    state.figures.seconds = time.nanoseconds(Time::now() - start) * 1e-9;
    state.figures.messages = job.messages * crowd.size();
}

/// One measurement: job.pairs clients, each with job.messages messages.
template <class C, class On>
Figures run_crowd(const Job& job) {
    ChannelCrowd<C, On> crowd(job);
    std::vector<PairState> states(crowd.size());
    PairState server;
    std::atomic<std::size_t> reading = crowd.size();
    run_team(job.pairs + 1, [&](int side, Pace& pace) {
        const auto client = static_cast<std::size_t>(side - 1);
        if constexpr (kServerSends<C, On>) {
            Broadcast broadcast(crowd);
            if (side == 0) return pour<Patterns>(broadcast, job, server, pace);
            drink<Patterns>(crowd.client(client), broadcast.most_bytes(), job, states[client], pace);
            // Release: the server leaves, and takes the memory along, when the last client has read all.
            if (reading.fetch_sub(1, std::memory_order_acq_rel) == 1)
                server.done.store(true, std::memory_order_release);
        } else {
            if (side != 0) return pour<Patterns>(crowd.client(client), job, states[client], pace);
            drink_from_all<Patterns>(crowd, crowd.client(0).most_bytes(), job, server, pace);
            for (PairState& state : states) state.done.store(true, std::memory_order_release);
        }
    });
    if constexpr (!kServerSends<C, On>) return server.figures;
    Figures all;
    for (const PairState& state : states) all.add(state.figures);
    return all;
}

/// The loads of a channel that has one ring for many clients.
template <class C, class On>
Figures run_with_crowds(const Job& job) {
    return job.load == Load::crowd ? run_crowd<C, On>(job) : run_swept<ChannelLink<C, On>>(job);
}

/// Such a channel as a subject.
template <class C>
Subject crowd_subject(const char* name, const char* summary) {
    Subject subject = channel_subject<C>(name, summary);
    subject.variants = {{0, run_with_crowds<C, Bare>, run_with_crowds<C, Costed>}};
    subject.crowds = true;
    return subject;
}

}  // namespace rb2::bench::study
