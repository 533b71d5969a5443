#include "runtime/memory/registration/interposed_watcher.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>

#include "runtime/memory/hooks/hooks.hpp"
#include "runtime/memory/registration/inside.hpp"

namespace rb2::memory::registration {

constinit thread_local int Inside::depth_ = 0;

namespace {

constexpr std::size_t kMostSinks = 16;  // one per device

/// All caches of the process that listen. Recursive: deregistering frees memory, which is told in turn.
constinit std::array<ChangeSink*, kMostSinks> all_sinks{};
std::recursive_mutex sinks_mutex;  // NOLINT(cert-err58-cpp): glibc's does not throw; used until the very end

/// A change came while its thread was inside the cache (from a signal handler): told at the next settle().
constinit std::atomic<bool> missed{false};

template <class Call>
void tell(Call&& call) noexcept {
    if (Inside::here()) {
        missed.store(true, std::memory_order_release);
        return;
    }
    const std::scoped_lock lock(sinks_mutex);
    for (ChangeSink* sink : all_sinks)
        if (sink != nullptr && call(*sink)) sink->reap();
}

constexpr hooks::Listener kListener{
    [](std::uintptr_t begin, std::uintptr_t end) {
        tell([&](ChangeSink& sink) { return sink.pages_changed(pages_of({begin, end})); });
    },
    [](std::uintptr_t begin, std::uintptr_t end) {
        tell([&](ChangeSink& sink) { return sink.block_freed({begin, end}); });
    },
    [] { tell([](ChangeSink& sink) { return sink.everything_changed(); }); },
};

hooks::Interface* loaded_hooks() noexcept {
    static auto* const found = static_cast<hooks::Interface*>(::dlsym(RTLD_DEFAULT, hooks::kSymbol));
    return found;
}

/// Name of a function whose calls do not arrive at the hooks; nullptr when all do.
const char* bypassed(const hooks::Interface& loaded) noexcept {
    for (std::uint32_t i = 0; i < loaded.hook_count; ++i)
        if (::dlsym(RTLD_DEFAULT, loaded.hooks[i].name) != loaded.hooks[i].function)
            return loaded.hooks[i].name;
    return nullptr;
}

/// A child of fork() has no use for the cache, and its lock may be held by a thread that the child lacks.
void quiet_in_children() noexcept {
    static const int done = ::pthread_atfork(nullptr, nullptr, [] {
        if (hooks::Interface* loaded = loaded_hooks())
            loaded->listener.store(nullptr, std::memory_order_release);
    });
    static_cast<void>(done);
}

void narrow(hooks::Interface& loaded) noexcept {
    loaded.begin.store(std::numeric_limits<std::uintptr_t>::max(), std::memory_order_relaxed);
    loaded.end.store(0, std::memory_order_relaxed);
    loaded.least_bytes.store(std::numeric_limits<std::size_t>::max(), std::memory_order_relaxed);
}

/// Whether `claim` touches the calling thread's stack, unless that is the main thread's.
bool on_own_stack(Range claim) noexcept {
    if (::getpid() == ::gettid()) return false;
    pthread_attr_t attributes;
    if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return true;
    void* start = nullptr;
    std::size_t bytes = 0;
    ::pthread_attr_getstack(&attributes, &start, &bytes);
    ::pthread_attr_destroy(&attributes);
    return range_of(start, bytes).overlaps(claim);
}

}  // namespace

std::unique_ptr<InterposedWatcher> InterposedWatcher::open(ChangeSink& sink, std::string& reason) {
    hooks::Interface* const loaded = loaded_hooks();
    if (loaded == nullptr) {
        reason = "librb2_hooks.so is not preloaded";
        return nullptr;
    }
    if (loaded->version != hooks::kVersion) {
        reason = fmt::format("librb2_hooks.so has version {}, not {}", loaded->version, hooks::kVersion);
        return nullptr;
    }
    if (const char* name = bypassed(*loaded)) {
        reason = fmt::format("another library's {} stands before that of librb2_hooks.so", name);
        return nullptr;
    }
    std::unique_ptr<InterposedWatcher> watcher(new InterposedWatcher(sink));
    quiet_in_children();
    const std::scoped_lock lock(sinks_mutex);
    const auto free_place = std::ranges::find(all_sinks, nullptr);
    if (free_place == all_sinks.end()) {
        reason = fmt::format("more than {} caches", kMostSinks);
        return nullptr;
    }
    *free_place = &sink;
    if (loaded->listener.load(std::memory_order_relaxed) == nullptr) narrow(*loaded);
    // Release: pairs with the hooks' acquire.
    loaded->listener.store(&kListener, std::memory_order_release);
    return watcher;
}

InterposedWatcher::~InterposedWatcher() {
    // In a forked child the lock may be held for ever; there nobody listens any more.
    if (loaded_hooks()->listener.load(std::memory_order_acquire) == nullptr) return;
    const std::scoped_lock lock(sinks_mutex);
    std::ranges::replace(all_sinks, &sink_, nullptr);
    if (std::ranges::all_of(all_sinks, [](const ChangeSink* each) { return each == nullptr; }))
        loaded_hooks()->listener.store(nullptr, std::memory_order_release);
}

bool InterposedWatcher::watch(Range /*pages*/, Range claim) noexcept {
    if (on_own_stack(claim)) return false;
    // Only ever wider while somebody listens: a free too many is looked up in vain.
    hooks::Interface& loaded = *loaded_hooks();
    const std::scoped_lock lock(sinks_mutex);
    loaded.begin.store(std::min(loaded.begin.load(std::memory_order_relaxed), claim.begin),
                       std::memory_order_relaxed);
    loaded.end.store(std::max(loaded.end.load(std::memory_order_relaxed), claim.end),
                     std::memory_order_relaxed);
    loaded.least_bytes.store(std::min(loaded.least_bytes.load(std::memory_order_relaxed), claim.bytes()),
                             std::memory_order_relaxed);
    return true;
}

void InterposedWatcher::settle() noexcept {
    if (missed.load(std::memory_order_relaxed) && missed.exchange(false, std::memory_order_acquire))
        tell([](ChangeSink& sink) { return sink.everything_changed(); });
}

}  // namespace rb2::memory::registration
