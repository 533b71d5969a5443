#pragma once
// The timed loops, over any link and any application.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "osu-style-bench/ring/applications.hpp"
#include "osu-style-bench/ring/job.hpp"
#include "osu-style-bench/ring/team.hpp"
#include "osu-style-bench/ring/traffic.hpp"
#include "runtime/fabric/costed/clock.hpp"

namespace rb2::bench::study {

using Time = rb2::fabric::costed::TscClock;

/// What one pair of threads measured.
struct PairFigures {
    double seconds = 0;
    std::uint64_t messages = 0;
    std::vector<float> latency_us;
};

template <LinkEnd End>
void leave(End& end, const Pace& pace) {
    while (!end.settled()) pace.idle();
}

/// The sending side of a stream.
template <class Application, LinkEnd End>
void pour(End& end, const Job& job, Pace& pace) {
    Application application(job);
    Outgoing out(end, Application::request_bytes(job), job.copies,
                 [&](auto room, std::uint64_t number) { application.ask(room, number); });
    pace.meet();
    const std::uint64_t messages = job.warmup + job.messages;
    while (out.messages() < messages) {
        if (out.advance()) continue;
        end.turn();
        pace.idle();
    }
    leave(end, pace);
}

/// The receiving side of a stream; its clock counts from the end of the warm-up.
template <class Application, LinkEnd End>
PairFigures drink(End& end, std::size_t most_bytes, const Job& job, Pace& pace) {
    Application application(job);
    Incoming in(end, Application::request_bytes(job), most_bytes, job.copies,
                [&](auto record, std::uint64_t number) { return application.asked(record, number); });
    pace.meet();
    const auto drain_until = [&](std::uint64_t messages) {
        while (in.messages() < messages) {
            if (!in.advance([] {})) pace.idle();
            end.turn();
        }
    };
    const Time time;
    drain_until(job.warmup);
    const std::uint64_t before = in.messages();
    const std::uint64_t start = Time::now();
    drain_until(job.warmup + job.messages);
    const double seconds = time.nanoseconds(Time::now() - start) * 1e-9;
    leave(end, pace);
    return {seconds, in.messages() - before, {}};
}

/// The asking side of an exchange: keeps `window` messages unanswered and times each of them.
template <class Application, LinkEnd End>
PairFigures ask(End& end, std::size_t most_bytes, const Job& job, Pace& pace) {
    Application application(job);
    Outgoing out(end, Application::request_bytes(job), job.copies,
                 [&](auto room, std::uint64_t number) { application.ask(room, number); });
    Incoming in(end, Application::reply_bytes(job), most_bytes, job.copies,
                [&](auto record, std::uint64_t number) { return application.answered(record, number); });
    const Time time;
    const std::uint64_t messages = job.warmup + job.messages;
    std::vector<std::uint64_t> started(job.window);
    PairFigures figures;
    figures.messages = job.messages;
    figures.latency_us.reserve(job.messages);
    std::uint64_t start = 0;
    const auto answered = [&, number = std::uint64_t{0}]() mutable {
        const std::uint64_t now = Time::now();
        if (number >= job.warmup) {
            const std::uint64_t round_trip = now - started[number % job.window];
            figures.latency_us.push_back(static_cast<float>(time.nanoseconds(round_trip) * 1e-3));
        }
        if (++number == job.warmup) start = now;
    };
    const auto may_ask = [&] {
        return !out.is_between() ||
               (out.messages() < messages && out.messages() - in.messages() < job.window);
    };
    pace.meet();
    start = Time::now();
    bool pushed = true;
    while (in.messages() < messages) {
        while (may_ask()) {
            if (out.is_between()) started[out.messages() % job.window] = Time::now();
            if (!out.advance()) break;
            pushed = false;
        }
        if (!pushed) pushed = end.push();
        if (!in.advance(answered)) pace.idle();
        end.turn();
    }
    figures.seconds = time.nanoseconds(Time::now() - start) * 1e-9;
    leave(end, pace);
    return figures;
}

/// The answering side of an exchange.
template <class Application, LinkEnd End>
void answer(End& end, std::size_t most_bytes, const Job& job, Pace& pace) {
    Application application(job);
    Outgoing out(end, Application::reply_bytes(job), job.copies,
                 [&](auto room, std::uint64_t number) { application.answer(room, number); });
    Incoming in(end, Application::request_bytes(job), most_bytes, job.copies,
                [&](auto record, std::uint64_t number) { return application.asked(record, number); });
    pace.meet();
    const std::uint64_t messages = job.warmup + job.messages;
    bool pushed = true;
    while (out.messages() < messages) {
        if (!in.advance([] {})) pace.idle();
        while (out.messages() < in.messages() && out.advance()) pushed = false;
        if (!pushed) pushed = end.push();
        end.turn();
    }
    leave(end, pace);
}

/// One side of one pair.
template <class Application, bool kExchange, Link L>
void take_side(L& link, bool first, const Job& job, Pace& pace, PairFigures& figures) {
    const std::size_t most_there = link.a().most_bytes();
    if constexpr (kExchange) {
        const std::size_t most_back = link.b().most_bytes();
        if (first) {
            figures = ask<Application>(link.a(), most_back, job, pace);
        } else {
            answer<Application>(link.b(), most_there, job, pace);
        }
    } else if (first) {
        pour<Application>(link.a(), job, pace);
    } else {
        figures = drink<Application>(link.b(), most_there, job, pace);
    }
}

/// Joins the figures of all pairs.
inline Figures joined(std::vector<PairFigures>& pairs) {
    Figures all;
    for (PairFigures& pair : pairs) {
        all.seconds = std::max(all.seconds, pair.seconds);
        all.messages += pair.messages;
        all.latency_us.insert(all.latency_us.end(), pair.latency_us.begin(), pair.latency_us.end());
    }
    return all;
}

/// One measurement: job.pairs links of their own, two threads each.
template <class Application, bool kExchange, Link L>
Figures run_load(const Job& job) {
    Job sized = job;
    sized.bytes = Application::request_bytes(job);
    sized.reply_bytes = Application::reply_bytes(job);
    std::vector<std::unique_ptr<L>> links;
    for (int pair = 0; pair < job.pairs; ++pair) links.push_back(std::make_unique<L>(sized));
    std::vector<PairFigures> figures(links.size());
    run_team(2 * job.pairs, [&](int side, Pace& pace) {
        const auto pair = static_cast<std::size_t>(side / 2);
        take_side<Application, kExchange>(*links[pair], side % 2 == 0, sized, pace, figures[pair]);
    });
    return joined(figures);
}

/// The load that the job names.
template <Link L>
Figures run_job(const Job& job) {
    switch (job.load) {
        case Load::stream:
            return run_load<Patterns, false, L>(job);
        case Load::exchange:
            return run_load<Patterns, true, L>(job);
        case Load::flow:
            return run_load<Flows, false, L>(job);
        case Load::lookup:
            return run_load<Lookups, true, L>(job);
    }
    return {};
}

}  // namespace rb2::bench::study
