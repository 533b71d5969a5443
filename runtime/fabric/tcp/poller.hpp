#pragma once
// epoll, and what it watches.

#include <sys/epoll.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/memory/descriptor.hpp"

namespace rb2::fabric::tcp {

using memory::Descriptor;

/// Something with a descriptor of its own.
class Watched {
  public:
    Watched() = default;
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    virtual ~Watched() = default;
    /// `events` as epoll gives them. May retire() itself.
    virtual void ready(std::uint32_t events) noexcept = 0;
};

/// Level-triggered. One thread.
class Poller {
  public:
    /// Throws StartupError.
    Poller();

    /// False, with errno, when the kernel refuses. A descriptor that is closed is watched no longer.
    [[nodiscard]] bool add(int fd, std::uint32_t events, Watched& watched) noexcept;
    void change(int fd, std::uint32_t events, Watched& watched) noexcept;
    void remove(int fd) noexcept;
    /// Handles what is ready now, up to kBatch of them; returns how many.
    std::size_t handle() noexcept;
    /// Destroys it once no event that was already fetched can name it any more.
    void retire(std::unique_ptr<Watched> watched) {
        if (watched != nullptr) retired_.push_back(std::move(watched));
    }
    /// Whether this is a forked child's copy, which shares its descriptors with the parent's and must do
    /// nothing that the parent or its peers would notice.
    [[nodiscard]] bool is_copy() const noexcept;
    /// Readable when something is ready.
    [[nodiscard]] int fd() const noexcept { return epoll_.get(); }

  private:
    static constexpr int kBatch = 64;

    pid_t owner_;
    Descriptor epoll_;
    std::vector<std::unique_ptr<Watched>> retired_;
};

}  // namespace rb2::fabric::tcp
