#include "runtime/memory/registration/userfault_watcher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

namespace rb2::memory::registration {
namespace {

constexpr std::uint64_t kFeatures = UFFD_FEATURE_EVENT_UNMAP | UFFD_FEATURE_EVENT_REMOVE |
                                    UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_PAGEFAULT_FLAG_WP;

/// User-mode faults only: that is what an unprivileged process may ask for, and no fault will come anyway.
Descriptor open_fault(std::string& reason) {
    Descriptor fault(
        static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY)));
    if (fault.get() < 0) {
        reason = fmt::format("userfaultfd: {}", std::strerror(errno));
        return {};
    }
    uffdio_api api{UFFD_API, kFeatures, 0};
    if (::ioctl(fault.get(), UFFDIO_API, &api) != 0) {
        reason = fmt::format("userfaultfd has no events or write protection here: {}", std::strerror(errno));
        return {};
    }
    return fault;
}

bool register_range(int fault, Range pages) noexcept {
    uffdio_register request{{pages.begin, pages.bytes()}, UFFDIO_REGISTER_MODE_WP, 0};
    return ::ioctl(fault, UFFDIO_REGISTER, &request) == 0;
}

std::byte* own_page() noexcept {
    void* page = ::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? nullptr : static_cast<std::byte*>(page);
}

/// Signals are the program's: its own threads must get them.
class SignalsBlocked {
  public:
    SignalsBlocked() noexcept {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

void ring(int event) noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(event, &one, sizeof one);
}

}  // namespace

std::unique_ptr<UserfaultWatcher> UserfaultWatcher::open(ChangeSink& sink, std::string& reason) {
    Descriptor fault = open_fault(reason);
    if (fault.get() < 0) return nullptr;
    std::unique_ptr<UserfaultWatcher> watcher(new UserfaultWatcher(sink, std::move(fault)));
    if (watcher->probe_ == nullptr || watcher->stop_.get() < 0 || watcher->dropped_.get() < 0 ||
        !register_range(watcher->fault_.get(), range_of(watcher->probe_, kPageBytes))) {
        reason = fmt::format("userfaultfd: watching a page: {}", std::strerror(errno));
        return nullptr;
    }
    const SignalsBlocked blocked;
    watcher->threads_ = std::make_unique<Threads>();
    try {
        watcher->threads_->reaper = std::thread([w = watcher.get()] { w->reap(); });
        watcher->threads_->events = std::thread([w = watcher.get()] { w->read_events(); });
    } catch (const std::system_error& error) {
        reason = fmt::format("userfaultfd needs two threads: {}", error.what());
        return nullptr;
    }
    ::pthread_setname_np(watcher->threads_->events.native_handle(), "rb2-unmap");
    ::pthread_setname_np(watcher->threads_->reaper.native_handle(), "rb2-unpin");
    return watcher;
}

UserfaultWatcher::UserfaultWatcher(ChangeSink& sink, Descriptor fault)
    : sink_(sink),
      fault_(std::move(fault)),
      stop_(::eventfd(0, EFD_CLOEXEC)),
      dropped_(::eventfd(0, EFD_CLOEXEC)),
      owner_(::getpid()),
      probe_(own_page()) {}

UserfaultWatcher::~UserfaultWatcher() {
    if (threads_ && owner_ != ::getpid()) {
        // NOLINTNEXTLINE(bugprone-unused-return-value): a forked child has no such threads to join
        threads_.release();
        return;
    }
    stopping_.store(true, std::memory_order_release);  // the events thread closes what this one has used
    ring(stop_.get());
    ring(dropped_.get());
    if (threads_ && threads_->events.joinable()) threads_->events.join();
    if (threads_ && threads_->reaper.joinable()) threads_->reaper.join();
    fault_ = Descriptor();  // else unmapping the probe would wait for a thread that is gone
    if (probe_ != nullptr) ::munmap(probe_, kPageBytes);
}

bool UserfaultWatcher::watch(Range pages, Range /*claim*/) noexcept {
    constexpr std::uintptr_t huge = std::uintptr_t{2} << 20;
    // hugetlbfs wants whole pages of its own size.
    return register_range(fault_.get(), pages) ||
           register_range(fault_.get(), {pages.begin & ~(huge - 1), (pages.end + huge - 1) & ~(huge - 1)});
}

void UserfaultWatcher::unwatch(Range pages) noexcept {
    uffdio_range request{pages.begin, pages.bytes()};
    ::ioctl(fault_.get(), UFFDIO_UNREGISTER, &request);  // unmapped meanwhile: just as well
}

void UserfaultWatcher::settle() noexcept {
    uffdio_writeprotect nothing{{reinterpret_cast<std::uintptr_t>(probe_), kPageBytes}, 0};
    while (::ioctl(fault_.get(), UFFDIO_WRITEPROTECT, &nothing) != 0 && errno == EAGAIN) ::sched_yield();
    // Acquire: pairs with the release after applying, so that the lookup sees what was dropped. An event read
    // before the probe went through raised it before: there is a system call's wake-up in between.
    while (applying_.load(std::memory_order_acquire) != 0) applying_.wait(1, std::memory_order_acquire);
}

void UserfaultWatcher::read_events() noexcept {
    std::array<pollfd, 2> events{{{fault_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
    while (!stopping_.load(std::memory_order_acquire)) {
        if (::poll(events.data(), events.size(), -1) <= 0) continue;
        applying_.store(1, std::memory_order_seq_cst);  // before the read, which lets the unmapping thread go
        bool dropped = false;
        while (apply_one()) dropped = true;
        applying_.store(0, std::memory_order_release);
        applying_.notify_all();
        if (dropped) ring(dropped_.get());
    }
    fault_ = Descriptor();  // here, so that nobody can be left waiting for an event
}

bool UserfaultWatcher::apply_one() noexcept {
    uffd_msg message{};
    if (::read(fault_.get(), &message, sizeof message) != sizeof message) return false;
    switch (message.event) {
        case UFFD_EVENT_UNMAP:
        case UFFD_EVENT_REMOVE:
            sink_.pages_changed({message.arg.remove.start, message.arg.remove.end});
            break;
        case UFFD_EVENT_REMAP: {
            const auto& moved = message.arg.remap;
            sink_.pages_changed({moved.from, moved.from + moved.len});
            unwatch({moved.to, moved.to + moved.len});  // the watching has moved along
            break;
        }
        default:
            break;
    }
    return true;
}

void UserfaultWatcher::reap() noexcept {
    std::uint64_t rung = 0;
    while (!stopping_.load(std::memory_order_relaxed)) {
        if (::read(dropped_.get(), &rung, sizeof rung) == sizeof rung) sink_.reap();
    }
}

}  // namespace rb2::memory::registration
