#pragma once
// Which addresses a rank listens at and tells the others, and which of a peer's it calls, in what order. Pure
// functions: the kernel's part is in interfaces.hpp.
//
// By the route, not by the name: what a container runtime or a virtual machine monitor calls its bridge says
// nothing, and the only interface of a container may look like one. An address that this host has as well
// leads to this host, whatever the peer means by it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "runtime/fabric/tcp/ip_address.hpp"
#include "runtime/fabric/tcp/options.hpp"

namespace rb2::fabric::tcp {

/// One address of one network interface of this host.
struct Interface {
    std::string name;
    IpAddress address;
    unsigned prefix = 0;  ///< bits of the subnet
    bool up = true;
    bool running = true;  ///< has a carrier
};

/// What a user allows, from RB2_TCP_INCLUDE and RB2_TCP_EXCLUDE: lists of interface names, addresses and
/// ranges ("eth0,10.1.0.0/16"). Nothing included means everything; excluding is stronger.
class Filter {
  public:
    Filter() = default;
    /// Throws StartupError naming the word that is neither.
    Filter(std::string_view include, std::string_view exclude);

    [[nodiscard]] bool admits(const Interface& interface) const;
    /// Whether it is named, and not only not forbidden.
    [[nodiscard]] bool asks_for(const Interface& interface) const;

  private:
    struct Words {
        std::vector<std::string> names;
        std::vector<Cidr> ranges;
        [[nodiscard]] bool match(const Interface& interface) const;
        [[nodiscard]] bool empty() const { return names.empty() && ranges.empty(); }
    };
    static Words parse(std::string_view variable, std::string_view text);

    Words include_;
    Words exclude_;
};

/// An address as it stands in a rank's card. The wire format.
struct CardAddress {
    std::uint8_t family = 0;  ///< Family; 0: none, and none behind it
    std::uint8_t prefix = 0;
    std::uint16_t port = 0;     ///< host order
    std::uint32_t primary = 0;  ///< 1: the owner's kernel takes it for whatever lies outside its subnets
    std::array<std::uint8_t, 16> bytes{};

    [[nodiscard]] SocketAddress address() const noexcept {
        return {{static_cast<Family>(family), bytes}, port};
    }
};
static_assert(std::is_trivially_copyable_v<CardAddress> && sizeof(CardAddress) == 24);
inline constexpr std::size_t kMostCardAddresses = 8;
using CardAddresses = std::array<CardAddress, kMostCardAddresses>;
static_assert(sizeof(CardAddresses) == 192);

/// The interfaces to listen at, at most kMostCardAddresses, `primary` first. Only those that are up and have
/// a carrier; loopback ones, and IPv4's link-local ones, only if the filter asks for them, or if there is
/// nothing but loopback; never IPv6's link-local ones. Throws StartupError naming what there is and why each
/// is left out.
[[nodiscard]] std::vector<Interface> choose_listening(std::span<const Interface> own, const Filter& filter,
                                                      const IpAddress& primary);

/// What to put into the card: `ports` are those of the listening sockets, in the order of `listening`.
[[nodiscard]] CardAddresses card_addresses(std::span<const Interface> listening,
                                           std::span<const SocketAddress> bound, const IpAddress& primary);

/// Source address the kernel takes towards an address; nullopt if it knows no way, with errno.
using RouteLookup = std::function<std::optional<IpAddress>(const IpAddress& to)>;

struct Route {
    std::vector<Target> targets;  ///< best first
    std::string left_out;         ///< why not the others, for the error if none works
};

/// The ways to a peer. `same_stack`: both ranks share one network namespace, where the rule about addresses
/// that exist twice has no meaning. Of two ways that are otherwise alike IPv4 goes before IPv6, whose headers
/// are longer.
[[nodiscard]] Route choose_route(std::span<const Interface> own, const Filter& filter,
                                 std::span<const CardAddress> peer, bool same_stack,
                                 const RouteLookup& route);

}  // namespace rb2::fabric::tcp
