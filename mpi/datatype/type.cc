#include "mpi/datatype/type.hpp"

#include <array>
#include <memory>
#include <utility>

#include "mpi/datatype/predefined.hpp"

namespace rb2::mpi {
namespace {

class TypePool {
  public:
    Type& take() {
        if (free_ == nullptr) grow();
        return *std::exchange(free_, free_->next_free);
    }
    void give_back(Type& type) noexcept { type.next_free = std::exchange(free_, &type); }

  private:
    using Block = std::array<Type, 64>;

    void grow() {
        blocks_.push_back(std::make_unique<Block>());
        for (Type& type : *blocks_.back()) type.next_free = std::exchange(free_, &type);
    }

    Type* free_ = nullptr;
    std::vector<std::unique_ptr<Block>> blocks_;
};

TypePool& pool() {
    static TypePool all;
    return all;
}

}  // namespace

MPI_Datatype make_type(datatype::TypeMapPtr map, Contents contents) {
    Type& type = pool().take();
    type.map = std::move(map);
    type.contents = std::move(contents);
    type.permanent = false;
    type.handles = 1;
    type.references = 1;
    for (const MPI_Datatype part : type.contents.datatypes) retain_type(part);
    type.magic = Magic::datatype;
    return reinterpret_cast<MPI_Datatype>(&type);
}

void retain_type(MPI_Datatype handle) noexcept {
    if (Type* type = find_type(handle)) ++type->references;
}

void drop_type(MPI_Datatype handle) noexcept {
    Type* const type = find_type(handle);
    if (type == nullptr || --type->references > 0) return;
    type->magic = Magic::gone;
    const Contents contents = std::exchange(type->contents, {});
    type->map.reset();
    type->layout = {};
    type->name.clear();
    type->attributes = {};
    pool().give_back(*type);
    for (const MPI_Datatype part : contents.datatypes) drop_type(part);
}

datatype::TypeMapPtr shared_map_of(MPI_Datatype handle) noexcept {
    if (const Type* type = find_type(handle)) return type->map;
    const Predefined* const predefined = find_predefined(handle);
    return predefined != nullptr ? predefined->map : nullptr;
}

const datatype::TypeMap* map_of(MPI_Datatype handle) noexcept {
    if (const Type* type = find_type(handle)) return type->map.get();
    const Predefined* const predefined = find_predefined(handle);
    return predefined != nullptr ? predefined->map.get() : nullptr;
}

std::int64_t extent_in_bytes(MPI_Datatype handle) noexcept {
    const datatype::TypeMap* const map = map_of(handle);
    return map != nullptr ? map->extent() : 0;
}

const datatype::Layout* layout_of(MPI_Datatype handle) noexcept {
    if (const Type* type = find_type(handle)) return type->layout.get();
    const Predefined* const predefined = find_predefined(handle);
    return predefined != nullptr ? predefined->layout.get() : nullptr;
}

}  // namespace rb2::mpi
