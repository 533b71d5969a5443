#pragma once
// An open file that closes itself.

#include <unistd.h>

#include <utility>

namespace rb2::memory {

/// Owns a file descriptor, or none (-1). Move-only.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int fd) noexcept : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] int get() const noexcept { return fd_; }

  private:
    int fd_ = -1;
};

}  // namespace rb2::memory
