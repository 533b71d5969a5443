#pragma once
// What the senders or the receivers of a channel share, if they share anything.

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "runtime/channel/channel.hpp"

namespace rb2::bench::study {

/// Makes sides of a channel that share a `Pool` in memory of bytes<C>(); void: they share nothing.
template <class Pool>
class ChannelPool {
  public:
    template <class C>
    static std::size_t bytes(const channel::Parameters& parameters) {
        return C::pool_bytes(parameters);
    }
    ChannelPool(std::span<std::byte> memory, const channel::Parameters& parameters)
        : pool_(memory, parameters) {}
    template <class End, class Endpoint>
    std::unique_ptr<End> make(const channel::Side<Endpoint>& side) {
        return std::make_unique<End>(side, pool_);
    }

  private:
    Pool pool_;
};

template <>
class ChannelPool<void> {
  public:
    template <class C>
    static std::size_t bytes(const channel::Parameters&) {
        return 0;
    }
    ChannelPool(std::span<std::byte>, const channel::Parameters&) {}
    template <class End, class Endpoint>
    std::unique_ptr<End> make(const channel::Side<Endpoint>& side) {
        return std::make_unique<End>(side);
    }
};

template <class C, class E>
auto find_sender_pool() {
    if constexpr (channel::PoolsSenderMemory<C, E>)
        return std::type_identity<typename C::template SenderPool<E>>{};
    else
        return std::type_identity<void>{};
}
template <class C, class E>
auto find_receiver_pool() {
    if constexpr (channel::PoolsReceiverMemory<C, E>)
        return std::type_identity<typename C::template ReceiverPool<E>>{};
    else
        return std::type_identity<void>{};
}
template <class C, class E>
using SenderPool = ChannelPool<typename decltype(find_sender_pool<C, E>())::type>;
template <class C, class E>
using ReceiverPool = ChannelPool<typename decltype(find_receiver_pool<C, E>())::type>;

}  // namespace rb2::bench::study
