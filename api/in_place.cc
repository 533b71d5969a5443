// Sending and receiving in place.

#include "rb2/in_place.hpp"

#include <fmt/format.h>

#include "api/errors.hpp"
#include "rb2/communicator.hpp"

namespace rb2 {

using detail::Call;

namespace detail {

/// A reservation in the engine; without an engine (null rank), memory that goes nowhere.
struct OpenSlot {
    pt2pt::Engine* engine = nullptr;
    pt2pt::Reservation reservation;
    std::unique_ptr<std::byte[]> nowhere;
};

void SlotCloser::operator()(OpenSlot* slot) const noexcept {
    const std::unique_ptr<OpenSlot> owned(slot);
    if (owned->engine != nullptr && pt2pt::Job::current() != nullptr)
        owned->engine->abort(owned->reservation);
}

void commit_slot(SlotPointer slot, std::size_t bytes) {
    const std::unique_ptr<OpenSlot> owned(slot.release());
    if (owned != nullptr && owned->engine != nullptr) owned->engine->commit(owned->reservation, bytes);
}

namespace {

SlotPointer slot_to_nowhere(std::size_t bytes, std::span<std::byte>& room) {
    SlotPointer slot(new OpenSlot);
    slot->nowhere = std::make_unique<std::byte[]>(bytes);
    room = {slot->nowhere.get(), bytes};
    return slot;
}

/// What the engine's handler needs to call the user's.
struct Delivery {
    void (*handler)(void* argument, const Message& message);
    void* argument;
    const pt2pt::Communicator* communicator;
    RecvStatus status;
};

}  // namespace
}  // namespace detail

Result<detail::SlotPointer> Communicator::reserve_bytes(std::size_t count, std::size_t element_bytes,
                                                        int destination, int tag, MutableBytes& room) const {
    const Call call{"Communicator::reserve", state_.get(), destination, tag};
    if (!can_send(call)) {
        if (auto error = why_not_send(call)) return *error;
        return detail::slot_to_nowhere(count * element_bytes, room);
    }
    const pt2pt::Communicator& here = *state_->communicator;
    const int world_rank = here.world_rank(destination);
    const std::size_t most = here.engine().max_in_place(world_rank);
    if (count > most / element_bytes)
        return argument_error(call,
                              fmt::format("{} elements of {} bytes are more than the {} bytes of one slot",
                                          count, element_bytes, most),
                              "reserve at most max_in_place() bytes, or use send()");
    detail::SlotPointer slot(new detail::OpenSlot);
    slot->reservation = here.engine().reserve(count * element_bytes, world_rank, here.context(), tag);
    if (slot->reservation.payload.data() == nullptr)
        return argument_error(call, "a slot to that rank is open already", "commit or drop it first");
    slot->engine = &here.engine();
    room = slot->reservation.payload;
    return slot;
}

Result<std::size_t> Communicator::max_in_place(int destination) const {
    const Call call{"Communicator::max_in_place", state_.get(), destination, 0};
    if (can_send(call))
        return state_->communicator->engine().max_in_place(state_->communicator->world_rank(destination));
    if (auto error = why_not_send(call)) return *error;
    return std::size_t{0};
}

Result<RecvStatus> Communicator::recv_with(int source, int tag, MessageHandler handler,
                                           void* argument) const {
    const Call call{"Communicator::recv_in_place", state_.get(), source, tag};
    if (!can_receive(call)) {
        if (auto error = why_not_receive(call)) return *error;
        return detail::null_status();
    }
    const pt2pt::Communicator& here = *state_->communicator;
    detail::Delivery delivery{handler, argument, &here, {}};
    const auto deliver = [](void* to, const pt2pt::MessageInfo& info, std::span<const std::byte> bytes) {
        auto& target = *static_cast<detail::Delivery*>(to);
        target.status = detail::to_status(*target.communicator, info);
        target.handler(target.argument, Message(target.status, bytes));
    };
    const Status status =
        here.engine().receive_in_place({deliver, &delivery}, here.world_source(source), here.context(), tag);
    if (status != Status::ok) return message_error(call, status, "the message could not be received");
    return delivery.status;
}

}  // namespace rb2
