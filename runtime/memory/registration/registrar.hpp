#pragma once
// The seam between the registration cache and a device: who pins memory and gives it keys. Virtual, because a
// call costs microseconds to milliseconds anyway; what the cache already knows never gets here.

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/memory/registration/access.hpp"
#include "runtime/status.hpp"

namespace rb2::memory::registration {

/// What a device gave for a range of memory. `handle` means something to its registrar only.
struct Registration {
    std::uint32_t local_key = 0;   ///< lkey: this process's own operations name the memory by it
    std::uint32_t remote_key = 0;  ///< rkey: a peer's do
    void* handle = nullptr;
};

/// Both calls come from several threads at once, and hold no lock of the cache.
class Registrar {
  public:
    virtual ~Registrar() = default;

    /// Pins whole pages and fills `out`.
    ///   ok
    ///   out_of_memory     a limit (memlock, device entries): worth another try when others are deregistered
    ///   anything else     this memory cannot be registered for `access`
    [[nodiscard]] virtual Status add(std::span<const std::byte> memory, Access access,
                                     Registration& out) noexcept = 0;

    /// Ends what add() gave. The memory may have been unmapped since.
    virtual void remove(const Registration& registration) noexcept = 0;

  protected:
    Registrar() = default;
    Registrar(const Registrar&) = default;
    Registrar& operator=(const Registrar&) = default;
};

}  // namespace rb2::memory::registration
