#include "runtime/bootstrap/card.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "runtime/status.hpp"
#include "runtime/topology/cpu_set.hpp"
#include "runtime/topology/usable_cpus.hpp"

namespace rb2::bootstrap {
namespace {

template <std::size_t N>
std::string to_string(const std::array<char, N>& text) {
    return {text.begin(), std::find(text.begin(), text.end(), '\0')};
}

/// Never blocks for long: the kernel's pool is filled at boot.
Secret random_secret() {
    Secret secret;
    if (::getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size()))
        throw StartupError(fmt::format("no random numbers from the kernel: {}", std::strerror(errno)));
    return secret;
}

}  // namespace

Card make_card(std::uint32_t rank) {
    Card card;
    card.card_bytes = sizeof(Card);
    card.rank = rank;
    card.pid = ::getpid();
    card.uid = ::geteuid();
    card.placement = topology::this_placement();
    card.first_cpu = static_cast<std::uint16_t>(topology::CpuSet::of_this_thread().first());
    card.cpu_quota = static_cast<std::uint16_t>(std::ceil(topology::this_quota().value_or(0)));
    card.host = this_host();
    card.secret = random_secret();
    return card;
}

void set_segment_name(Card& card, std::string_view name) {
    if (name.size() >= card.segment_name.size())
        throw StartupError(fmt::format("segment name '{}' has {} characters, a card holds {}", name,
                                       name.size(), card.segment_name.size() - 1));
    card.segment_name.fill('\0');
    std::copy(name.begin(), name.end(), card.segment_name.begin());
}

std::string segment_name(const Card& card) { return to_string(card.segment_name); }
std::string host_name(const Card& card) { return to_string(card.host.host_name); }

std::optional<std::string> check(const Card& card, std::uint32_t expected_rank) {
    if (card.magic != Card::kMagic)
        return fmt::format(
            "rank {} published something that is not an rb2 card (it starts with {:#018x}): "
            "is it linked with rb2, on the same architecture?",
            expected_rank, card.magic);
    if (card.version != Card::kVersion || card.card_bytes != sizeof(Card))
        return fmt::format(
            "rank {} uses card version {} of {} bytes, this rank version {} of {} bytes: "
            "all ranks must use the same rb2; check LD_LIBRARY_PATH on both hosts",
            expected_rank, card.version, card.card_bytes, Card::kVersion, sizeof(Card));
    if (card.rank != expected_rank)
        return fmt::format("the card received for rank {} says it is rank {}'s: two jobs got mixed up",
                           expected_rank, card.rank);
    return std::nullopt;
}

bool shares_memory(const Card& a, const Card& b) noexcept {
    return a.node == b.node && same_shared_memory(a.host, b.host);
}

topology::Locality locality(const Card& a, const Card& b) noexcept {
    if (a.rank == b.rank) return topology::Locality::self;
    if (!shares_memory(a, b)) return topology::Locality::remote;
    return topology::locality(a.placement, b.placement);
}

bool crowded(std::span<const Card> cards) {
    if (cards.empty()) return false;
    const Card& first = cards.front();
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint32_t> ranks_of;
    for (const Card& card : cards) {
        if (card.host.boot_id != first.host.boot_id) return false;
        ++ranks_of[{card.first_cpu, card.placement.cpu_count}];
    }
    if (first.cpu_quota != 0 && cards.size() > first.cpu_quota) return true;
    return std::any_of(ranks_of.begin(), ranks_of.end(), [](const auto& cpus_and_ranks) {
        return cpus_and_ranks.second > cpus_and_ranks.first.second;
    });
}

}  // namespace rb2::bootstrap
