#pragma once
// Attributes: values that users hang on objects under keys, copied and deleted by their callbacks (MPI 5.0,
// section 7.7).
//
// One table for all kinds of objects. A kind has a traits type that names its callbacks; its objects each
// hold an AttributeSet.

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "mpi.h"

namespace rb2::mpi {

/// Attributes of communicators.
struct CommAttributes {
    using Handle = MPI_Comm;
    using Copy = MPI_Comm_copy_attr_function*;
    using Delete = MPI_Comm_delete_attr_function*;
};
/// Attributes of datatypes.
struct TypeAttributes {
    using Handle = MPI_Datatype;
    using Copy = MPI_Type_copy_attr_function*;
    using Delete = MPI_Type_delete_attr_function*;
};

/// What stands behind a key. Lives until the key is freed and no object has an attribute under it.
template <class Kind>
struct Key {
    int value;
    typename Kind::Copy copy;
    typename Kind::Delete remove;
    void* extra_state;

    /// Predefined callbacks are values, not functions.
    [[nodiscard]] bool copies_nothing() const noexcept { return copy == nullptr; }
    [[nodiscard]] bool copies_as_is() const noexcept {
        return copy == reinterpret_cast<typename Kind::Copy>(1);
    }
};

/// The attributes of one object, in the order in which they were set. Where a callback of the user's fails,
/// its result is returned.
template <class Kind>
class AttributeSet {
  public:
    using Handle = typename Kind::Handle;

    [[nodiscard]] bool empty() const noexcept { return values_.empty(); }

    /// The value under a key, or null when it is not set.
    [[nodiscard]] void** find(int key) noexcept {
        for (Attribute& attribute : values_)
            if (attribute.key->value == key) return &attribute.value;
        return nullptr;
    }

    /// An earlier value is deleted first.
    int set(Handle object, std::shared_ptr<const Key<Kind>> key, void* value) {
        if (void** const old = find(key->value); old != nullptr) {
            if (const int error = call_delete(object, *key, *old); error != MPI_SUCCESS) return error;
            *find(key->value) = value;
        } else {
            values_.push_back({std::move(key), value});
        }
        return MPI_SUCCESS;
    }

    /// Does nothing when it is not set.
    int remove(Handle object, int key) {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (values_[i].key->value != key) continue;
            const Attribute attribute = values_[i];  // the callback may change the set
            const int error = call_delete(object, *attribute.key, attribute.value);
            if (error == MPI_SUCCESS) forget(key);
            return error;
        }
        return MPI_SUCCESS;
    }

    /// Latest first, as MPI_Finalize must do it for MPI_COMM_SELF. Stops at an error: that attribute stays.
    int remove_all(Handle object) {
        while (!values_.empty())
            if (const int error = remove(object, values_.back().key->value); error != MPI_SUCCESS)
                return error;
        return MPI_SUCCESS;
    }

    /// What the callbacks make of `object`'s attributes for its duplicate: into `copies`, which is empty.
    int copy_to(AttributeSet& copies, Handle object) const {
        const std::vector<Attribute> values = values_;  // a callback may change the set
        for (const auto& [key, value] : values) {
            if (key->copies_nothing()) continue;
            void* copied = value;
            int wanted = 1;
            if (!key->copies_as_is()) {
                wanted = 0;
                const int error = key->copy(object, key->value, key->extra_state, value, &copied, &wanted);
                if (error != MPI_SUCCESS) return error;
            }
            if (wanted != 0) copies.values_.push_back({key, copied});
        }
        return MPI_SUCCESS;
    }

  private:
    struct Attribute {
        std::shared_ptr<const Key<Kind>> key;
        void* value;
    };

    static int call_delete(Handle object, const Key<Kind>& key, void* value) {
        return key.remove == nullptr ? MPI_SUCCESS : key.remove(object, key.value, value, key.extra_state);
    }
    void forget(int key) {
        std::erase_if(values_, [key](const Attribute& attribute) { return attribute.key->value == key; });
    }

    std::vector<Attribute> values_;
};

}  // namespace rb2::mpi
