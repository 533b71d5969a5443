#include "runtime/bootstrap/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

#include "runtime/bootstrap/environment.hpp"
#include "runtime/bootstrap/member.hpp"

namespace rb2::bootstrap {
namespace {

constexpr const char* kCardKey = "rb2.card";
constexpr const char* kFarCardKey = "rb2.far";

Bytes bytes_of(const Card& card) {
    const auto bytes = std::as_bytes(std::span(&card, 1));
    return {bytes.begin(), bytes.end()};
}

/// Another version's card may have another length; its first fields say which it is, check() tells the user.
Card card_from(const Bytes& bytes, std::uint32_t rank) {
    Card card;
    card.magic = 0;
    std::memcpy(&card, bytes.data(), std::min(bytes.size(), sizeof(Card)));
    if (bytes.size() != sizeof(Card) && card.card_bytes == sizeof(Card))
        throw StartupError(fmt::format("the card of rank {} arrived with {} bytes, {} expected", rank,
                                       bytes.size(), sizeof(Card)));
    return card;
}

}  // namespace

Session::Session(std::unique_ptr<Member> member) noexcept : member_(std::move(member)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Session Session::open() {
    const LauncherTrace trace = find_launcher(environment_variable);
    return Session(trace.any() ? join_pmix_job(trace) : stay_alone());
}

std::uint32_t Session::rank() const noexcept { return member_->facts().rank; }
std::uint32_t Session::size() const noexcept { return member_->facts().size; }
const std::vector<std::uint32_t>& Session::local_ranks() const noexcept {
    return member_->facts().local_ranks;
}
std::uint32_t Session::local_rank() const noexcept { return member_->facts().local_rank; }
std::uint32_t Session::app_number() const noexcept { return member_->facts().app_number; }
const std::string& Session::job_nonce() const noexcept { return member_->facts().nonce; }
bool Session::launched() const noexcept { return member_->facts().launched; }

std::string Session::host_name(std::uint32_t rank) const { return member_->host_name(rank); }

void Session::publish(const Card& mine, Scope scope) {
    const Publication card{kCardKey, bytes_of(mine)};
    publish({&card, 1}, scope);
}

Card Session::card(std::uint32_t rank) { return checked_card(kCardKey, rank); }

void Session::publish_far(const Card& mine, std::vector<Publication> further) {
    further.push_back({kFarCardKey, bytes_of(mine)});
    publish(further);
}

Card Session::far_card(std::uint32_t rank) { return checked_card(kFarCardKey, rank); }

Card Session::checked_card(const char* key, std::uint32_t rank) {
    const Card card = card_from(fetch(key, rank), rank);
    if (const auto problem = check(card, rank)) throw StartupError(*problem);
    return card;
}

std::vector<Card> Session::exchange(const Card& mine) {
    publish(mine);
    fence();
    std::vector<Card> cards;
    for (std::uint32_t rank = 0; rank < size(); ++rank) cards.push_back(card(rank));
    return cards;
}

std::vector<Bytes> Session::exchange(const char* key, std::span<const std::byte> mine) {
    const Publication own{key, Bytes(mine.begin(), mine.end())};
    publish({&own, 1});
    fence();
    std::vector<Bytes> all;
    for (std::uint32_t rank = 0; rank < size(); ++rank) all.push_back(fetch(key, rank));
    return all;
}

void Session::publish(std::span<const Publication> publications, Scope scope) {
    for (const Publication& one : publications) {
        member_->put(one.key, one.bytes, scope);
        traffic_.published_bytes += one.bytes.size();
    }
    member_->commit();
}

Bytes Session::fetch(const char* key, std::uint32_t rank) {
    const auto began = std::chrono::steady_clock::now();
    Bytes bytes = member_->fetch(key, rank);
    traffic_.fetching += std::chrono::steady_clock::now() - began;
    ++traffic_.fetches;
    traffic_.fetched_bytes += bytes.size();
    return bytes;
}

void Session::fence() {
    member_->fence();
    ++traffic_.fences;
}
void Session::begin_fence(std::function<void()> done) {
    ++traffic_.fences;
    member_->begin_fence(std::move(done));
}
bool Session::fence_done() const noexcept { return member_->fence_done(); }
void Session::on_peer_loss(PeerLossHandler handler) { member_->on_peer_loss(std::move(handler)); }
void Session::finalize() noexcept { member_->finalize(); }

void Session::abort(int code, std::string_view text, std::chrono::milliseconds patience) noexcept {
    const int exit_code = code == 0 ? 1 : code;
    std::fflush(stdout);
    // Other launchers do not show the text they are given.
    if (environment_variable("RB2_LAUNCHER") != "rb2run") {
        const std::string line = fmt::format("rb2: rank {}: abort({}): {}\n", rank(), code, text);
        [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
        std::this_thread::sleep_for(patience);
    }
    member_->request_abort(exit_code, std::string(text));
    ::_exit(exit_code);
}

}  // namespace rb2::bootstrap
