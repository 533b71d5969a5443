#pragma once
// Data with gaps of one collective call, as bytes one behind the other: what the algorithms know.
//
// A binding names its arguments to a Staging before it checks them, and hands its result back through
// finish():
//
//     Staging staging(invocation);
//     staging.input(sendbuf, out.count, out.datatype);
//     staging.output(recvbuf, in.count, in.datatype, Fill::nothing, staging.size());
//     if (!staging.good()) return staging.error();
//     ... as for bytes ...
//     return staging.finish(call.perform(...));
//
// Arguments of dense predefined types, MPI_IN_PLACE, and wrong ones stay as they are; so does data that a
// derived type describes but that has no gaps: only its type becomes MPI_BYTE.
// A call that goes on after it returned cannot use packed copies: with gaps it is refused.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "datatype/layout.hpp"
#include "mpi.h"
#include "mpi/comm.hpp"
#include "mpi/datatype/data.hpp"
#include "mpi/invocation.hpp"

namespace rb2::mpi {

/// What staged memory holds before the call: nothing, or the user's data, where some of it is input, too.
enum class Fill : std::uint8_t { nothing, data };

/// One block of bytes per rank, as the forms with counts and displacements take them.
struct PackedBlocks {
    void* buffer = nullptr;
    std::vector<MPI_Count> counts;
    std::vector<MPI_Aint> displacements;
};

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
    explicit Staging(const Invocation& invocation)
        : function_(invocation.function),
          comm_(find_comm(invocation.comm)),
          blocking_(invocation.way == Invocation::Way::blocking) {}
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    [[nodiscard]] bool good() const noexcept { return error_ == MPI_SUCCESS; }
    [[nodiscard]] int error() const noexcept { return error_; }
    /// Ranks of the communicator; 0 when it is none.
    [[nodiscard]] int size() const noexcept { return comm_ != nullptr ? comm_->communicator->size() : 0; }
    [[nodiscard]] bool is(int rank) const noexcept {
        return comm_ != nullptr && comm_->communicator->rank() == rank;
    }

    /// Of `blocks` times `count` elements, which become `blocks` times as many bytes.
    void input(const void*& buffer, std::int64_t& count, MPI_Datatype& datatype, int blocks = 1);
    void output(void*& buffer, std::int64_t& count, MPI_Datatype& datatype, Fill fill, int blocks = 1);

    /// Of one block per rank, `counts[r]` elements at `displacements[r]` extents. Nothing when they can stay.
    template <class Count, class Offset>
    std::optional<PackedBlocks> input_blocks(const void* buffer, const Count* counts,
                                             const Offset* displacements, MPI_Datatype datatype) {
        const auto ranks = static_cast<std::size_t>(size());
        return blocks(const_cast<void*>(buffer), ranks, counts, displacements, datatype, Fill::data, false);
    }
    template <class Count, class Offset>
    std::optional<PackedBlocks> output_blocks(void* buffer, const Count* counts, const Offset* displacements,
                                              MPI_Datatype datatype, Fill fill) {
        const auto ranks = static_cast<std::size_t>(size());
        return blocks(buffer, ranks, counts, displacements, datatype, fill, true);
    }
    /// The same of `count` blocks, one datatype for all; `out`: an output.
    template <class Count, class Offset>
    std::optional<PackedBlocks> blocks(void* buffer, std::size_t count, const Count* counts,
                                       const Offset* displacements, MPI_Datatype datatype, Fill fill,
                                       bool out) {
        if (dense(buffer, datatype) || counts == nullptr || displacements == nullptr || !usable()) return {};
        std::vector<Data> found(count);
        for (std::size_t i = 0; i < count; ++i)
            if (!find_block(buffer, counts[i], displacements[i], datatype, found[i])) return {};
        return stage_blocks(found, fill, out);
    }
    /// With a datatype for each, and displacements in bytes.
    template <class Count, class Offset>
    std::optional<PackedBlocks> typed_blocks(void* buffer, std::size_t count, const Count* counts,
                                             const Offset* displacements, const MPI_Datatype* datatypes,
                                             Fill fill, bool out) {
        if (buffer == MPI_IN_PLACE || counts == nullptr || displacements == nullptr || datatypes == nullptr ||
            !usable())
            return {};
        bool all_dense = true;
        for (std::size_t i = 0; i < count; ++i) all_dense &= dense(buffer, datatypes[i]);
        if (all_dense) return {};
        std::vector<Data> found(count);
        for (std::size_t i = 0; i < count; ++i) {
            const auto place =
                reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(displacements[i]);
            if (!find_data(reinterpret_cast<void*>(place), counts[i], datatypes[i], found[i])) return {};
        }
        return stage_blocks(found, fill, out);
    }

    /// Of elements that are reduced: each in a slot of its own.
    void slots_in(const void*& buffer, std::int64_t count, MPI_Datatype datatype);
    void slots_out(void*& buffer, std::int64_t count, MPI_Datatype datatype, Fill fill);

    /// Brings the outputs to their places if all went well, and returns `error`.
    [[nodiscard]] int finish(int error) noexcept;

  private:
    /// The user's data, and the same in memory of ours; without a layout packed.
    struct Copy {
        Data data;
        datatype::LayoutRef layout;
        std::byte* staged;
        datatype::LayoutRef staged_layout;
    };

    [[nodiscard]] bool usable() const noexcept { return good() && comm_ != nullptr; }
    [[nodiscard]] bool dense(const void* buffer, MPI_Datatype datatype) const noexcept;
    std::byte* allocate(std::size_t bytes);
    void* stage(const Data& data, Fill fill, bool out);
    void* stage_slots(void* buffer, std::int64_t count, MPI_Datatype datatype, Fill fill, bool out);
    void add(const Data& data, std::byte* staged, datatype::LayoutRef staged_layout, Fill fill, bool out);
    void replace(void*& buffer, std::int64_t& count, MPI_Datatype& datatype, Fill fill, bool out, int blocks);
    std::optional<PackedBlocks> stage_blocks(const std::vector<Data>& blocks, Fill fill, bool out);
    static bool find_block(void* buffer, std::int64_t count, std::int64_t displacement, MPI_Datatype datatype,
                           Data& data) noexcept;

    const char* function_;
    Comm* comm_;
    bool blocking_;
    int error_ = MPI_SUCCESS;
    std::vector<std::unique_ptr<std::byte[]>> memory_;
    std::vector<Copy> outputs_;
};

}  // namespace rb2::mpi
