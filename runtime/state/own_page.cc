#include "runtime/state/own_page.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <new>

namespace rb2::state {

std::string page_name(uid_t uid, std::string_view nonce, std::uint32_t rank) {
    return page_prefix(fmt::format("rb2-{}-{}-", uid, nonce)) + std::to_string(rank);
}

OwnPage::OwnPage(const std::string& name, std::uint32_t rank, std::uint32_t size, bool keep) {
    const std::size_t bytes = Page::bytes(size);
    std::byte* place = nullptr;
    if (!name.empty()) {
        try {
            // A program that this rank ran before may have left one.
            memory::Segment::unlink_by_name(name);
            segment_ = memory::Segment::create(name, bytes);
            if (keep) segment_.keep_name();
            place = segment_.data();
        } catch (const StartupError&) {  // a job that nobody can look at is still a job
        }
    }
    if (place == nullptr) {
        private_ = std::make_unique<std::byte[]>(bytes + alignof(Page));
        const auto address = reinterpret_cast<std::uintptr_t>(private_.get());
        place = private_.get() + (alignof(Page) - address % alignof(Page)) % alignof(Page);
    }
    page_ = new (place) Page{};
    traffic_ = reinterpret_cast<Traffic*>(place + Page::kBytes);
    fabrics_ = reinterpret_cast<Fabric*>(traffic_ + size);
    page_->version = Page::kVersion;
    page_->rank = rank;
    page_->size = size;
    page_->pid = ::getpid();
    page_->started_ns = now_ns();
    page_->awake_ns = page_->started_ns;
    std::atomic_thread_fence(std::memory_order_release);  // whoever sees the magic sees the rest
    page_->magic = Page::kMagic;
}

void OwnPage::reach(Phase phase) noexcept {
    if (phase == Phase::ended) page_->ended_ns.store(now_ns(), std::memory_order_relaxed);
    page_->phase.store(phase, std::memory_order_relaxed);
}

void OwnPage::stand(Standing& standing, bool answers) noexcept {
    if (answers) answered_ = page_->asked.load(std::memory_order_relaxed);
    standing.answer = answered_;
    const std::uint32_t edition = page_->edition.load(std::memory_order_relaxed);
    page_->edition.store(edition + 1, std::memory_order_relaxed);
    // Release: nobody who sees a word of the new text sees the old, even edition.
    std::atomic_thread_fence(std::memory_order_release);
    page_->standing = standing;
    page_->edition.store(edition + 2, std::memory_order_release);
}

void OwnPage::falls_asleep() noexcept {
    if (asleep()) return;
    ++page_->totals.sleeps;
    page_->asleep.store(1, std::memory_order_relaxed);
}

void OwnPage::wakes_up() noexcept {
    page_->awake_ns.store(now_ns(), std::memory_order_relaxed);
    page_->asleep.store(0, std::memory_order_relaxed);
}

Collectives* OwnPage::count_collectives(std::uint32_t communicator) noexcept {
    for (Collectives& entry : page_->collectives) {
        if (entry.communicator.load(std::memory_order_relaxed) != 0) continue;
        entry.calls.store(0, std::memory_order_relaxed);
        entry.communicator.store(communicator + 1, std::memory_order_relaxed);
        return &entry;
    }
    return nullptr;
}

}  // namespace rb2::state
