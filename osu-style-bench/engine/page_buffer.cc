#include "osu-style-bench/engine/page_buffer.hpp"

#include <algorithm>
#include <cstring>

namespace rb2::bench {

PageBuffer::PageBuffer(std::size_t bytes) {
    const std::size_t pages = std::max<std::size_t>(1, (bytes + kPageBytes - 1) / kPageBytes);
    const std::size_t length = pages * kPageBytes;
    memory_.reset(static_cast<std::byte*>(::operator new (length, std::align_val_t{kPageBytes})));
    std::memset(memory_.get(), 0x5A, length);
}

}  // namespace rb2::bench
