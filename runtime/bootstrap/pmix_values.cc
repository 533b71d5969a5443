#include "runtime/bootstrap/pmix_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>

namespace rb2::bootstrap {
namespace {

struct ReleaseValue {
    void operator()(pmix_value_t* value) const noexcept { PMIX_VALUE_RELEASE(value); }
};
using Value = std::unique_ptr<pmix_value_t, ReleaseValue>;

/// Without `patience` for what the launcher itself tells, which it does at once.
Value get(const pmix_proc_t& process, const char* key, pmix_status_t& status,
          std::chrono::seconds patience = {}) {
    const auto seconds = static_cast<int>(patience.count());
    pmix_info_t limit;
    PMIX_INFO_CONSTRUCT(&limit);
    PMIX_INFO_LOAD(&limit, PMIX_TIMEOUT, &seconds, PMIX_INT);
    pmix_value_t* value = nullptr;
    status = PMIx_Get(&process, key, &limit, seconds == 0 ? 0 : 1, &value);
    PMIX_INFO_DESTRUCT(&limit);
    return Value(status == PMIX_SUCCESS ? value : nullptr);
}

}  // namespace

std::string status_text(pmix_status_t status) {
    return fmt::format("{} ({})", PMIx_Error_string(status), status);
}

std::string own_pmix_version() {
    // "OpenPMIx 4.2.2rc2 (PMIx Standard: ...)": the first word that starts with a digit.
    std::istringstream words{std::string(PMIx_Get_version())};
    for (std::string word; words >> word;)
        if (word.front() >= '0' && word.front() <= '9') return word.substr(0, word.find(','));
    return PMIx_Get_version();
}

pmix_proc_t process_name(const char* nspace, pmix_rank_t rank) {
    pmix_proc_t name;
    PMIX_LOAD_PROCID(&name, nspace, rank);
    return name;
}

std::optional<std::uint32_t> get_number(const pmix_proc_t& process, const char* key) {
    pmix_status_t status = PMIX_SUCCESS;
    const Value value = get(process, key, status);
    if (!value) return std::nullopt;
    std::uint32_t number = 0;
    PMIX_VALUE_GET_NUMBER(status, value.get(), number, std::uint32_t);
    return status == PMIX_SUCCESS ? std::optional(number) : std::nullopt;
}

std::optional<std::string> get_string(const pmix_proc_t& process, const char* key) {
    pmix_status_t status = PMIX_SUCCESS;
    const Value value = get(process, key, status);
    if (!value || value->type != PMIX_STRING || value->data.string == nullptr) return std::nullopt;
    return value->data.string;
}

std::optional<std::vector<std::byte>> get_bytes(const pmix_proc_t& process, const char* key,
                                                std::chrono::seconds patience, pmix_status_t& status) {
    const Value value = get(process, key, status, patience);
    if (!value) return std::nullopt;
    if (value->type != PMIX_BYTE_OBJECT) {
        status = PMIX_ERR_TYPE_MISMATCH;
        return std::nullopt;
    }
    const auto* first = reinterpret_cast<const std::byte*>(value->data.bo.bytes);
    return std::vector<std::byte>(first, first + value->data.bo.size);
}

pmix_status_t put_bytes(const char* key, std::span<const std::byte> bytes, pmix_scope_t scope) {
    std::vector<char> copy(bytes.size());  // PMIx takes a pointer to non-const
    std::transform(bytes.begin(), bytes.end(), copy.begin(),
                   [](std::byte byte) { return std::to_integer<char>(byte); });
    pmix_value_t value;
    PMIX_VALUE_CONSTRUCT(&value);
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = copy.data();
    value.data.bo.size = copy.size();
    return PMIx_Put(scope, key, &value);
}

pmix_status_t fence_all(const char* nspace) {
    const pmix_proc_t everybody = process_name(nspace, PMIX_RANK_WILDCARD);
    bool collect = true;
    pmix_info_t info;
    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    const pmix_status_t status = PMIx_Fence(&everybody, 1, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
    return status;
}

}  // namespace rb2::bootstrap
