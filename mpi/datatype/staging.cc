#include "mpi/datatype/staging.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "datatype/copy.hpp"
#include "mpi/datatype.hpp"
#include "mpi/datatype/type.hpp"

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

std::byte* Staging::allocate(std::size_t bytes) {
    return memory_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(bytes + 1)).get();
}

void Staging::add(const Data& data, std::byte* staged, Use use) {
    copies_.push_back({data, datatype::LayoutRef(data.layout), staged, {}, use});
}

std::byte* Staging::add_slots(void* buffer, std::size_t count, MPI_Datatype datatype, Use use) {
    const Type& type = *find_type(datatype);
    const Slot slot = slot_of(datatype);
    std::byte* const slots = allocate(count * slot.bytes);
    std::fill_n(slots, count * slot.bytes, std::byte{0});  // algorithms move gaps, too
    const Data data{static_cast<std::byte*>(buffer), type.layout.get(), count * type.map->size()};
    copies_.push_back({data, type.layout, slots + slot.origin, slot_layout(slot, type.map), use});
    return slots;
}

void Staging::pack() const noexcept {
    for (const Copy& copy : copies_)
        if (copy.use != Use::output)
            rearrange(copy.data.layout, copy.data.memory, copy.staged_layout.get(), copy.staged,
                      copy.data.bytes);
}

void Staging::unpack() const noexcept {
    for (const Copy& copy : copies_)
        if (copy.use != Use::input)
            rearrange(copy.staged_layout.get(), copy.staged, copy.data.layout, copy.data.memory,
                      copy.data.bytes);
}

}  // namespace rb2::mpi
