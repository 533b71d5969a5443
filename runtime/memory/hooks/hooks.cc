// librb2_hooks.so. A library of its own, for LD_PRELOAD: only the first definition in the process is called,
// and whoever does not need it should not have it in the way.
//
// Each function goes on to the next definition (dlsym RTLD_NEXT): the C library's, or that of another
// allocator. Nothing here allocates. A free() that comes from within the very look-up of its successor
// forgets the block.

#include "runtime/memory/hooks/hooks.hpp"

#include <dlfcn.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <array>
#include <cstdarg>

using rb2::memory::hooks::Hook;
using rb2::memory::hooks::Interface;
using rb2::memory::hooks::Listener;

namespace {

/// The next definition of a function, looked up at its first call.
template <class Function>
class Next {
  public:
    explicit constexpr Next(const char* name) noexcept : name_(name) {}

    /// nullptr only while the look-up is going on further up this stack.
    [[nodiscard]] Function* get() noexcept {
        Function* known = function_.load(std::memory_order_relaxed);  // a constant once known
        return known != nullptr ? known : look_up();
    }

  private:
    [[gnu::noinline]] Function* look_up() noexcept {
        static thread_local bool looking [[gnu::tls_model("initial-exec")]] = false;
        if (looking) return nullptr;
        looking = true;
        auto* found = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name_));
        looking = false;
        function_.store(found, std::memory_order_relaxed);
        return found;
    }

    const char* name_;
    std::atomic<Function*> function_{nullptr};
};

constinit Next<int(void*, std::size_t)> next_munmap("munmap");
constinit Next<void*(void*, std::size_t, int, int, int, off_t)> next_mmap("mmap");
constinit Next<void*(void*, std::size_t, std::size_t, int, ...)> next_mremap("mremap");
constinit Next<int(void*, std::size_t, int)> next_madvise("madvise");
constinit Next<int(void*)> next_brk("brk");
constinit Next<void*(std::intptr_t)> next_sbrk("sbrk");
constinit Next<int(const void*)> next_shmdt("shmdt");
constinit Next<void*(int, const void*, int)> next_shmat("shmat");
constinit Next<int(void*)> next_dlclose("dlclose");
constinit Next<void(void*)> next_free("free");
constinit Next<void*(void*, std::size_t)> next_realloc("realloc");

std::uintptr_t address(const void* pointer) noexcept { return reinterpret_cast<std::uintptr_t>(pointer); }

const Listener* listener() noexcept;

void tell_pages(const void* start, std::size_t bytes) noexcept {
    if (const Listener* l = listener(); l != nullptr && bytes != 0)
        l->pages_changed(address(start), address(start) + bytes);
}

void tell_everything() noexcept {
    if (const Listener* l = listener()) l->everything_changed();
}

/// Advice after which the pages are what they were before. All other changes or may change them.
bool harmless(int advice) noexcept {
    constexpr std::array kept{MADV_NORMAL,        MADV_RANDOM,        MADV_SEQUENTIAL, MADV_WILLNEED,
                              MADV_DONTFORK,      MADV_DOFORK,        MADV_MERGEABLE,  MADV_UNMERGEABLE,
                              MADV_HUGEPAGE,      MADV_NOHUGEPAGE,    MADV_DONTDUMP,   MADV_DODUMP,
                              MADV_WIPEONFORK,    MADV_KEEPONFORK,    MADV_COLD,       MADV_PAGEOUT,
                              MADV_POPULATE_READ, MADV_POPULATE_WRITE};
    for (const int each : kept)
        if (advice == each) return true;
    return false;
}

}  // namespace

