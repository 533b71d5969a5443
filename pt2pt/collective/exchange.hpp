#pragma once
// The messages of one collective call: blocking steps between ranks of a communicator, under one tag.

#include <cstddef>
#include <span>

#include "pt2pt/communicator.hpp"

namespace rb2::collective {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

class Exchange {
  public:
    explicit Exchange(pt2pt::Communicator& communicator)
        : communicator_(communicator), tag_(communicator.next_collective_tag()) {}

    [[nodiscard]] int rank() const noexcept { return communicator_.rank(); }
    [[nodiscard]] int size() const noexcept { return communicator_.size(); }

    Status send(Bytes data, int destination) {
        return engine().send(data, communicator_.world_rank(destination), context(), tag_);
    }
    Status receive(MutableBytes data, int source) {
        return engine().receive(data, communicator_.world_rank(source), context(), tag_);
    }
    /// Both at the same time: neither side waits for the other's receive.
    Status send_receive(Bytes out, int destination, MutableBytes in, int source);

    /// Started, not finished; null when memory is exhausted. Give each to finish() once.
    [[nodiscard]] pt2pt::Request* start_send(Bytes data, int destination) {
        return engine().isend(data, communicator_.world_rank(destination), context(), tag_);
    }
    [[nodiscard]] pt2pt::Request* start_receive(MutableBytes data, int source) {
        return engine().ireceive(data, communicator_.world_rank(source), context(), tag_);
    }
    Status finish(pt2pt::Request* request);
    /// Finishes all; the first result that is not ok.
    Status finish(std::span<pt2pt::Request* const> requests);

  private:
    [[nodiscard]] pt2pt::Engine& engine() const noexcept { return communicator_.engine(); }
    [[nodiscard]] std::uint32_t context() const noexcept { return communicator_.collective_context(); }

    pt2pt::Communicator& communicator_;
    int tag_;
};

}  // namespace rb2::collective
