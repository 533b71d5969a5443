// A library to preload into ranks that spoils their copies out of each other's memory (process_vm_readv and
// _writev). What it does comes from the environment:
//
//   COPY_MOST            each call moves a random number of bytes, at most so many
//   COPY_REFUSED_AFTER   so many calls of a process work; from then on the kernel refuses, as if a policy
//   changed
//
// At the end of a process a line on standard error says how often it made trouble.
#include <dlfcn.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>

namespace {

using Copy = decltype(::process_vm_readv);

std::size_t setting(const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::stoul(text) : std::numeric_limits<std::size_t>::max();
}

class Trouble {
  public:
    static Trouble& instance() {
        static Trouble trouble;
        return trouble;
    }
    ~Trouble() {
        if (cut_ + refused_ > 0)
            std::fprintf(stderr, "copies cut %zu, refused %zu\n", cut_.load(), refused_.load());
    }

    /// One call with one vector each way, as rb2 makes them.
    ssize_t call(Copy* real, pid_t process, const iovec* own, const iovec* other) {
        if (calls_++ >= refused_after_) {
            ++refused_;
            errno = EPERM;
            return -1;
        }
        iovec some = *own;
        iovec from = *other;
        if (most_ < some.iov_len) {
            ++cut_;
            some.iov_len = from.iov_len = 1 + random_() % most_;
        }
        return real(process, &some, 1, &from, 1, 0);
    }

  private:
    std::size_t most_ = setting("COPY_MOST");
    std::size_t refused_after_ = setting("COPY_REFUSED_AFTER");
    std::minstd_rand random_;
    std::atomic<std::size_t> calls_{0};
    std::atomic<std::size_t> cut_{0};
    std::atomic<std::size_t> refused_{0};
};

Copy* next(const char* name) { return reinterpret_cast<Copy*>(::dlsym(RTLD_NEXT, name)); }

}  // namespace

#pragma GCC visibility push(default)  // this is what the library is for
extern "C" {

ssize_t process_vm_readv(pid_t process, const iovec* own, unsigned long, const iovec* other, unsigned long,
                         unsigned long) {
    static Copy* const real = next("process_vm_readv");
    return Trouble::instance().call(real, process, own, other);
}

ssize_t process_vm_writev(pid_t process, const iovec* own, unsigned long, const iovec* other, unsigned long,
                          unsigned long) {
    static Copy* const real = next("process_vm_writev");
    return Trouble::instance().call(real, process, own, other);
}
}
