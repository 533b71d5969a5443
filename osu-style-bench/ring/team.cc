#include "osu-style-bench/ring/team.hpp"

#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace rb2::bench::study {
namespace {

std::vector<int> usable_processors() {
    cpu_set_t usable;
    CPU_ZERO(&usable);
    if (::sched_getaffinity(0, sizeof usable, &usable) != 0) {
        throw std::system_error(errno, std::generic_category(), "reading the processor mask");
    }
    std::vector<int> processors;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (CPU_ISSET(processor, &usable)) processors.push_back(processor);
    }
    return processors;
}

void pin_this_thread(int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    if (::sched_setaffinity(0, sizeof one, &one) != 0) {
        throw std::system_error(errno, std::generic_category(), "pinning a thread to a processor");
    }
}

/// The first exception of any thread.
class FirstError {
  public:
    void keep(std::exception_ptr error) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::move(error);
    }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    std::mutex mutex_;
    std::exception_ptr error_;
};

}  // namespace

void Pace::give_way() { ::sched_yield(); }

void run_team(int count, const std::function<void(int side, Pace& pace)>& side) {
    const std::vector<int> processors = usable_processors();
    Pace pace(count, static_cast<std::size_t>(count) > processors.size());
    FirstError error;
    const auto member = [&](int number) {
        try {
            pin_this_thread(processors[static_cast<std::size_t>(number) % processors.size()]);
            side(number, pace);
        } catch (const Pace::Stopped&) {
            // The thread that failed says why.
        } catch (...) {
            error.keep(std::current_exception());
            pace.fail();
        }
    };
    {
        std::vector<std::jthread> threads;
        threads.reserve(static_cast<std::size_t>(count));
        for (int number = 0; number < count; ++number) threads.emplace_back(member, number);
    }
    error.rethrow();
}

}  // namespace rb2::bench::study
