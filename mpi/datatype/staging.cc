#include "mpi/datatype/staging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

#include "datatype/copy.hpp"
#include "mpi/datatype.hpp"
#include "mpi/datatype/type.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {
namespace {

constexpr std::size_t kSlotAlignment = 16;

/// Moves data from one arrangement to another; without a layout it is packed.
void rearrange(const datatype::Layout* from_layout, const std::byte* from, const datatype::Layout* to_layout,
               std::byte* to, std::size_t bytes) noexcept {
    if (from_layout == nullptr && to_layout == nullptr) return copy_payload(to, from, bytes);
    if (from_layout == nullptr) return to_layout->unpack(to, 0, from, bytes);
    if (to_layout == nullptr) return from_layout->pack(from, 0, to, bytes);
    std::array<std::byte, 4096> chunk;
    for (std::size_t done = 0; done < bytes; done += chunk.size()) {
        const std::size_t part = std::min(chunk.size(), bytes - done);
        from_layout->pack(from, done, chunk.data(), part);
        to_layout->unpack(to, done, chunk.data(), part);
    }
}

datatype::LayoutRef slot_layout(const Slot& slot, const datatype::TypeMapPtr& map) {
    return datatype::Layout::make(*datatype::TypeMap::resized(0, static_cast<std::int64_t>(slot.bytes), map));
}

}  // namespace

Slot slot_of(MPI_Datatype datatype) noexcept {
    const Type* const type = find_type(datatype);
    if (type == nullptr) return {extent_of(datatype), 0, true};
    const datatype::TypeMap& map = *type->map;
    const bool within =
        map.true_lower_bound() >= 0 && map.true_lower_bound() + map.true_extent() <= map.extent();
    if (within && map.extent() > 0) return {static_cast<std::size_t>(map.extent()), 0, true};
    const auto span = static_cast<std::size_t>(map.true_extent());
    return {std::max(kSlotAlignment, (span + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment),
            -map.true_lower_bound(), false};
}

bool Staging::dense(const void* buffer, MPI_Datatype datatype) const noexcept {
    // Padding of a predefined pair may travel along where nothing can be packed.
    if (!blocking_ && extent_of(datatype) != kNoDatatype) return true;
    return dense_extent_of(datatype) != kNoDatatype || buffer == MPI_IN_PLACE;
}

std::byte* Staging::allocate(std::size_t bytes) {
    if (!blocking_) {
        error_ = fail(MPI_ERR_TYPE, function_,
                      "a nonblocking or persistent collective was called with a datatype that has gaps: "
                      "pack it, or use the blocking form",
                      comm_);
        return nullptr;
    }
    memory_.emplace_back(new (std::nothrow) std::byte[bytes + 1]);
    if (memory_.back() == nullptr)
        error_ = fail(MPI_ERR_NO_MEM, function_, fmt::format("no memory for {} bytes of packed data", bytes),
                      comm_);
    return memory_.back().get();
}

void Staging::add(const Data& data, std::byte* staged, datatype::LayoutRef staged_layout, Fill fill,
                  bool out) {
    if (fill == Fill::data) rearrange(data.layout, data.memory, staged_layout.get(), staged, data.bytes);
    if (out) outputs_.push_back({data, datatype::LayoutRef(data.layout), staged, std::move(staged_layout)});
}

void* Staging::stage(const Data& data, Fill fill, bool out) {
    if (data.layout == nullptr) return data.memory;
    std::byte* const packed = allocate(data.bytes);
    if (packed != nullptr) add(data, packed, {}, fill, out);
    return packed;
}

void Staging::replace(void*& buffer, std::int64_t& count, MPI_Datatype& datatype, Fill fill, bool out,
                      int blocks) {
    Data data;
    std::int64_t all = 0;
    if (dense(buffer, datatype) || !usable() || __builtin_mul_overflow(count, blocks, &all) ||
        !find_data(buffer, all, datatype, data))
        return;
    buffer = stage(data, fill, out);
    count = blocks == 0 ? 0 : static_cast<std::int64_t>(data.bytes) / blocks;
    datatype = MPI_BYTE;
}

void Staging::input(const void*& buffer, std::int64_t& count, MPI_Datatype& datatype, int blocks) {
    void* memory = const_cast<void*>(buffer);
    replace(memory, count, datatype, Fill::data, false, blocks);
    buffer = memory;
}

void Staging::output(void*& buffer, std::int64_t& count, MPI_Datatype& datatype, Fill fill, int blocks) {
    replace(buffer, count, datatype, fill, true, blocks);
}

bool Staging::find_block(void* buffer, std::int64_t count, std::int64_t displacement, MPI_Datatype datatype,
                         Data& data) noexcept {
    const datatype::TypeMap* const map = map_of(datatype);
    if (map == nullptr) return false;
    const auto distance = static_cast<std::uintptr_t>(displacement * map->extent());
    auto* const place = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(buffer) + distance);
    return find_data(place, count, datatype, data);
}

