#include "runtime/fabric/verbs/queue_pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "runtime/fabric/verbs/error.hpp"
#include "runtime/fabric/verbs/memlock.hpp"
#include "runtime/fabric/verbs/path.hpp"
#include "runtime/status.hpp"

namespace rb2::fabric::verbs {
namespace {

constexpr std::uint32_t kPacketNumberMask = 0xff'ffff;
constexpr std::uint8_t kNotReadyTimer = 5;  ///< 0.06 ms between tries

/// The card takes 7 for "without end", which needs no word.
std::string not_ready_limit(int tries) {
    return tries == 7 ? std::string() : fmt::format(", {} tries while not ready", tries);
}

ibv_qp_init_attr request_of(CompletionQueue& queue, ibv_srq* shared, const QueueSizes& sizes) {
    ibv_qp_init_attr wanted{};
    wanted.send_cq = queue.handle();
    wanted.recv_cq = queue.handle();
    wanted.srq = shared;
    wanted.cap = {.max_send_wr = sizes.requests,
                  .max_recv_wr = sizes.receives,
                  .max_send_sge = sizes.gather,
                  .max_recv_sge = shared == nullptr ? 1U : 0U,
                  .max_inline_data = sizes.wanted_inline_bytes};
    wanted.qp_type = IBV_QPT_RC;
    return wanted;
}

}  // namespace

QueuePair::QueuePair(CompletionQueue& queue, ibv_srq* shared, const QueueSizes& sizes)
    : device_(&queue.device()), first_packet_(std::random_device{}() & kPacketNumberMask) {
    // A device with less inline room than wanted refuses instead of saying how much it has.
    ibv_qp_init_attr made = request_of(queue, shared, sizes);
    pair_.reset(ibv_create_qp(device_->protection_domain(), &made));
    if (pair_ == nullptr && errno == EINVAL) {
        made = request_of(queue, shared, sizes);
        made.cap.max_inline_data = sizes.least_inline_bytes;
        pair_.reset(ibv_create_qp(device_->protection_domain(), &made));
    }
    if (pair_ == nullptr) {
        throw_failed("ibv_create_qp", errno,
                     fmt::format("{} requests of {} sources, {} bytes inline, {} receives on {} port {}, "
                                 "which has {} queue pairs of {} requests",
                                 sizes.requests, sizes.gather, sizes.least_inline_bytes, sizes.receives,
                                 device_->name(), device_->port(), device_->attributes().max_qp,
                                 device_->attributes().max_qp_wr),
                     "shorter queues, or another device" + memlock_advice(0));
    }
    if (made.cap.max_inline_data < sizes.least_inline_bytes) {
        throw StartupError(
            fmt::format("verbs: {} takes {} bytes inline, {} are needed; use another device "
                        "(RB2_VERBS_DEVICE)",
                        device_->name(), made.cap.max_inline_data, sizes.least_inline_bytes));
    }
    inline_bytes_ = std::min(made.cap.max_inline_data, sizes.wanted_inline_bytes);
    initialise();
}

void QueuePair::initialise() {
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_INIT;
    attributes.port_num = device_->port();
    attributes.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                                 (device_->has_atomics() ? IBV_ACCESS_REMOTE_ATOMIC : 0);
    const int error = ibv_modify_qp(pair_.get(), &attributes,
                                    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
    if (error != 0) throw_failed("ibv_modify_qp(INIT)", error, describe(), "is the port still active?");
}

Card QueuePair::card(Remote memory) const noexcept {
    return {.queue_pair = number(),
            .first_packet = first_packet_,
            .memory = memory,
            .address = device_->address()};
}

void QueuePair::connect(const Card& peer) {
    if (peer.magic != Card::kMagic) {
        throw StartupError(
            fmt::format("verbs: the peer's card starts with {:#x} instead of {:#x}; both ranks must use the "
                        "same rb2, on the same architecture",
                        peer.magic, Card::kMagic));
    }
    peer_ = peer;
    if (peer.address.ethernet != device_->address().ethernet) {
        throw_failed("choosing a path", EPROTOTYPE, describe(),
                     "one side is on InfiniBand and one on Ethernet; choose devices of the same network with "
                     "RB2_VERBS_DEVICE");
    }
    choose_gids();
    to_ready_to_receive();
    to_ready_to_send();
    connected_ = true;
}

void QueuePair::choose_gids() {
    const auto pair = choose_pair(gids_of(device_->address()), gids_of(peer_.address));
    if (!pair) {
        throw_failed("choosing GIDs", EADDRNOTAVAIL, describe(),
                     "no two of them are of one type and family; give both interfaces addresses of one "
                     "family, or choose with RB2_VERBS_GID_INDEX");
    }
    gids_ = *pair;
}

int QueuePair::mtu() const noexcept { return std::min(device_->address().mtu, peer_.address.mtu); }

void QueuePair::to_ready_to_receive() {
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_RTR;
    attributes.path_mtu = static_cast<ibv_mtu>(mtu());
    attributes.dest_qp_num = peer_.queue_pair;
    attributes.rq_psn = peer_.first_packet;
    attributes.max_dest_rd_atomic = static_cast<std::uint8_t>(device_->address().most_reads);
    attributes.min_rnr_timer = kNotReadyTimer;
    attributes.ah_attr = path_to(*device_, peer_.address, gids_);
    const int error = ibv_modify_qp(pair_.get(), &attributes,
                                    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                        IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
    if (error != 0) {
        throw_failed("ibv_modify_qp(RTR)", error, describe(),
                     "is there a route between the two GIDs? RB2_VERBS_GID_INDEX and RB2_VERBS_DEVICE choose "
                     "others");
    }
}

void QueuePair::to_ready_to_send() {
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_RTS;
    attributes.sq_psn = first_packet_;
    attributes.timeout = static_cast<std::uint8_t>(device_->options().timeout);
    attributes.retry_cnt = static_cast<std::uint8_t>(device_->options().retries);
    attributes.rnr_retry = static_cast<std::uint8_t>(device_->options().not_ready_retries);
    attributes.max_rd_atomic =
        static_cast<std::uint8_t>(std::min(device_->address().most_reads, peer_.address.most_reads));
    const int error = ibv_modify_qp(pair_.get(), &attributes,
                                    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                        IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
    if (error != 0)
        throw_failed("ibv_modify_qp(RTS)", error, describe(), "RB2_VERBS_TIMEOUT and _RETRIES may be wrong");
}

void QueuePair::break_off() noexcept {
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_ERR;
    // One that cannot be told is no longer there.
    static_cast<void>(ibv_modify_qp(pair_.get(), &attributes, IBV_QP_STATE));
}

std::string QueuePair::describe() const {
    std::string text = device_->describe();
    if (pair_ != nullptr) text += fmt::format(", queue pair {}", number());
    if (peer_.queue_pair == 0) return text;
    text += fmt::format(", to queue pair {} at", peer_.queue_pair);
    if (peer_.address.ethernet == 0) text += fmt::format(" LID {}", peer_.address.lid);
    for (const GidEntry& entry : gids_of(peer_.address))
        text += fmt::format(" GID {} {}", to_string(entry.gid), name_of(entry.type));
    if (connected_) {
        text +=
            fmt::format(", path {} -> {}, MTU {}, timeout {}, {} retries{}",
                        to_string(device_->address().gids[gids_.own]),
                        to_string(peer_.address.gids[gids_.peer]), 128 << mtu(), device_->options().timeout,
                        device_->options().retries, not_ready_limit(device_->options().not_ready_retries));
    }
    return text;
}

bool QueuePair::bytes_in_order() const noexcept {
    return ibv_query_qp_data_in_order(pair_.get(), IBV_WR_RDMA_WRITE, 0) == 1;
}

}  // namespace rb2::fabric::verbs
