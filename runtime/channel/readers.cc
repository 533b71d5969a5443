#include "runtime/channel/readers.hpp"

#include <fmt/format.h>

namespace rb2::channel {

void Readers::attach(std::uint64_t* read, std::uint64_t sent) {
    if (count_ == kMost) {
        throw StartupError(
            fmt::format("channel: {} receivers read from one memory, and no more can; use a second", kMost));
    }
    // A receiver counts from 0 and gets everything: it must be there before the first message.
    if (sent != 0) {
        throw StartupError(fmt::format(
            "channel: a receiver was attached after {} messages; attach all before the first", sent));
    }
    words_[count_++] = read;
}

}  // namespace rb2::channel
