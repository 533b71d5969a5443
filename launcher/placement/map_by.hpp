#pragma once
// Where ranks go, as --map-by and --bind-to say it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rb2::launcher {

/// What each rank is bound to.
enum class BindTo : std::uint8_t { none, hwthread, core, numa, package };

/// What ranks are dealt to.
enum class MapUnit : std::uint8_t { slot, hwthread, core, numa, package, node };

/// The value of --map-by.
struct MapBy {
    MapUnit unit = MapUnit::slot;
    int per_unit = 0;       ///< ranks on each unit before the next (ppr:N:UNIT); 0: one to each in turn
    int cpus_per_rank = 0;  ///< cores or hardware threads of each rank (PE=N); 0: not said
};

/// Parses "UNIT", "ppr:N:UNIT", either with ":PE=N" or ":oversubscribe" (which has no effect) behind it, in
/// any letter case; socket is another name of package. Throws std::invalid_argument saying what is wrong.
[[nodiscard]] MapBy parse_map_by(std::string_view text);

/// The same as text that parse_map_by() takes, with `package` for that unit's name.
[[nodiscard]] std::string to_text(const MapBy& map, const char* package = "package");

/// The names that --bind-to and --map-by take.
[[nodiscard]] const char* name_of(BindTo bind_to);
[[nodiscard]] const char* name_of(MapUnit unit);

/// What ranks are bound to: `wanted`, or, if that is not said, the cores that PE=N counts, or what they are
/// dealt to; slot and node bind nobody. Throws std::invalid_argument if PE=N goes with anything but cores or
/// hardware threads.
[[nodiscard]] BindTo binding_for(const MapBy& map, std::optional<BindTo> wanted);

}  // namespace rb2::launcher
