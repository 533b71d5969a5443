#pragma once
// What the datatype constructors share: checks of arguments, in the order of the call, the record of the call
// for MPI_Type_get_contents, and the result's way out.

#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "mpi/datatype/type.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {

/// Whether a constructor was called in its large-count form: then all its numbers are counts.
enum class Form : std::uint8_t { small, large };

/// One call: the first error found in its arguments (reported already), and what it was called with.
class Construction {
  public:
    Construction(const char* function, int combiner, Form form)
        : function_(function), form_(form), error_(require_running(function)) {
        contents_.combiner = combiner;
    }

    [[nodiscard]] bool good() const noexcept { return error_ == MPI_SUCCESS; }

    void refuse(int error_class, const std::string& what) {
        if (good()) error_ = fail(error_class, function_, what);
    }
    /// A count or block length; also records it.
    std::uint64_t count(const char* what, MPI_Count value) {
        if (value < 0) refuse(MPI_ERR_COUNT, fmt::format("the {} is {}", what, value));
        number(value);
        return good() ? static_cast<std::uint64_t>(value) : 0;
    }
    /// Records a displacement or stride in elements, a size, or another number.
    void number(MPI_Count value) {
        if (form_ == Form::large)
            contents_.counts.push_back(value);
        else
            integers({static_cast<int>(value)});
    }
    void address(MPI_Count value) {
        if (form_ == Form::large)
            contents_.counts.push_back(value);
        else
            contents_.addresses.push_back(value);
    }
    /// Records what is an int in both forms.
    void integers(std::initializer_list<int> values) {
        contents_.integers.insert(contents_.integers.end(), values);
    }
    void check_array(const char* what, const void* array, std::uint64_t count) {
        if (array == nullptr && count > 0)
            refuse(MPI_ERR_ARG, fmt::format("the array of {} is a null pointer", what));
    }
    /// A part's map; also records the handle. Never null while good().
    datatype::TypeMapPtr part(MPI_Datatype handle) {
        datatype::TypeMapPtr map = shared_map_of(handle);
        if (map == nullptr) refuse(MPI_ERR_TYPE, unknown_datatype(handle));
        contents_.datatypes.push_back(handle);
        return map;
    }

    /// Sets `newtype` to a handle for what `make()` describes. Returns the error class.
    template <class Make>
    int finish(MPI_Datatype* newtype, Make make) {
        *newtype = MPI_DATATYPE_NULL;
        if (!good()) return error_;
        try {
            *newtype = make_type(make(), std::move(contents_));
        } catch (const std::overflow_error& error) {
            refuse(MPI_ERR_ARG, error.what());
        } catch (const std::bad_alloc&) {
            refuse(MPI_ERR_NO_MEM, "no memory for the description of the datatype");
        }
        return error_;
    }

  private:
    const char* function_;
    Form form_;
    int error_;
    Contents contents_;
};

}  // namespace rb2::mpi
