#pragma once
// Turns the byte stream of one rank into pieces that end at line ends.

#include <string>
#include <string_view>

namespace rb2::launcher {

/// Holds back an unfinished line until its end arrives, so that lines of different ranks never mix. With a
/// tag, every line starts with it.
class LineAssembler {
  public:
    /// A line longer than this is passed on in pieces: memory stays bounded whatever a rank writes.
    static constexpr std::size_t kMaxHeldBytes = std::size_t{1} << 20;

    /// Text of the present time, to stand before a line.
    using Clock = std::string (*)();

    /// With `clock`, the time stands before the tag: that of arrival, so lines read together have the same.
    explicit LineAssembler(std::string tag = {}, Clock clock = nullptr)
        : tag_(std::move(tag)), clock_(clock) {}

    /// Takes bytes as read; returns the complete lines now available (may be empty).
    [[nodiscard]] std::string push(std::string_view bytes);

    /// What is held back, without an added newline; at end of file.
    [[nodiscard]] std::string flush();

    [[nodiscard]] bool holds_partial_line() const { return !held_.empty(); }

  private:
    void append_tagged(std::string& out, std::string_view text);

    std::string tag_;
    Clock clock_;
    std::string held_;       // no newline in it
    bool mid_line_ = false;  // the last piece passed on did not end a line
};

}  // namespace rb2::launcher
