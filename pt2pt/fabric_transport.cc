#include "pt2pt/fabric_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "runtime/network/first_contact.hpp"

namespace rb2::pt2pt {
namespace {

constexpr std::chrono::milliseconds kWordOfTheLauncher{500};
/// Until a launcher has noticed that a host is gone (launcher/engine/mpirun.cc). Asked to end the job
/// earlier, Open MPI's mpirun waits for the host's answer for ever.
constexpr std::chrono::seconds kHostsEnd{7};

state::Fabric shown(const network::Network& network) noexcept {
    return network.name() == "tcp"     ? state::Fabric::tcp
           : network.name() == "verbs" ? state::Fabric::verbs
                                       : state::Fabric::unknown;
}

}  // namespace

FabricTransport::FabricTransport(mesh::Mesh& mesh, const wait::Policy& policy, Fail fail)
    : mesh_(mesh),
      callers_(&mesh.own_control().callers),
      waiter_(mesh.own_control().doorbell, policy),
      watcher_(mesh.own_control().doorbell),
      fail_(std::move(fail)) {
    // Of a peer never met; with the engine's 8 bytes and the mesh's 2, or 14 for one of the own node, it must
    // stay below 100 (docs/scale.md).
    static_assert(sizeof lanes_[0] + sizeof channels_[0] + sizeof said_bye_[0] + sizeof may_reach_[0] +
                      sizeof single_copies_[0] ==
                  38);
    const std::size_t size = mesh.ranks();
    lanes_.resize(size);
    channels_.resize(size);
    said_bye_.resize(size);
    may_reach_.resize(size);
    single_copies_.resize(size);
    fabric::shm::permit_single_copy();
    lanes_[mesh.rank()].doorbell = &mesh.own_control().doorbell;
    for (const bootstrap::Card& card : mesh.local_cards()) {
        network::Network* const network = mesh.network(card.rank);
        if (network != nullptr && !network->on_demand()) add_network(card.rank, *network);
        if (network == nullptr && card.rank != mesh.rank() && !mesh.on_demand()) add_shared(card);
    }
    for (const auto& [fabric, network] : mesh.networks()) {
        networks_.push_back(network.get());
        watcher_.add(network->descriptor());
        waiter_.limit_sleep(network->longest_sleep());
    }
}

void FabricTransport::add_shared(const bootstrap::Card& card) {
    const std::uint32_t own = mesh_.rank();
    const std::uint32_t rank = card.rank;
    may_reach_[rank] = bootstrap::same_process_space(mesh_.card(own).host, card.host) ? 1 : 0;
    if (may_reach_[rank] != 0) single_copies_[rank] = fabric::shm::SingleCopy(card.pid);
    channels_[rank] =
        std::make_unique<ring::ShmChannel>(mesh_.block(own, rank), mesh_.block(rank, own),
                                           ring::Parameters::messaging(mesh_.layout(rank).inbound_slots),
                                           ring::Parameters::messaging(mesh_.layout(own).inbound_slots));
    lanes_[rank] = {Lane(*channels_[rank]), &mesh_.control(rank).doorbell};
    connected_.push_back(rank);
}

void FabricTransport::connect(int rank) {
    const auto index = static_cast<std::uint32_t>(rank);
    if (lanes_[index].way.connected()) return;
    if (!mesh_.shares_memory(index)) {
        reach(index);
    } else if (mesh_.reach(index)) {
        add_shared(mesh_.card(index));
    } else {
        end_job(fmt::format(
            "no shared memory left for the rings to rank {} on {}, two blocks of {} bytes: enlarge /dev/shm "
            "(containers: --shm-size), or make them smaller (RB2_RING_SLOTS)",
            rank, mesh_.host_name(index), mesh_.layout(index).bytes()));
    }
}

void FabricTransport::reach(std::uint32_t rank) {
    std::string over;
    try {
        network::Network& network = mesh_.meet(rank);
        over = fmt::format(" over {}", network.name());
        network.reach(rank);
        add_network(rank, network);
    } catch (const std::exception& error) {
        end_job(fmt::format("rank {} on {} cannot be reached{}: {}", rank, mesh_.host_name(rank), over,
                            error.what()));
    }
}

/// Who waits for a message of a rank of another node leaves the first contact to it for a while: mostly it
/// calls, and then this rank need not fetch its card.
bool FabricTransport::hidden(int rank) {
    const auto index = static_cast<std::uint32_t>(rank);
    if (lanes_[index].way.connected() || mesh_.shares_memory(index)) return false;
    if (mesh_.network(index) != nullptr) return true;
    const auto now = std::chrono::steady_clock::now();
    const auto missed_since = missed_.try_emplace(index, now).first->second;
    return now - missed_since >= network::kAskAfter;
}

bool FabricTransport::departed(int rank) const noexcept {
    const auto index = static_cast<std::uint32_t>(rank);
    if (!mesh_.shares_memory(index)) return said_bye_[index] != 0;
    // Acquire: whatever the rank sent before it left is in the ring now, or it is among the callers.
    return mesh_.control(index).phase.load(std::memory_order_acquire) == mesh::Phase::finalizing;
}

void FabricTransport::add_network(std::uint32_t rank, network::Network& network) {
    lanes_[rank] = {Lane(network.channel(rank)), &deaf_};
    missed_.erase(rank);
    connected_.push_back(rank);
    if (page_ != nullptr) page_->reached_by(rank, shown(network));
}

void FabricTransport::show_in(state::OwnPage& page) {
    page_ = &page;
    page.reached_by(mesh_.rank(), state::Fabric::self);
    for (const bootstrap::Card& card : mesh_.local_cards()) {
        const network::Network* const network = mesh_.network(card.rank);
        if (card.rank != mesh_.rank())
            page.reached_by(card.rank, network == nullptr ? state::Fabric::shm : shown(*network));
    }
}

int FabricTransport::poll_networks() noexcept {
    int work = 0;
    for (network::Network* network : networks_) {
        work += network->poll();
        far_callers_ |= network->called();
    }
    return work;
}

bool FabricTransport::arm_networks() noexcept {
    if (networks_.empty()) return true;
    for (network::Network* network : networks_) {
        if (!network->arm()) return false;
    }
    watcher_.arm();
    return true;
}

bool FabricTransport::quiet() noexcept {
    return std::all_of(networks_.begin(), networks_.end(),
                       [](network::Network* network) { return network->quiet(); });
}

void FabricTransport::release_credits() {
    for (const std::uint32_t rank : connected_) {
        const Lane::Receiver receiver = lanes_[rank].way.receiver();
        const std::uint64_t reported = receiver.reported();
        // In mapped memory it cannot fail; a network's channel tells of a lost peer at the next poll.
        static_cast<void>(receiver.release());
        // Ringing everybody would have idle ranks wake each other for ever.
        if (receiver.reported() != reported) notify(static_cast<int>(rank));
    }
}

void FabricTransport::says_bye(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (mesh_.network(static_cast<std::uint32_t>(rank)) == nullptr)
        protocol_error(rank, "a word of farewell, which shared memory does without");
    said_bye_[index] = 1;
    mesh_.network(static_cast<std::uint32_t>(rank))->expect_end(static_cast<std::uint32_t>(rank));
}

void FabricTransport::end_job(std::string text, std::chrono::milliseconds patience) {
    fail_(std::move(text), patience);
    std::abort();
}

std::string FabricTransport::way_to(int rank) const {
    const auto index = static_cast<std::uint32_t>(rank);
    const network::Network* const network = mesh_.network(index);
    if (mesh_.shares_memory(index)) return "over shared memory";
    return network == nullptr ? "not met" : network->describe(index);
}

void FabricTransport::protocol_error(int rank, std::string_view what) {
    end_job(fmt::format(
        "rank {} on {} ({}) sent {}; its memory was overwritten, or the two ranks run different versions of "
        "rb2",
        rank, mesh_.host_name(static_cast<std::uint32_t>(rank)), way_to(rank), what));
}

void FabricTransport::peer_lost(int rank) {
    // If the peer died, the launcher knows more of it: it is about to end the job with the cause.
    std::this_thread::sleep_for(kWordOfTheLauncher);
    constexpr std::string_view to_try =
        "see whether that process and its host are up, and what between the hosts (firewall, link) ends "
        "connections";
    const auto index = static_cast<std::uint32_t>(rank);
    end_job(fmt::format("rank {} on {} can no longer be reached: {}; to try: {}", rank,
                        mesh_.host_name(index), way_to(rank), to_try),
            mesh_.same_network_stack(index) ? std::chrono::seconds(0) : kHostsEnd);
}

}  // namespace rb2::pt2pt
