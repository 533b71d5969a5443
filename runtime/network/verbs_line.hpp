#pragma once
// Everything about one peer that is reached through RDMA: its queue pairs and its rings.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/fabric/verbs/endpoint.hpp"
#include "runtime/network/blocks.hpp"
#include "runtime/network/channel_over.hpp"
#include "runtime/network/hello.hpp"
#include "runtime/network/introduction.hpp"

namespace rb2::network {

struct VerbsLine {
    using Endpoint = fabric::verbs::Endpoint;
    using Clock = Introduction::Clock;

    /// Throws StartupError when there is no memory, or no queue pair, left.
    VerbsLine(fabric::verbs::CompletionQueue& queue, Registrar& registrar, const ring::Parameters& ring,
              int queue_pairs, const DirectParameters& direct)
        : blocks(ring, 1),
          region(queue.device().register_memory(blocks.block(0))),
          endpoint(queue),
          channel(endpoint, registrar,
                  {.own = blocks.block(0).data(),
                   .own_layout = blocks.layout(),
                   .own_key = region.key(),
                   .peer = {}},
                  ring, ring, direct) {
        while (static_cast<int>(stripes.size()) + 1 < queue_pairs)
            stripes.push_back(std::make_unique<Endpoint>(queue, kStripe));
    }

    /// One for each queue pair; the memory named in the first is the ring block.
    [[nodiscard]] std::vector<fabric::verbs::Card> cards() const {
        std::vector<fabric::verbs::Card> cards{endpoint.card(region.remote())};
        for (const auto& stripe : stripes) cards.push_back(stripe->card());
        return cards;
    }

    /// To the peer that gave these cards. Where it has fewer queue pairs, the rest is of no use. Throws
    /// StartupError.
    void connect(std::span<const fabric::verbs::Card> theirs) {
        endpoint.connect(theirs.front());
        stripes.resize(std::min(stripes.size(), theirs.size() - 1));
        for (std::size_t i = 0; i < stripes.size(); ++i) stripes[i]->connect(theirs[i + 1]);
        peer_block = theirs.front().memory;
    }

    /// The peer has connected as well.
    void open() {
        std::vector<Endpoint*> further;
        for (const auto& stripe : stripes) further.push_back(stripe.get());
        channel.open_to(peer_block, std::move(further));
    }

    [[nodiscard]] bool settle() {
        return std::all_of(stripes.begin(), stripes.end(), [](auto& stripe) { return stripe->settle(); }) &&
               endpoint.settle();
    }

    /// Of the first queue pair that has one.
    [[nodiscard]] std::string failure() const {
        std::string text = endpoint.failure();
        for (const auto& stripe : stripes)
            if (text.empty()) text = stripe->failure();
        return text;
    }

    /// All blocks that may be in flight, and no immediates.
    static constexpr fabric::verbs::EndpointOptions kStripe{.requests = 2 * kMostInFlight, .receives = 4};

    Blocks blocks;
    fabric::verbs::Region region;
    Endpoint endpoint;
    std::vector<std::unique_ptr<Endpoint>> stripes;  ///< further queue pairs, for large writes only
    ChannelOver<ring::mix::Rb2Immediate, Endpoint> channel;
    fabric::Remote peer_block{};

    // At first contact only:
    Introduction introduction;
    std::optional<Mailbox> mailbox;                       ///< the peer's, once it is known
    Clock::time_point ask_at = Clock::time_point::max();  ///< when to call though there is nothing to send
    bool asked = false;                                   ///< this side has called
    std::string fault;                                    ///< why the peer cannot be talked to
};

}  // namespace rb2::network
