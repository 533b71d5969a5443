#pragma once
// Measured curves are kept per host, device and kernel in the user's cache directory.
//
// One file for each host and device, replaced by rename: readers see the old or the new one. A file that is
// damaged, of another format version, or of another kernel, processor or device firmware is as good as none:
// measure again.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/memory/critical_size/curves.hpp"

namespace rb2::memory::critical_size {

/// What curves are true for.
struct Subject {
    std::string host;
    std::string kernel;     ///< release and version
    std::string processor;  ///< model
    std::string device;     ///< name and what tells its firmware; "mlock" where there is none

    friend bool operator==(const Subject&, const Subject&) = default;
};

/// What Subject::device of an RDMA device is.
[[nodiscard]] std::string device_identity(std::string_view name, std::string_view firmware);

/// This host, with the device named.
[[nodiscard]] Subject this_host(std::string device);

/// $XDG_CACHE_HOME/rb2, else $HOME/.cache/rb2; empty when neither variable is set to an absolute path.
[[nodiscard]] std::filesystem::path cache_directory();

/// The file in `directory` for `subject`. Host and device are part of its name: home directories are shared
/// by hosts.
[[nodiscard]] std::filesystem::path file_of(const std::filesystem::path& directory, const Subject& subject);

/// The curves kept for exactly `subject`.
[[nodiscard]] std::optional<Curves> load(const std::filesystem::path& directory, const Subject& subject);

/// Keeps them; false when that cannot be done, which costs a measurement next time and nothing else.
bool save(const std::filesystem::path& directory, const Subject& subject, const Curves& curves) noexcept;

}  // namespace rb2::memory::critical_size
