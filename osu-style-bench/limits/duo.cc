#include "osu-style-bench/limits/duo.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace rb2::bench::limits {
namespace {

[[noreturn]] void throw_errno(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

void* map_shared(std::size_t length) {
    void* memory =
        ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) {
        throw_errno("mapping shared memory");
    }
    return memory;
}

Processors usable_processors() {
    cpu_set_t usable;
    CPU_ZERO(&usable);
    if (::sched_getaffinity(0, sizeof usable, &usable) != 0) {
        throw_errno("reading the processor mask");
    }
    Processors found{-1, -1};
    for (int processor = 0; processor < CPU_SETSIZE && found.second < 0; ++processor) {
        if (CPU_ISSET(processor, &usable)) {
            (found.first < 0 ? found.first : found.second) = processor;
        }
    }
    if (found.second < 0) {
        found.second = found.first;
    }
    return found;
}

void Spin::give_way() { ::sched_yield(); }

namespace detail {

void pin(int process, int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    if (::sched_setaffinity(process, sizeof one, &one) != 0) {
        throw_errno("pinning to a processor");
    }
}

PinnedHere::PinnedHere(int processor) : former_{} {
    if (::sched_getaffinity(0, sizeof former_, &former_) != 0) {
        throw_errno("reading the processor mask");
    }
    pin(0, processor);
}

PinnedHere::~PinnedHere() { ::sched_setaffinity(0, sizeof former_, &former_); }

int fork_child() {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
        throw_errno("forking the second process");
    }
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) {
            ::_exit(EXIT_FAILURE);
        }
    }
    return child;
}

void leave_child() { ::_exit(EXIT_SUCCESS); }

void wait_child(int child) {
    int status = 0;
    if (::waitpid(child, &status, 0) != child) {
        throw_errno("waiting for the second process");
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS) {
        throw std::runtime_error("the second process failed");
    }
}

}  // namespace detail
}  // namespace rb2::bench::limits
