#include "runtime/topology/cgroup.hpp"

#include <system_error>

namespace rb2::topology {
namespace {

namespace fs = std::filesystem;

/// Cuts `text` at the first `mark`, returns what was before it.
std::string_view take(std::string_view& text, char mark) {
    const std::size_t at = text.find(mark);
    const std::string_view head = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    return head;
}

bool list_has(std::string_view list, std::string_view wanted) {
    while (!list.empty())
        if (take(list, ',') == wanted) return true;
    return false;
}

void append_with_ancestors(std::vector<fs::path>& directories, const fs::path& mount,
                           std::string_view group) {
    fs::path relative = fs::path(group).relative_path();
    for (; !relative.empty(); relative = relative.parent_path()) directories.push_back(mount / relative);
    directories.push_back(mount);
}

}  // namespace

std::vector<fs::path> cgroup_directories(std::string_view proc_self_cgroup, const fs::path& root,
                                         std::string_view controller) {
    std::vector<fs::path> directories;
    while (!proc_self_cgroup.empty()) {
        // hierarchy-number:controllers:path, where v2 is "0::path"
        std::string_view group = take(proc_self_cgroup, '\n');
        const bool is_v2 = take(group, ':') == "0";
        const std::string_view controllers = take(group, ':');
        std::error_code error;
        if (is_v2)
            append_with_ancestors(directories, fs::exists(root / "unified", error) ? root / "unified" : root,
                                  group);
        else if (list_has(controllers, controller))
            append_with_ancestors(directories, root / controller, group);
    }
    return directories;
}

}  // namespace rb2::topology
