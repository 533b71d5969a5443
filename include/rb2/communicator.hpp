#pragma once
// A group of ranks that exchange messages no other communicator sees.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <span>

#include "rb2/buffers.hpp"
#include "rb2/constants.hpp"
#include "rb2/detail/export.hpp"
#include "rb2/in_place.hpp"
#include "rb2/recv_status.hpp"
#include "rb2/reduction.hpp"
#include "rb2/request.hpp"
#include "rb2/result.hpp"

namespace rb2 {

namespace detail {
struct CommunicatorState;
}

/// A handle, cheap to copy; copies are the same communicator. One thread at a time may use the library, also
/// beside MPI_THREAD_MULTIPLE of the C interface.
/// Ranks are 0 to size() - 1; tags 0 to kMaxTag. Messages between two ranks with matching tags arrive in
/// order.
class RB2_API Communicator {
  public:
    explicit Communicator(std::shared_ptr<detail::CommunicatorState> state) : state_(std::move(state)) {}
    /// Of no use until a communicator is assigned.
    Communicator() = default;

    [[nodiscard]] int rank() const noexcept;
    [[nodiscard]] int size() const noexcept;

    // --- Blocking
    /// Sends all elements; returns once `data` may be reused, which does not mean that it was received.
    template <SendBuffer R>
    Result<void> send(const R& data, int destination, int tag = 0) const {
        return send_bytes(detail::readable(data), destination, tag);
    }
    /// Receives one message into the front of `buffer`. An error when the message is longer.
    template <ReceiveBuffer R>
    Result<RecvStatus> recv(R&& buffer, int source = kAnySource, int tag = kAnyTag) const {
        return recv_bytes(detail::writable(buffer), source, tag);
    }
    /// Both at once, so that rings of ranks do not wait for each other.
    template <SendBuffer R, ReceiveBuffer W>
    Result<RecvStatus> sendrecv(const R& data, int destination, int send_tag, W&& buffer, int source,
                                int recv_tag) const {
        return sendrecv_bytes(detail::readable(data), destination, send_tag, detail::writable(buffer), source,
                              recv_tag);
    }
    /// A single element.
    template <Transferable T>
    Result<void> send_value(const T& value, int destination, int tag = 0) const {
        return send(std::span(&value, 1), destination, tag);
    }
    template <Transferable T>
    Result<T> recv_value(int source = kAnySource, int tag = kAnyTag) const {
        T value{};
        if (auto result = recv(std::span(&value, 1), source, tag); !result) return Error(result.error());
        return value;
    }

    // --- Nonblocking
    /// The buffer must stay in place, and untouched, until the request is complete.
    template <SendBuffer R>
    Result<Request> isend(const R& data, int destination, int tag = 0) const {
        return isend_bytes(detail::readable(data), destination, tag);
    }
    template <ReceiveBuffer R>
    Result<Request> irecv(R&& buffer, int source = kAnySource, int tag = kAnyTag) const {
        return irecv_bytes(detail::writable(buffer), source, tag);
    }

    // --- Probing
    /// Waits for a message and leaves it where it is; receive it by the status's source and tag.
    Result<RecvStatus> probe(int source = kAnySource, int tag = kAnyTag) const;
    /// The same if one is there, else nothing. Makes progress.
    Result<std::optional<RecvStatus>> iprobe(int source = kAnySource, int tag = kAnyTag) const;

    // --- In place
    /// Room for `count` elements in the ring to `destination`; waits for it. At most
    /// max_in_place(destination) bytes.
    template <InPlaceElement T>
    Result<Slot<T>> reserve(std::size_t count, int destination, int tag = 0) const {
        std::span<std::byte> room;
        auto slot = reserve_bytes(count, sizeof(T), destination, tag, room);
        if (!slot) return Error(slot.error());
        return Slot<T>(std::move(slot).value(), {reinterpret_cast<T*>(room.data()), count});
    }
    /// Longest message, in bytes, that reserve() has room for.
    [[nodiscard]] Result<std::size_t> max_in_place(int destination) const;
    /// Receives one message and calls `handler(Message)` where it lies. The handler must not call the
    /// library.
    template <class Handler>
    Result<RecvStatus> recv_in_place(int source, int tag, Handler&& handler) const {
        const auto call = [](void* argument, const Message& message) {
            (*static_cast<std::remove_reference_t<Handler>*>(argument))(message);
        };
        // `call` gives the handler back the type, const or not, that it has here.
        return recv_with(source, tag, call,
                         const_cast<void*>(static_cast<const void*>(std::addressof(handler))));
    }

    // --- Collective: all ranks call them, in the same order
    Result<void> barrier() const;
    /// `data` of the root arrives in all. Same size everywhere.
    template <ReceiveBuffer R>
    Result<void> bcast(R&& data, int root) const {
        return bcast_bytes(detail::writable(data), root);
    }
    /// Element-wise `operation` over all ranks' `data`, in rank order, into the root's `result` (same size;
    /// not used on the others). `operation(a, b)` gives an element; `a` comes from lower ranks.
    template <SendBuffer R, ReceiveBuffer W, class Operation>
    Result<void> reduce(const R& data, W&& result, const Operation& operation, int root) const {
        return reduce_bytes(detail::readable(data), detail::writable(result),
                            detail::combine<std::ranges::range_value_t<R>>(operation), root);
    }
    /// The same in place, with the result on all ranks.
    template <ReceiveBuffer R, class Operation>
    Result<void> allreduce(R&& data, const Operation& operation) const {
        return allreduce_bytes(detail::writable(data),
                               detail::combine<std::ranges::range_value_t<R>>(operation));
    }
    /// All ranks' `block`s (same size), in rank order, in all ranks' `all`, which is size() times as long.
    template <SendBuffer R, ReceiveBuffer W>
    Result<void> allgather(const R& block, W&& all) const {
        return allgather_bytes(detail::readable(block), detail::writable(all));
    }
    /// A communicator with the same ranks and messages of its own.
    [[nodiscard]] Result<Communicator> dup() const;
    /// One communicator per color, its ranks ordered by `key`. Without a color: none.
    [[nodiscard]] Result<std::optional<Communicator>> split(std::optional<int> color, int key = 0) const;

  private:
    using Bytes = std::span<const std::byte>;
    using MutableBytes = std::span<std::byte>;
    using MessageHandler = void (*)(void* argument, const Message& message);

    Result<void> send_bytes(Bytes data, int destination, int tag) const;
    Result<RecvStatus> recv_bytes(MutableBytes buffer, int source, int tag) const;
    Result<RecvStatus> sendrecv_bytes(Bytes data, int destination, int send_tag, MutableBytes buffer,
                                      int source, int recv_tag) const;
    Result<Request> isend_bytes(Bytes data, int destination, int tag) const;
    Result<Request> irecv_bytes(MutableBytes buffer, int source, int tag) const;
    Result<detail::SlotPointer> reserve_bytes(std::size_t count, std::size_t element_bytes, int destination,
                                              int tag, MutableBytes& room) const;
    Result<RecvStatus> recv_with(int source, int tag, MessageHandler handler, void* argument) const;
    Result<void> bcast_bytes(MutableBytes data, int root) const;
    Result<void> reduce_bytes(Bytes data, MutableBytes result, const detail::Combine& combine,
                              int root) const;
    Result<void> allreduce_bytes(MutableBytes data, const detail::Combine& combine) const;
    Result<void> allgather_bytes(Bytes block, MutableBytes all) const;

    std::shared_ptr<detail::CommunicatorState> state_;
};

}  // namespace rb2
