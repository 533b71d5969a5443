#include "launcher/stdio/line_assembler.hpp"

#include <utility>

namespace rb2::launcher {

std::string LineAssembler::push(std::string_view bytes) {
    const std::size_t last_newline = bytes.rfind('\n');
    std::string out;
    if (last_newline != std::string_view::npos) {
        append_tagged(out, std::exchange(held_, {}));
        append_tagged(out, bytes.substr(0, last_newline + 1));
        bytes.remove_prefix(last_newline + 1);
    }
    held_ += bytes;
    if (held_.size() > kMaxHeldBytes) {
        out += flush();
    }
    return out;
}

std::string LineAssembler::flush() {
    std::string out;
    append_tagged(out, std::exchange(held_, {}));
    return out;
}

void LineAssembler::append_tagged(std::string& out, std::string_view text) {
    const std::string prefix = (clock_ != nullptr && !text.empty() ? clock_() : std::string()) + tag_;
    if (prefix.empty()) {
        out += text;
        return;
    }
    while (!text.empty()) {
        if (!mid_line_) {
            out += prefix;
        }
        const std::size_t newline = text.find('\n');
        const std::size_t length = newline == std::string_view::npos ? text.size() : newline + 1;
        out += text.substr(0, length);
        mid_line_ = newline == std::string_view::npos;
        text.remove_prefix(length);
    }
}

}  // namespace rb2::launcher
