#include "runtime/network/hello.hpp"

#include <nettle/hmac.h>

#include <string_view>

namespace rb2::network {
namespace {

constexpr std::string_view kUse = "rb2 first contact over verbs";

const std::uint8_t* octets(const void* bytes) noexcept { return static_cast<const std::uint8_t*>(bytes); }

}  // namespace

JobKeys::JobKeys(const std::array<std::byte, 32>& secret) noexcept {
    hmac_sha256_ctx context;
    std::array<std::uint8_t, sizeof job + sizeof datagrams> digest;
    hmac_sha256_set_key(&context, secret.size(), octets(secret.data()));
    hmac_sha256_update(&context, kUse.size(), octets(kUse.data()));
    hmac_sha256_digest(&context, digest.size(), digest.data());
    std::memcpy(&job, digest.data(), sizeof job);
    std::memcpy(&datagrams, digest.data() + sizeof job, sizeof datagrams);
}

}  // namespace rb2::network
