#include "launcher/pmix/info_list.hpp"

#include <cstring>

namespace rb2::launcher {

InfoList::~InfoList() {
    for (pmix_info_t& item : items_) {
        if (item.value.type != PMIX_TOPO) {  // borrowed
            PMIX_INFO_DESTRUCT(&item);
        }
    }
}

void InfoList::add(const char* key, const void* value, pmix_data_type_t type) {
    pmix_info_t item;
    PMIX_INFO_CONSTRUCT(&item);
    PMIX_INFO_LOAD(&item, key, value, type);
    items_.push_back(item);
}

void InfoList::add_array(const char* key, InfoList& elements) {
    pmix_data_array_t array;
    array.type = PMIX_INFO;
    array.size = elements.size();
    array.array = elements.data();
    add(key, &array, PMIX_DATA_ARRAY);
}

void InfoList::add_topology(pmix_topology_t* topology) {
    pmix_info_t item;
    PMIX_INFO_CONSTRUCT(&item);
    PMIX_LOAD_KEY(item.key, PMIX_TOPOLOGY2);
    item.value.type = PMIX_TOPO;
    item.value.data.topo = topology;
    items_.push_back(item);
}

}  // namespace rb2::launcher
