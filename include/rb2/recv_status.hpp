#pragma once
// What is known of a received message.

#include <cstddef>
#include <cstdint>

#include "rb2/buffers.hpp"
#include "rb2/constants.hpp"

namespace rb2 {

struct RecvStatus {
    int source = kAnySource;  ///< rank in the communicator; kNullRank for a receive from there
    int tag = kAnyTag;        ///< tag of the message
    std::uint64_t bytes = 0;  ///< length of the message
    bool cancelled = false;   ///< taken back before a message came; the rest is then without meaning

    /// Whole elements of type T in the message.
    template <Transferable T>
    [[nodiscard]] std::size_t count() const noexcept {
        return static_cast<std::size_t>(bytes / sizeof(T));
    }
};

}  // namespace rb2
