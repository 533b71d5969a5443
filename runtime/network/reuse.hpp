#pragma once
// Which buffers are used again and again: those that had better be registered although a message of that size
// alone would be copied. A buffer has earned it once as much has been copied of it as registering is worth;
// that costs at most twice of what knowing the future would ("ski rental": Karlin, Manasse, Rudolph, Sleator,
// Competitive Snoopy Caching, Algorithmica 3, 1988).

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace rb2::network {

/// Of the buffers used lately: what has been copied of each.
class Reuse {
  public:
    /// Whether one more copy would make it `worth` bytes.
    [[nodiscard]] bool earned(std::span<const std::byte> buffer, std::uint64_t worth) const noexcept {
        const Entry& entry = entries_[place(buffer)];
        const std::uint64_t copied = entry.is(buffer) ? entry.copied : 0;
        return copied + buffer.size() >= worth;
    }
    /// Another copy.
    void copied(std::span<const std::byte> buffer) noexcept {
        Entry& entry = entries_[place(buffer)];
        if (!entry.is(buffer)) entry = {buffer.data(), buffer.size()};
        entry.copied += buffer.size();
    }
    /// It has just been registered. If not for the first time, what lies there is mapped anew now and then:
    /// it has to earn that again.
    void registered(std::span<const std::byte> buffer) noexcept {
        Entry& entry = entries_[place(buffer)];
        if (entry.is(buffer) && std::exchange(entry.known, true)) entry = {buffer.data(), buffer.size()};
    }

  private:
    static constexpr std::size_t kEntries = 64;
    struct Entry {
        const std::byte* data = nullptr;
        std::uint64_t bytes = 0;
        std::uint64_t copied = 0;
        bool known = false;  ///< has been registered since it earned that

        [[nodiscard]] bool is(std::span<const std::byte> buffer) const noexcept {
            return data == buffer.data() && bytes == buffer.size();
        }
    };

    static std::size_t place(std::span<const std::byte> buffer) noexcept {
        const auto mixed = (reinterpret_cast<std::uintptr_t>(buffer.data()) >> 4) + buffer.size();
        return (mixed * 0x9e37'79b9'7f4a'7c15ULL) >> 58;
    }

    std::array<Entry, kEntries> entries_{};
};

}  // namespace rb2::network
