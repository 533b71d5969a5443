#pragma once
// The two directions of a message: cut into records, filled and checked by an application, with or without a
// copy of its own at each side.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "osu-style-bench/ring/link.hpp"
#include "osu-style-bench/ring/shape.hpp"

namespace rb2::bench::study {

/// Thrown as std::runtime_error when what arrived is not what was sent.
[[noreturn]] void throw_wrong(std::uint64_t record);

/// Messages of one size on their way out. `Fill`: called with (room, number of the record).
template <LinkEnd End, class Fill>
class Outgoing {
  public:
    /// `end` and what `fill` refers to outlive this.
    Outgoing(End& end, std::size_t bytes, bool copies, Fill fill)
        : end_(end), cut_(bytes, end.most_bytes()), built_(copies ? cut_.size_of(0) : 0), fill_(fill) {}

    /// Sends the next record if there is room.
    bool advance() {
        const std::uint32_t size = cut_.size_of(record_);
        const std::span<std::byte> room = end_.claim(size);
        if (room.empty()) return false;
        if (built_.empty()) {
            fill_(room, number_);
        } else {
            fill_(std::span(built_).first(size), number_);
            std::memcpy(room.data(), built_.data(), size);
        }
        end_.commit(size);
        ++number_;
        if (++record_ == cut_.records()) {
            record_ = 0;
            ++messages_;
        }
        return true;
    }

    [[nodiscard]] std::uint64_t messages() const noexcept { return messages_; }  ///< sent as a whole
    [[nodiscard]] bool is_between() const noexcept { return record_ == 0; }      ///< two messages

  private:
    End& end_;
    Cut cut_;
    std::vector<std::byte> built_;  ///< where records are built if they are copied
    Fill fill_;
    std::uint64_t number_ = 0;
    std::uint64_t record_ = 0;  ///< of the message
    std::uint64_t messages_ = 0;
};

/// Messages of one size on their way in. `Judge`: called with (record, its number), says whether it is right.
template <LinkEnd End, class Judge>
class Incoming {
  public:
    /// `most_bytes`: of a record, which is what the peer's end says.
    Incoming(End& end, std::size_t bytes, std::size_t most_bytes, bool copies, Judge judge)
        : end_(end), cut_(bytes, most_bytes), copy_(copies ? cut_.size_of(0) : 0), judge_(judge) {}

    /// Takes what is there; calls whole() after each message. Returns whether anything came.
    template <class Whole>
    bool advance(Whole&& whole) {
        bool right = true;
        const std::uint64_t count = end_.receive([&](std::span<const std::byte> record) {
            right = accept(record);
            if (++record_ == cut_.records()) {
                record_ = 0;
                ++messages_;
                whole();
            }
            return right;
        });
        if (!right) throw_wrong(number_ - 1);
        return count != 0;
    }

    [[nodiscard]] std::uint64_t messages() const noexcept { return messages_; }  ///< arrived as a whole

  private:
    [[nodiscard]] bool accept(std::span<const std::byte> record) {
        const std::uint64_t number = number_++;
        if (record.size() != cut_.size_of(record_)) return false;
        if (copy_.empty()) return judge_(record, number);
        std::memcpy(copy_.data(), record.data(), record.size());
        return judge_(std::span<const std::byte>(copy_).first(record.size()), number);
    }

    End& end_;
    Cut cut_;
    std::vector<std::byte> copy_;  ///< where records are copied to before they are looked at
    Judge judge_;
    std::uint64_t number_ = 0;
    std::uint64_t record_ = 0;  ///< of the message
    std::uint64_t messages_ = 0;
};

}  // namespace rb2::bench::study
