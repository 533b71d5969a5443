#pragma once
// The devices of a rank, the nearest first, each with its completion queue: one to poll, one to sleep on.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "runtime/fabric/verbs/completion_queue.hpp"
#include "runtime/fabric/verbs/device.hpp"
#include "runtime/memory/descriptor.hpp"
#include "runtime/network/channel.hpp"
#include "runtime/network/rails.hpp"

namespace rb2::network {

class VerbsRails {
  public:
    /// Throws StartupError.
    explicit VerbsRails(const fabric::verbs::Options& options);

    [[nodiscard]] std::size_t count() const noexcept { return devices_.size(); }
    [[nodiscard]] fabric::verbs::Device& device(std::size_t rail) noexcept { return *devices_[rail]; }
    [[nodiscard]] fabric::verbs::CompletionQueue& queue(std::size_t rail) noexcept { return *queues_[rail]; }
    [[nodiscard]] std::vector<fabric::verbs::Device*> all() const;
    /// Of all but the first.
    [[nodiscard]] const std::vector<RailAddress>& further() const noexcept { return further_; }

    /// All that is there, to its endpoints. Whether anything was.
    bool dispatch() noexcept;
    /// From now on only the caller dispatches: see CompletionQueue.
    void drive() noexcept;
    /// As CompletionQueue::descriptor() and arm(), for all of them.
    [[nodiscard]] int descriptor() const noexcept;
    [[nodiscard]] bool arm() noexcept;

  private:
    void watch_all();

    std::vector<std::unique_ptr<fabric::verbs::Device>> devices_;
    std::vector<std::unique_ptr<fabric::verbs::CompletionQueue>> queues_;
    std::vector<RailAddress> further_;
    memory::Descriptor any_;  ///< epoll over the queues' descriptors, if there are several
};

}  // namespace rb2::network
