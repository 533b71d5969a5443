#pragma once
// Registration without a device: mlock() pins pages as a registration does, without translating addresses for
// a card. What the curves are measured with where there is no RDMA device.

#include <sys/mman.h>

#include <cerrno>

#include "runtime/memory/registration/registrar.hpp"

namespace rb2::memory::critical_size {

class LockRegistrar final : public registration::Registrar {
  public:
    [[nodiscard]] Status add(std::span<const std::byte> memory, registration::Access /*access*/,
                             registration::Registration& out) noexcept override {
        if (::mlock(memory.data(), memory.size()) != 0)
            return errno == ENOMEM || errno == EAGAIN || errno == EPERM ? Status::out_of_memory
                                                                        : Status::invalid_argument;
        out.handle = const_cast<std::byte*>(memory.data());
        length_ = memory.size();
        return Status::ok;
    }
    /// One registration at a time.
    void remove(const registration::Registration& registration) noexcept override {
        ::munlock(registration.handle, length_);
    }

  private:
    std::size_t length_ = 0;
};

}  // namespace rb2::memory::critical_size