std::optional<PackedBlocks> Staging::stage_blocks(const std::vector<Data>& blocks, Fill fill, bool out) {
    std::size_t total = 0;
    bool gaps = false;
    for (const Data& block : blocks) {
        total += block.bytes;
        gaps |= block.layout != nullptr;
    }
    std::byte* const packed = gaps ? allocate(total) : nullptr;
    if (!good()) return {};
    PackedBlocks result{gaps || blocks.empty() ? packed : blocks.front().memory, {}, {}};
    std::size_t end = 0;
    for (const Data& block : blocks) {
        if (gaps) add(block, packed + end, {}, fill, out);
        const auto place = reinterpret_cast<std::intptr_t>(gaps ? packed + end : block.memory);
        result.counts.push_back(static_cast<MPI_Count>(block.bytes));
        result.displacements.push_back(place - reinterpret_cast<std::intptr_t>(result.buffer));
        end += block.bytes;
    }
    return result;
}

void* Staging::stage_slots(void* buffer, std::int64_t count, MPI_Datatype datatype, Fill fill, bool out) {
    const Type* const type = find_type(datatype);
    if (type == nullptr || !type->layout || buffer == MPI_IN_PLACE || count < 0 || !usable()) return buffer;
    const Slot slot = slot_of(datatype);
    Data data{static_cast<std::byte*>(buffer), type->layout.get(), 0};
    std::size_t room = 0;
    if (__builtin_mul_overflow(static_cast<std::size_t>(count), type->map->size(), &data.bytes) ||
        __builtin_mul_overflow(static_cast<std::size_t>(count), slot.bytes, &room))
        return buffer;
    std::int64_t displacement = 0;
    if (slot.together && slot.bytes == type->map->size() &&
        data.layout->contiguous(static_cast<std::uint64_t>(count), displacement) && displacement == 0)
        return buffer;
    std::byte* const slots = allocate(room);
    if (slots == nullptr) return buffer;
    std::fill_n(slots, room, std::byte{0});  // algorithms move gaps, too
    try {
        add(data, slots + slot.origin, slot_layout(slot, type->map), fill, out);
    } catch (const std::bad_alloc&) {
        error_ = fail(MPI_ERR_NO_MEM, function_, "no memory for the datatype's program", comm_);
    } catch (const std::overflow_error& error) {
        error_ = fail(MPI_ERR_ARG, function_, error.what(), comm_);
    }
    return slots;
}

void Staging::slots_in(const void*& buffer, std::int64_t count, MPI_Datatype datatype) {
    buffer = stage_slots(const_cast<void*>(buffer), count, datatype, Fill::data, false);
}

void Staging::slots_out(void*& buffer, std::int64_t count, MPI_Datatype datatype, Fill fill) {
    buffer = stage_slots(buffer, count, datatype, fill, true);
}

int Staging::finish(int error) noexcept {
    if (error == MPI_SUCCESS)
        for (const Copy& copy : outputs_)
            rearrange(copy.staged_layout.get(), copy.staged, copy.data.layout, copy.data.memory,
                      copy.data.bytes);
    return error;
}

}  // namespace rb2::mpi
