#pragma once
// Keys of attributes, and the calls on both, for every kind of object. `comm`: whose error handler is asked;
// null: none.

#include <memory>
#include <unordered_map>
#include <utility>

#include "mpi/attributes.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {

/// The keys of one kind. Values are not used twice.
template <class Kind>
class Keys {
  public:
    /// The value users know the new key by.
    int create(typename Kind::Copy copy, typename Kind::Delete remove, void* extra_state) {
        const int value = next_++;
        keys_[value] = std::make_shared<const Key<Kind>>(Key<Kind>{value, copy, remove, extra_state});
        return value;
    }
    /// Null when there is no such key.
    [[nodiscard]] std::shared_ptr<const Key<Kind>> find(int value) const {
        const auto at = keys_.find(value);
        return at == keys_.end() ? nullptr : at->second;
    }
    /// False when there is no such key. One that was freed, but is on an object, may be freed again.
    bool free(int value) {
        const auto at = keys_.find(value);
        if (at == keys_.end()) {
            const auto freed = freed_.find(value);
            return freed != freed_.end() && !freed->second.expired();
        }
        std::erase_if(freed_, [](const auto& freed) { return freed.second.expired(); });
        if (at->second.use_count() > 1) freed_.emplace(value, at->second);
        keys_.erase(at);
        return true;
    }

  private:
    static constexpr int kFirst = 1000;  // behind the predefined keys

    int next_ = kFirst;
    std::unordered_map<int, std::shared_ptr<const Key<Kind>>> keys_;
    std::unordered_map<int, std::weak_ptr<const Key<Kind>>> freed_;  // and on an object at that time
};

/// For a key that was never made, or freed and is on no object.
[[gnu::cold]] int fail_key(const char* function, int keyval, const Comm* comm);
/// For a key whose value users cannot change.
[[gnu::cold]] int fail_predefined_key(const char* function, int keyval, const Comm* comm);
/// For a callback ("copy" or "delete") that returned `code`, which is returned.
[[gnu::cold]] int fail_callback(const char* function, const char* callback, int code, const Comm* comm);

template <class Kind>
int create_key(const char* function, Keys<Kind>& keys, typename Kind::Copy copy, typename Kind::Delete remove,
               int* keyval, void* extra_state) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    *keyval = keys.create(copy, remove, extra_state);
    return MPI_SUCCESS;
}

template <class Kind>
int free_key(const char* function, Keys<Kind>& keys, int* keyval) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    if (!keys.free(*keyval)) return fail_key(function, *keyval, nullptr);
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

template <class Kind>
int get_value(const char* function, const Keys<Kind>& keys, AttributeSet<Kind>& attributes, int keyval,
              void* value, int* flag, const Comm* comm) {
    void** const found = attributes.find(keyval);
    if (found == nullptr && keys.find(keyval) == nullptr) return fail_key(function, keyval, comm);
    *flag = found != nullptr ? 1 : 0;
    if (found != nullptr) *static_cast<void**>(value) = *found;
    return MPI_SUCCESS;
}

template <class Kind>
int set_value(const char* function, const Keys<Kind>& keys, AttributeSet<Kind>& attributes,
              typename Kind::Handle object, int keyval, void* value, const Comm* comm) {
    auto key = keys.find(keyval);
    if (key == nullptr) return fail_key(function, keyval, comm);
    const int code = attributes.set(object, std::move(key), value);
    return code == MPI_SUCCESS ? code : fail_callback(function, "delete", code, comm);
}

template <class Kind>
int delete_value(const char* function, const Keys<Kind>& keys, AttributeSet<Kind>& attributes,
                 typename Kind::Handle object, int keyval, const Comm* comm) {
    if (attributes.find(keyval) == nullptr && keys.find(keyval) == nullptr)
        return fail_key(function, keyval, comm);
    const int code = attributes.remove(object, keyval);
    return code == MPI_SUCCESS ? code : fail_callback(function, "delete", code, comm);
}

}  // namespace rb2::mpi
