#include "mpi/datatype/data.hpp"

#include "datatype/copy.hpp"
#include "mpi/datatype/type.hpp"

namespace rb2::mpi {

bool find_data(const void* buffer, std::int64_t count, MPI_Datatype datatype, Data& data) noexcept {
    const datatype::Layout* const layout = layout_of(datatype);
    if (layout == nullptr || count < 0) return false;
    if (__builtin_mul_overflow(static_cast<std::size_t>(count), layout->size(), &data.bytes)) return false;
    if (buffer == nullptr && count > 0 && find_type(datatype) == nullptr) return false;
    std::int64_t displacement = 0;
    const bool contiguous = layout->contiguous(static_cast<std::uint64_t>(count), displacement);
    data.layout = contiguous ? nullptr : layout;
    // By integers: with MPI_BOTTOM the displacement is the address.
    const auto base = reinterpret_cast<std::uintptr_t>(buffer);
    data.memory =
        reinterpret_cast<std::byte*>(contiguous ? base + static_cast<std::uintptr_t>(displacement) : base);
    return true;
}

void pack(const Data& data, std::byte* to) noexcept {
    if (data.layout != nullptr)
        data.layout->pack(data.memory, 0, to, data.bytes);
    else
        copy_payload(to, data.memory, data.bytes);
}

void unpack(const Data& data, const std::byte* from, std::size_t bytes) noexcept {
    if (data.layout != nullptr)
        data.layout->unpack(data.memory, 0, from, bytes);
    else
        copy_payload(data.memory, from, bytes);
}

}  // namespace rb2::mpi
