#pragma once
// A list of pmix_info_t that frees itself.

#include <pmix.h>
#include <pmix_server.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rb2::launcher {

/// Key/value pairs for PMIx calls; values are copied in. The element types matter to PMIx, hence one
/// function per type.
class InfoList {
  public:
    InfoList() = default;
    InfoList(const InfoList&) = delete;
    InfoList& operator=(const InfoList&) = delete;
    InfoList(InfoList&&) = default;
    InfoList& operator=(InfoList&&) = delete;
    ~InfoList();

    void add_string(const char* key, const std::string& value) { add(key, value.c_str(), PMIX_STRING); }
    void add_regex(const char* key, const char* value) { add(key, value, PMIX_REGEX); }
    void add_uint16(const char* key, std::uint16_t value) { add(key, &value, PMIX_UINT16); }
    void add_uint32(const char* key, std::uint32_t value) { add(key, &value, PMIX_UINT32); }
    void add_rank(const char* key, pmix_rank_t value) { add(key, &value, PMIX_PROC_RANK); }
    void add_bool(const char* key, bool value) { add(key, &value, PMIX_BOOL); }
    void add_array(const char* key, InfoList& elements);
    /// Borrows `topology`, which must outlive the PMIx server: PMIx keeps the pointer.
    void add_topology(pmix_topology_t* topology);

    [[nodiscard]] pmix_info_t* data() { return items_.data(); }
    [[nodiscard]] std::size_t size() const { return items_.size(); }

  private:
    void add(const char* key, const void* value, pmix_data_type_t type);

    std::vector<pmix_info_t> items_;
};

}  // namespace rb2::launcher
