#include "runtime/fabric/fake/endpoint.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace rb2::fabric::fake {

static_assert(TwoSidedEndpoint<Endpoint> && TwoSidedEndpoint<OrderedEndpoint> &&
              TwoSidedEndpoint<UnorderedEndpoint>);

namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

std::size_t total_bytes(std::span<const Source> sources) {
    std::size_t bytes = 0;
    for (const Source& source : sources) bytes += source.bytes;
    return bytes;
}

std::vector<std::byte> gathered(std::span<const Source> sources) {
    std::vector<std::byte> bytes;
    bytes.reserve(total_bytes(sources));
    for (const Source& source : sources) bytes.insert(bytes.end(), source.data, source.data + source.bytes);
    return bytes;
}

bool word_aligned(std::uint64_t address) { return address % kWordBytes == 0; }

}  // namespace

Region::Region(Region&& other) noexcept
    : endpoint_(std::exchange(other.endpoint_, nullptr)), bytes_(other.bytes_), key_(other.key_) {}

Region& Region::operator=(Region&& other) noexcept {
    std::swap(endpoint_, other.endpoint_);
    std::swap(bytes_, other.bytes_);
    std::swap(key_, other.key_);
    return *this;
}

Region::~Region() {
    if (endpoint_ != nullptr) endpoint_->regions_.erase(key_);
}

Remote Region::remote() const noexcept { return {reinterpret_cast<std::uintptr_t>(bytes_.data()), key_}; }

Region Endpoint::register_memory(std::span<std::byte> memory) {
    if (memory.empty()) {
        throw StartupError("fake fabric: an empty range cannot be registered; register at least one byte");
    }
    const Key key = ++*last_key_;
    regions_.emplace(key, memory);
    ++counters_.registrations;
    return {*this, memory, key};
}

bool Endpoint::owns(Key key, const std::byte* data, std::size_t bytes) const noexcept {
    const auto found = regions_.find(key);
    if (found == regions_.end()) return false;
    const auto start = reinterpret_cast<std::uintptr_t>(found->second.data());
    const auto place = reinterpret_cast<std::uintptr_t>(data);
    return place >= start && place - start <= found->second.size() &&
           bytes <= found->second.size() - (place - start);
}

std::size_t Endpoint::Request::remote_bytes() const noexcept {
    switch (operation) {
        case Operation::read:
            return sink.bytes;
        case Operation::fetch_add:
            return kWordBytes;
        default:
            return bytes.empty() ? total_bytes(sources) : bytes.size();
    }
}

Status Endpoint::admit(std::span<const Source> sources) const noexcept {
    if (sources.size() > kCapabilities.gather_length) return Status::invalid_argument;
    if (total_bytes(sources) <= kCapabilities.inline_bytes) return Status::ok;
    const bool registered = std::ranges::all_of(
        sources, [&](const Source& source) { return owns(source.key, source.data, source.bytes); });
    return registered ? Status::ok : Status::invalid_argument;
}

Status Endpoint::post(Request request) {
    if (broken_) return Status::peer_lost;
    if (pending() >= options_.queue_length) return Status::would_block;
    posted_.push_back(std::move(request));
    return Status::ok;
}

Status Endpoint::post_write(std::span<const Source> sources, Remote remote, Signal signal,
                            std::optional<std::uint32_t> imm) {
    if (const Status status = admit(sources); status != Status::ok) return status;
    const std::size_t bytes = total_bytes(sources);
    Request request{.remote = remote, .signal = signal, .imm = imm};
    if (bytes <= kCapabilities.inline_bytes) {
        request.bytes = gathered(sources);
    } else {
        request.sources.assign(sources.begin(), sources.end());
    }
    if (const Status status = post(std::move(request)); status != Status::ok) return status;
    ++counters_.writes;
    counters_.write_bytes += bytes;
    counters_.imms += imm.has_value() ? 1 : 0;
    return Status::ok;
}

Status Endpoint::write(Source source, Remote remote, Signal signal) noexcept {
    return post_write({&source, 1}, remote, signal, std::nullopt);
}

Status Endpoint::write_gather(std::span<const Source> sources, Remote remote, Signal signal) noexcept {
    return post_write(sources, remote, signal, std::nullopt);
}

Status Endpoint::write_with_imm(Source source, Remote remote, std::uint32_t imm, Signal signal) noexcept {
    return post_write({&source, 1}, remote, signal, imm);
}

Status Endpoint::read(Sink sink, Remote remote, Signal signal) noexcept {
    if (!owns(sink.key, sink.data, sink.bytes)) return Status::invalid_argument;
    Request request{.operation = Operation::read, .remote = remote, .signal = signal, .sink = sink};
    const Status status = post(std::move(request));
    counters_.reads += status == Status::ok ? 1 : 0;
    return status;
}

Status Endpoint::fetch_add(std::uint64_t* before, Remote remote, std::uint64_t addend,
                           Signal signal) noexcept {
    if (before == nullptr || !word_aligned(remote.address)) return Status::invalid_argument;
    Request request{.operation = Operation::fetch_add, .remote = remote, .signal = signal};
    request.before = before;
    request.addend = addend;
    const Status status = post(std::move(request));
    counters_.atomics += status == Status::ok ? 1 : 0;
    return status;
}

Status Endpoint::flush() noexcept {
    if (broken_) return Status::peer_lost;
    if (posted_.empty()) return Status::ok;
    ++counters_.doorbells;
    std::ranges::move(posted_, std::back_inserter(wire_));
    posted_.clear();
    while (!options_.manual && step()) continue;
    return Status::ok;
}

