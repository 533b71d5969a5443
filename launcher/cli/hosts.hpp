#pragma once
// The hosts of a job, as --host and --hostfile name them.

#include <string>
#include <string_view>
#include <vector>

namespace rb2::launcher {

/// One host.
struct HostSpec {
    std::string name;
    int slots = 0;  ///< ranks it takes before the next host is filled; 0: not said
};

/// "a:2,b" of --host. A host named more than once has the sum of its slots, one for a mention without a
/// number. Throws std::invalid_argument saying what is wrong.
[[nodiscard]] std::vector<HostSpec> parse_host_list(std::string_view text);

/// The text of a host file: one host a line as "name", "name slots=n" or "name:n"; "#" begins a comment.
/// Throws std::invalid_argument with the line's number; also when no host is named.
[[nodiscard]] std::vector<HostSpec> parse_host_file(std::string_view text);

/// Reads `path`. Throws std::invalid_argument naming the file.
[[nodiscard]] std::vector<HostSpec> read_host_file(const std::string& path);

}  // namespace rb2::launcher
