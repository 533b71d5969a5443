#pragma once
// The ranks of one job on this host for another program: what rb2run asks of each host.

#include <string>

namespace rb2::jobstat {

/// Two looks at the ranks whose pages have that prefix, a quarter of a second apart, or longer where ranks
/// are slow to answer; as lines of state::to_line().
[[nodiscard]] std::string look_twice(const std::string& page_prefix);

/// One look, after the job's end; and removes the pages.
[[nodiscard]] std::string last_look(const std::string& page_prefix);

}  // namespace rb2::jobstat
