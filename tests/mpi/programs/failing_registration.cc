// To be preloaded: every k-th registration of memory fails as if the card had no room, k in
// RB2_TEST_REGISTRATION_FAILS_EVERY. The device below is a real one.
#include <dlfcn.h>
#include <infiniband/verbs.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#undef ibv_reg_mr

namespace {

bool fails_now() {
    static const int every = [] {
        const char* const text = std::getenv("RB2_TEST_REGISTRATION_FAILS_EVERY");
        return text == nullptr ? 0 : std::atoi(text);
    }();
    static std::atomic<int> calls{0};
    if (every == 0 || ++calls % every != 0) return false;
    errno = ENOMEM;
    return true;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] ibv_mr* ibv_reg_mr(ibv_pd* domain, void* memory, std::size_t bytes,
                                                             int access) {
    static auto* const real = reinterpret_cast<decltype(&ibv_reg_mr)>(dlsym(RTLD_NEXT, "ibv_reg_mr"));
    return fails_now() ? nullptr : real(domain, memory, bytes, access);
}
