#pragma once
// Data with gaps of one collective call, as bytes one behind the other: what the algorithms know.
//
// The steps of the call work in memory of ours. pack() is its first step, unpack() its last one, so a call
// that goes on after it returned, or is made again and again, stages its data like any other.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "datatype/layout.hpp"
#include "mpi.h"
#include "mpi/datatype/data.hpp"

namespace rb2::mpi {

/// What a call does with the elements of an argument.
enum class Use : std::uint8_t { input, output, both };

/// How elements of a derived type lie in memory while they are reduced: `bytes` apart, `origin` from the
/// begin of each to the address that the user's function gets. `together`: the function can take several at
/// once.
struct Slot {
    std::size_t bytes = 0;
    std::int64_t origin = 0;
    bool together = true;
};
/// Of any datatype; of a predefined one its extent.
[[nodiscard]] Slot slot_of(MPI_Datatype datatype) noexcept;

class Staging {
  public:
    Staging() = default;
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    // The memory stays as long as this object. Each throws std::bad_alloc.

    [[nodiscard]] std::byte* allocate(std::size_t bytes);
    /// `data` will be packed at `staged`, which has room for them.
    void add(const Data& data, std::byte* staged, Use use);
    /// `count` elements at `buffer` will be in slots, at the address that is returned. The type is derived
    /// and committed. Throws std::overflow_error, too.
    [[nodiscard]] std::byte* add_slots(void* buffer, std::size_t count, MPI_Datatype datatype, Use use);

    /// The user's inputs to staged memory, and the outputs from there to their places.
    void pack() const noexcept;
    void unpack() const noexcept;

  private:
    /// The user's data, and the same in memory of ours; without a layout packed.
    struct Copy {
        Data data;
        datatype::LayoutRef layout;
        std::byte* staged;
        datatype::LayoutRef staged_layout;
        Use use;
    };

    std::vector<std::unique_ptr<std::byte[]>> memory_;
    std::vector<Copy> copies_;
};

}  // namespace rb2::mpi
