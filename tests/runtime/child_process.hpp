#pragma once
// Runs a function in a forked child, for what would change or end the test process itself.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <functional>

namespace rb2::test {

/// Exit status of a child that ran `body` and then _exit()ed with its result: no destructor of the parent's
/// objects runs in it. 128 + n when signal n ended it, 255 when `body` threw or fork failed.
inline int in_child(const std::function<int()>& body) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        int status = 255;
        try {
            status = body();
        } catch (const std::exception& error) {
            std::fprintf(stderr, "child: %s\n", error.what());
        }
        std::fflush(nullptr);
        ::_exit(status);
    }
    int state = 0;
    if (child < 0 || ::waitpid(child, &state, 0) != child) return 255;
    return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
}

}  // namespace rb2::test