std::size_t Endpoint::poll(std::span<Completion> completions) noexcept {
    // Only a send that found no receive can still be there: one may have been posted since.
    while (!options_.manual && peer_->step()) continue;
    const std::size_t count = std::min(completions.size(), completions_.size());
    std::copy_n(completions_.begin(), count, completions.begin());
    completions_.erase(completions_.begin(), completions_.begin() + static_cast<std::ptrdiff_t>(count));
    counters_.completions += count;
    for (const Completion& done : completions.first(count)) handed_out(done);
    return count;
}

/// Used receives are posted anew some at a time.
void Endpoint::handed_out(const Completion& completion) noexcept {
    if (completion.operation != Operation::imm_arrived) return;
    if (++polled_imm_receives_ < options_.imm_receives / 4) return;
    used_imm_receives_ -= polled_imm_receives_;
    polled_imm_receives_ = 0;
}

void Endpoint::abandon() noexcept {
    abandoned_ = true;
    if (!broken_) fail(Status::peer_lost);
}

void Endpoint::release_completions() {
    std::ranges::move(held_, std::back_inserter(completions_));
    held_.clear();
}

/// Brings the operation that moves next to the front of the wire; false when none can.
bool Endpoint::choose() {
    if (order_.ordered_messages) return !wire_.empty() && !receiver_not_ready();
    for (std::size_t left = wire_.size(); left != 0; --left) {
        // Those that could not go are moved out of the range that is drawn from.
        std::swap(wire_.front(), wire_[(*random_)() % left]);
        if (!receiver_not_ready()) return true;
        std::swap(wire_.front(), wire_[left - 1]);
    }
    return false;
}

bool Endpoint::step() {
    if (!choose()) return false;
    Request& request = wire_.front();
    if (request.operation == Operation::send) {
        arrive(request);
        finish(request);
        wire_.pop_front();
    } else if (request.target == nullptr && !start(request)) {
        fail(Status::invalid_argument);
    } else if (land(request)) {
        finish(request);
        wire_.pop_front();
    }
    return true;
}

/// Checks the target, reads the source, and decides in what pieces it lands. False when the target is not
/// there.
bool Endpoint::start(Request& request) {
    // A remote address is a number on the wire, as on a network card.
    auto* const target = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(request.remote.address));
    const std::size_t bytes = request.remote_bytes();
    if (peer_->abandoned_ || (bytes != 0 && !peer_->owns(request.remote.key, target, bytes))) return false;
    if (!request.sources.empty()) request.bytes = gathered(request.sources);
    request.target = target;
    cut(request);
    return true;
}

/// Whole unless it moves piece by piece: then aligned words, and the bytes before and behind them, in random
/// order or front to back. The last piece moves first.
void Endpoint::cut(Request& request) {
    const bool reads = request.operation == Operation::read;
    const bool ordered = reads ? order_.ordered_reads : order_.ordered_bytes;
    const std::size_t bytes = reads ? request.sink.bytes : request.bytes.size();
    for (std::size_t at = 0; at < bytes;) {
        const std::size_t to_next_word = kWordBytes - (request.remote.address + at) % kWordBytes;
        const std::size_t piece = options_.shuffle_bytes ? std::min(to_next_word, bytes - at) : bytes;
        request.pieces.emplace_back(at, piece);
        at += piece;
    }
    std::ranges::reverse(request.pieces);
    if (options_.shuffle_bytes && !ordered) std::ranges::shuffle(request.pieces, *random_);
}

/// Moves one to eight pieces of a write or read, or does a fetch_add. True when the operation is done.
bool Endpoint::land(Request& request) {
    if (request.operation == Operation::fetch_add) {
        std::uint64_t word = 0;
        std::memcpy(&word, request.target, sizeof word);
        *request.before = word;
        word += request.addend;
        std::memcpy(request.target, &word, sizeof word);
    }
    const std::size_t count = std::min<std::size_t>(request.pieces.size(), 1 + (*random_)() % 8);
    for (std::size_t i = 0; i < count; ++i) {
        const auto [at, bytes] = request.pieces.back();
        if (request.operation == Operation::read) {
            std::memcpy(request.sink.data + at, request.target + at, bytes);
        } else {
            std::memcpy(request.target + at, request.bytes.data() + at, bytes);
        }
        request.pieces.pop_back();
    }
    return request.pieces.empty();
}

void Endpoint::finish(const Request& request) {
    if (request.operation == Operation::write && request.imm.has_value()) {
        ++peer_->used_imm_receives_;
        peer_->completions_.push_back({.imm = *request.imm,
                                       .operation = Operation::imm_arrived,
                                       .bytes = static_cast<std::uint32_t>(request.bytes.size())});
    }
    if (request.signal.ticket == 0) return;
    report({.ticket = request.signal.ticket, .operation = request.operation});
}

/// As a queue pair in error: the front operation fails with `status`, all behind it are given up, none can
/// follow.
void Endpoint::fail(Status status) {
    broken_ = true;
    std::ranges::move(posted_, std::back_inserter(wire_));
    posted_.clear();
    for (const Request& request : wire_) {
        report({.ticket = request.signal.ticket, .operation = request.operation, .status = status});
        status = Status::peer_lost;
    }
    wire_.clear();
}

void Endpoint::report(const Completion& completion) {
    (options_.hold_completions ? held_ : completions_).push_back(completion);
}

}  // namespace rb2::fabric::fake
