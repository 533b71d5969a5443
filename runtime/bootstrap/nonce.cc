#include "runtime/bootstrap/nonce.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/status.hpp"

namespace rb2::bootstrap {
namespace {

constexpr std::size_t kNonceDigits = 32;
constexpr std::size_t kDigitsInNamespace = 8;

bool is_lower_hex(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

std::string random_nonce() {
    std::array<std::uint8_t, kNonceDigits / 2> bytes{};
    // Up to 256 bytes come whole or not at all.
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw StartupError("the kernel gives no random numbers (getrandom)");
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}

bool is_nonce(std::string_view text) noexcept {
    return text.size() == kNonceDigits && std::all_of(text.begin(), text.end(), is_lower_hex);
}

std::string choose_nonce(const EnvironmentLookup& lookup, std::string_view pmix_namespace) {
    std::string given = lookup("RB2_JOB_NONCE").value_or("");
    const std::string head = given.substr(0, kDigitsInNamespace);
    if (head.empty() || pmix_namespace.find(head) == std::string_view::npos) return random_nonce();
    if (!is_nonce(given))
        throw StartupError(
            fmt::format("RB2_JOB_NONCE='{}' is not {} lower-case hexadecimal digits; rb2run sets it, "
                        "do not change it",
                        given, kNonceDigits));
    return given;
}

}  // namespace rb2::bootstrap