extern "C" {

// The names under which the functions below are entered in the table: the plain name may mean somebody else's
// definition, which is what effective use has to find out.
int rb2_hook_munmap(void* start, std::size_t bytes) {
    tell_pages(start, bytes);
    return next_munmap.get()(start, bytes);
}

void* rb2_hook_mmap(void* start, std::size_t bytes, int protection, int flags, int fd, off_t offset) {
    if ((flags & MAP_FIXED) != 0) tell_pages(start, bytes);
    return next_mmap.get()(start, bytes, protection, flags, fd, offset);
}

void* rb2_hook_mremap(void* start, std::size_t old_bytes, std::size_t bytes, int flags, ...) {
    void* target = nullptr;
    if ((flags & MREMAP_FIXED) != 0) {
        std::va_list arguments;
        va_start(arguments, flags);
        target = va_arg(arguments, void*);
        va_end(arguments);
        tell_pages(target, bytes);
    }
    tell_pages(start, old_bytes);
    return next_mremap.get()(start, old_bytes, bytes, flags, target);
}

int rb2_hook_madvise(void* start, std::size_t bytes, int advice) {
    if (harmless(advice)) return next_madvise.get()(start, bytes, advice);
    tell_pages(start, bytes);
    const int result = next_madvise.get()(start, bytes, advice);
    tell_pages(start, bytes);  // unlike unmapped memory it could be registered again in between
    return result;
}

int rb2_hook_brk(void* end) {
    const auto now = address(next_sbrk.get()(0));
    if (address(end) < now) tell_pages(end, now - address(end));
    return next_brk.get()(end);
}

void* rb2_hook_sbrk(std::intptr_t increment) {
    if (increment < 0) {
        const auto bytes = static_cast<std::size_t>(-increment);
        tell_pages(static_cast<char*>(next_sbrk.get()(0)) - bytes, bytes);
    }
    return next_sbrk.get()(increment);
}

int rb2_hook_shmdt(const void* start) {
    tell_everything();  // its length is not known here, and the call is rare
    return next_shmdt.get()(start);
}

void* rb2_hook_shmat(int id, const void* start, int flags) {
    if ((flags & SHM_REMAP) != 0) tell_everything();
    return next_shmat.get()(id, start, flags);
}

int rb2_hook_dlclose(void* library) {
    tell_everything();
    return next_dlclose.get()(library);
}

void rb2_hook_free(void* block);
void* rb2_hook_realloc(void* block, std::size_t bytes);

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
[[gnu::visibility("default"), gnu::alias("rb2_hook_munmap")]] int munmap(void*, std::size_t) noexcept;
[[gnu::visibility("default"), gnu::alias("rb2_hook_mmap")]] void* mmap(void*, std::size_t, int, int, int,
                                                                       off_t) noexcept;
[[gnu::visibility("default"), gnu::alias("rb2_hook_mmap")]] void* mmap64(void*, std::size_t, int, int, int,
                                                                         off_t) noexcept;
[[gnu::visibility("default"), gnu::alias("rb2_hook_mremap")]] void* mremap(void*, std::size_t, std::size_t,
                                                                           int, ...) noexcept;
[[gnu::visibility("default"), gnu::alias("rb2_hook_madvise")]] int madvise(void*, std::size_t, int) noexcept;
[[gnu::visibility("default"), gnu::alias("rb2_hook_brk")]] int brk(void*) noexcept;
[[gnu::visibility("default"), gnu::alias("rb2_hook_sbrk")]] void* sbrk(std::intptr_t) noexcept;
[[gnu::visibility("default"), gnu::alias("rb2_hook_shmdt")]] int shmdt(const void*) noexcept;
[[gnu::visibility("default"), gnu::alias("rb2_hook_shmat")]] void* shmat(int, const void*, int) noexcept;
[[gnu::visibility("default"), gnu::alias("rb2_hook_dlclose")]] int dlclose(void*) noexcept;
[[gnu::visibility("default"), gnu::alias("rb2_hook_free")]] void free(void*) noexcept;
[[gnu::visibility("default"), gnu::alias("rb2_hook_realloc")]] void* realloc(void*, std::size_t) noexcept;
// NOLINTEND(readability-inconsistent-declaration-parameter-name)

}  // extern "C"

namespace {

template <class Function>
void* entry(Function* function) noexcept {
    return reinterpret_cast<void*>(function);
}

const std::array kHooks{
    Hook{"munmap", entry(rb2_hook_munmap)},   Hook{"mmap", entry(rb2_hook_mmap)},
    Hook{"mmap64", entry(rb2_hook_mmap)},     Hook{"mremap", entry(rb2_hook_mremap)},
    Hook{"madvise", entry(rb2_hook_madvise)}, Hook{"brk", entry(rb2_hook_brk)},
    Hook{"sbrk", entry(rb2_hook_sbrk)},       Hook{"shmdt", entry(rb2_hook_shmdt)},
    Hook{"shmat", entry(rb2_hook_shmat)},     Hook{"dlclose", entry(rb2_hook_dlclose)},
    Hook{"free", entry(rb2_hook_free)},       Hook{"realloc", entry(rb2_hook_realloc)},
};

}  // namespace

extern "C" [[gnu::visibility("default")]] Interface rb2_hooks_interface;
Interface rb2_hooks_interface{
    rb2::memory::hooks::kVersion, kHooks.size(), kHooks.data(), {nullptr}, {0}, {0}, {0}};

namespace {

// Acquire: what the listener needs was made before it was entered.
const Listener* listener() noexcept { return rb2_hooks_interface.listener.load(std::memory_order_acquire); }

/// Before a block goes back to the allocator.
void tell_block(void* block) noexcept {
    const Listener* l = listener();
    if (l == nullptr || block == nullptr) return;
    // Relaxed: a block is freed after its memory was registered, in one thread or ordered by the program.
    const Interface& watched = rb2_hooks_interface;
    const std::size_t bytes = ::malloc_usable_size(block);
    const auto begin = address(block);
    if (bytes < watched.least_bytes.load(std::memory_order_relaxed) ||
        begin >= watched.end.load(std::memory_order_relaxed) ||
        begin + bytes <= watched.begin.load(std::memory_order_relaxed))
        return;
    l->block_freed(begin, begin + bytes);
}

}  // namespace

void rb2_hook_free(void* block) {
    tell_block(block);
    if (auto* next = next_free.get()) next(block);
}

void* rb2_hook_realloc(void* block, std::size_t bytes) {
    tell_block(block);
    return next_realloc.get()(block, bytes);
}
