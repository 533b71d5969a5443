#include "runtime/network/verbs_rails.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/fabric/tcp/interfaces.hpp"
#include "runtime/status.hpp"

namespace rb2::network {

using fabric::verbs::CompletionQueue;

VerbsRails::VerbsRails(const fabric::verbs::Options& options)
    : devices_(fabric::verbs::Device::open_rails(options)) {
    for (const auto& device : devices_) queues_.push_back(std::make_unique<CompletionQueue>(*device));
    if (devices_.size() == 1) return;
    const auto interfaces = fabric::tcp::own_interfaces();
    for (std::size_t rail = 1; rail < devices_.size(); ++rail)
        further_.push_back(rail_address(devices_[rail]->address(), interfaces));
    watch_all();
}

void VerbsRails::watch_all() {
    any_ = memory::Descriptor(::epoll_create1(EPOLL_CLOEXEC));
    for (const auto& queue : queues_) {
        epoll_event event{.events = EPOLLIN, .data = {}};
        if (::epoll_ctl(any_.get(), EPOLL_CTL_ADD, queue->descriptor(), &event) == 0) continue;
        throw StartupError(
            fmt::format("verbs: no epoll descriptor ({}); raise the limit of open files "
                        "(ulimit -n), or use one device (RB2_VERBS_RAILS=1)",
                        std::strerror(errno)));
    }
}

std::vector<fabric::verbs::Device*> VerbsRails::all() const {
    std::vector<fabric::verbs::Device*> devices;
    for (const auto& device : devices_) devices.push_back(device.get());
    return devices;
}

bool VerbsRails::dispatch() noexcept {
    bool any = false;
    for (const auto& queue : queues_) {
        std::size_t taken = 0;
        do {
            taken = queue->dispatch();
            any = any || taken != 0;
        } while (taken == CompletionQueue::kMostTaken);
    }
    return any;
}

void VerbsRails::drive() noexcept {
    for (const auto& queue : queues_) queue->drive();
}

int VerbsRails::descriptor() const noexcept {
    return queues_.size() == 1 ? queues_.front()->descriptor() : any_.get();
}

bool VerbsRails::arm() noexcept {
    return std::ranges::all_of(queues_, [](const auto& queue) { return queue->arm(); });
}

}  // namespace rb2::network
