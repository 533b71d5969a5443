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
#include "runtime/network/line_card.hpp"
#include "runtime/network/verbs_rails.hpp"
#include "runtime/status.hpp"

namespace rb2::network {

class VerbsLine {
  public:
    using Endpoint = fabric::verbs::Endpoint;
    using Clock = Introduction::Clock;

    /// With so many queue pairs on each rail. Throws StartupError when there is no memory, or no queue pair,
    /// left.
    VerbsLine(VerbsRails& rails, Registrar& registrar, const ring::Parameters& ring, std::size_t queue_pairs,
              const DirectParameters& direct)
        : rails_(rails),
          pairs_per_rail_(queue_pairs),
          blocks_(ring, 1),
          region_(rails.device(0).register_memory(blocks_.block(0))),
          endpoint_(rails.queue(0)),
          channel(endpoint_, registrar,
                  {.own = blocks_.block(0).data(),
                   .own_layout = blocks_.layout(),
                   .own_key = region_.key(),
                   .peer = {}},
                  ring, ring, direct) {
        for (std::size_t number = 1; number < rails.count() * queue_pairs; ++number)
            further_.push_back(std::make_unique<Endpoint>(rails.queue(number / queue_pairs), kFurther));
    }

    [[nodiscard]] LineCard card() const {
        LineCard card{
            .address = rails_.device(0).address(), .further = rails_.further(), .memory = region_.remote()};
        const auto add = [&](const Endpoint& endpoint) {
            const fabric::verbs::Card full = endpoint.card();
            card.pairs.push_back({full.queue_pair, full.first_packet});
        };
        add(endpoint_);
        for (const auto& endpoint : further_) add(*endpoint);
        return card;
    }

    /// To the peer that gave this card: rails that reach each other, as many queue pairs on each as both
    /// have. What is left over is of no use, and so is a further one that cannot be connected: to the peer it
    /// will be a broken one. Throws StartupError when that of the rings cannot.
    void connect(const LineCard& theirs) {
        endpoint_.connect(theirs.card(0));
        peer_block_ = theirs.memory;
        join(0, 0, theirs);
        for (const RailPair& pair : pair_rails(rails_.further(), theirs.further))
            join(pair.own + 1, pair.peer + 1, theirs);
    }

    /// The peer has connected as well.
    void open() { channel.open_to(peer_block_, stripes_); }

    /// Asks whether the peer is still there.
    void probe() noexcept { endpoint_.probe(); }
    [[nodiscard]] bool settle() {
        return endpoint_.settle() && std::ranges::all_of(stripes_, [](const Stripe<Endpoint>& stripe) {
                   return stripe.endpoint->settle();
               });
    }

    [[nodiscard]] std::string describe() const { return endpoint_.describe(); }
    [[nodiscard]] std::string failure() const { return endpoint_.failure(); }
    /// Of a further queue pair that has failed since this was asked; mostly empty. The others have taken
    /// over.
    [[nodiscard]] std::string new_failure() {
        std::string text = std::exchange(unconnected_, {});
        if (std::exchange(known_broken_, channel.broken()) == channel.broken()) return text;
        for (const auto& stripe : stripes_)
            if (stripe.endpoint->status() != Status::ok) text = stripe.endpoint->failure();
        return text;
    }

  private:
    /// All blocks that may be in flight and the reads behind them, and no immediates.
    static constexpr fabric::verbs::EndpointOptions kFurther{.requests = 2 * kMostInFlight, .receives = 4};

    void join(std::size_t own_rail, std::size_t peer_rail, const LineCard& theirs) {
        for (std::size_t i = 0; i < std::min(pairs_per_rail_, theirs.pairs_per_rail()); ++i) {
            const std::size_t number = own_rail * pairs_per_rail_ + i;
            if (number == 0) continue;  // the rings'
            Stripe<Endpoint> stripe{.endpoint = further_[number - 1].get(),
                                    .own_rail = own_rail,
                                    .peer_rail = peer_rail,
                                    .own_number = number,
                                    .peer_number = theirs.number(peer_rail, i)};
            if (own_rail != 0) stripe.scratch = rails_.queue(own_rail).scratch();
            try {
                stripe.endpoint->connect(theirs.card(stripe.peer_number));
                stripes_.push_back(stripe);
            } catch (const StartupError& error) {
                unconnected_ = error.what();
            }
        }
    }

    VerbsRails& rails_;
    std::size_t pairs_per_rail_;
    Blocks blocks_;
    fabric::verbs::Region region_;
    Endpoint endpoint_;                               ///< number 0, and of the rings
    std::vector<std::unique_ptr<Endpoint>> further_;  ///< from number 1
    std::vector<Stripe<Endpoint>> stripes_;           ///< those of them that are connected
    fabric::Remote peer_block_{};
    std::uint64_t known_broken_ = 0;
    std::string unconnected_;  ///< why a further queue pair is not, if nobody has been told yet

  public:
    ChannelOver<ring::mix::Rb2Flushed, Endpoint> channel;

    // At first contact only:
    Introduction introduction;
    std::optional<Mailbox> mailbox;                       ///< the peer's, once it is known
    Clock::time_point ask_at = Clock::time_point::max();  ///< when to call though there is nothing to send
    bool asked = false;                                   ///< this side has called
    std::string fault;                                    ///< why the peer cannot be talked to
};

}  // namespace rb2::network
