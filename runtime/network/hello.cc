#include "runtime/network/hello.hpp"

#include <nettle/hmac.h>

#include <algorithm>
#include <string_view>

namespace rb2::network {
namespace {

constexpr std::string_view kUse = "rb2 first contact over verbs";

const std::uint8_t* octets(const void* bytes) noexcept { return static_cast<const std::uint8_t*>(bytes); }

}  // namespace

LineCard Hello::card() const {
    return {.address = mailbox.address,
            .further = {further.begin(), further.begin() + further_count},
            .memory = memory,
            .pairs = {pairs.begin(), pairs.begin() + pair_count}};
}

void Hello::set_card(const LineCard& card) {
    memory = card.memory;
    pair_count = static_cast<std::uint32_t>(card.pairs.size());
    std::ranges::copy(card.pairs, pairs.begin());
    further_count = static_cast<std::uint32_t>(card.further.size());
    std::ranges::copy(card.further, further.begin());
}

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
