#include "runtime/state/view_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace rb2::state {
namespace {

constexpr std::string_view kMark = "rb2-rank-seen-1 ";
constexpr char kZeros = 'z';  // "z12," stands for 12 zero bytes: most peers are silent
constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::uint64_t kMostBytes = 1U << 28;

class Writer {
  public:
    template <class T>
    void operator()(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto* const first = reinterpret_cast<const char*>(&value);
        bytes_.append(first, sizeof value);
    }
    template <class T>
    void operator()(const std::vector<T>& values) {
        (*this)(static_cast<std::uint64_t>(values.size()));
        for (const T& value : values) (*this)(value);
    }

    [[nodiscard]] std::string text() const {
        std::string text;
        for (std::size_t at = 0; at < bytes_.size();) {
            const std::size_t some = std::min(bytes_.find_first_not_of('\0', at), bytes_.size());
            if (some > at) text += kZeros + std::to_string(some - at) + ',';
            for (at = some; at < bytes_.size() && bytes_[at] != '\0'; ++at) {
                const auto byte = static_cast<unsigned char>(bytes_[at]);
                text += {kDigits[byte / 16U], kDigits[byte % 16U]};
            }
        }
        return text;
    }

  private:
    std::string bytes_;
};

/// After an error nothing more is read.
class Reader {
  public:
    explicit Reader(std::string_view text) { good_ = decode(text); }

    template <class T>
    void operator()(T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        good_ = good_ && bytes_.size() - at_ >= sizeof value;
        if (!good_) return;
        std::memcpy(static_cast<void*>(&value), bytes_.data() + at_, sizeof value);
        at_ += sizeof value;
    }
    template <class T>
    void operator()(std::vector<T>& values) {
        std::uint64_t count = 0;
        (*this)(count);
        good_ = good_ && count <= (bytes_.size() - at_) / sizeof(T);
        if (good_) values.resize(count);
        for (T& value : values) (*this)(value);
    }
    /// All was there, and nothing else.
    [[nodiscard]] bool done() const noexcept { return good_ && at_ == bytes_.size(); }

  private:
    bool decode(std::string_view text) {
        while (!text.empty()) {
            if (text.front() == kZeros ? !zeros(text) : !byte(text)) return false;
        }
        return true;
    }
    bool zeros(std::string_view& text) {
        std::uint64_t count = 0;
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + 1, end, count);
        if (error != std::errc() || stop == end || *stop != ',' || count > kMostBytes) return false;
        bytes_.append(count, '\0');
        text.remove_prefix(static_cast<std::size_t>(stop + 1 - text.data()));
        return bytes_.size() <= kMostBytes;
    }
    bool byte(std::string_view& text) {
        if (text.size() < 2) return false;
        const std::size_t high = kDigits.find(text[0]);
        const std::size_t low = kDigits.find(text[1]);
        if (high == std::string_view::npos || low == std::string_view::npos) return false;
        bytes_ += static_cast<char>(16 * high + low);
        text.remove_prefix(2);
        return true;
    }

    std::string bytes_;
    std::size_t at_ = 0;
    bool good_ = false;
};

/// All that there is to say about a rank, in one order for both ways.
template <class Io, class Seen>
void each_part(Io& io, Seen& seen) {
    auto& view = seen.view;
    io(seen.look);
    io(seen.rank);
    io(seen.told_ns);
    io(view.phase);
    io(view.pid);
    io(view.process);
    io(view.taken_ns);
    io(view.asleep);
    io(view.answered);
    io(view.awake_ns);
    io(view.standing);
    io(view.collectives);
    io(view.traffic);
    io(view.fabrics);
    io(view.started_ns);
    io(view.ended_ns);
    io(view.totals);
}

/// `by` may have wrapped: so does the sum.
void shift(RankView& view, std::uint64_t by) {
    for (std::uint64_t* time :
         {&view.taken_ns, &view.awake_ns, &view.started_ns, &view.ended_ns, &view.standing.since_ns})
        if (*time != 0) *time += by;
}

/// What is used as a size or a number of a rank, and texts.
bool sound(const SeenRank& seen) {
    const Standing& standing = seen.view.standing;
    bool good = seen.rank >= 0 && static_cast<std::size_t>(seen.rank) < seen.view.traffic.size() &&
                seen.view.fabrics.size() == seen.view.traffic.size();
    for (const Standing::List* list : {&standing.posted, &standing.unexpected, &standing.sends})
        good = good && list->listed <= Standing::kListed;
    for (const Wait& wait : standing.waits) good = good && wait.collective[Wait::kNameBytes - 1] == '\0';
    return good;
}

}  // namespace

std::string to_line(const SeenRank& seen) {
    Writer writer;
    each_part(writer, seen);
    return std::string(kMark) + writer.text();
}

std::optional<SeenRank> from_line(std::string_view line, std::uint64_t now_ns) {
    const std::size_t mark = line.find(kMark);
    if (mark == std::string_view::npos) return std::nullopt;
    line.remove_prefix(mark + kMark.size());
    Reader reader(line.substr(0, line.find_first_of(" \r\n")));
    SeenRank seen;
    each_part(reader, seen);
    if (!reader.done() || !sound(seen)) return std::nullopt;
    seen.view.has_page = true;
    shift(seen.view, now_ns - seen.told_ns);
    return seen;
}

}  // namespace rb2::state
