#include "runtime/fabric/verbs/datagrams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/fabric/verbs/error.hpp"
#include "runtime/fabric/verbs/memlock.hpp"
#include "runtime/fabric/verbs/path.hpp"
#include "runtime/fabric/verbs/request_id.hpp"

namespace rb2::fabric::verbs {

Datagrams::Datagrams(CompletionQueue& queue, std::uint32_t key)
    : queue_(&queue),
      key_(key & 0x7fff'ffff),  // the upper half of the keys is for privileged senders
      slots_(std::make_unique<Slots>()),
      region_(queue.device().register_memory(slots_->bytes)) {
    make_pair();
    make_ready();
    queue.reserve(kReceives + kSends);
    queue.attach(this);
    for (std::uint32_t place = 0; place < kReceives; ++place) post_receive(place);
}

Datagrams::~Datagrams() {
    pair_.reset();
    queue_->attach(nullptr);
    queue_->handed_out(arrived_ - taken_);
    queue_->release(kReceives + kSends);
}

void Datagrams::make_pair() {
    ibv_qp_init_attr wanted{};
    wanted.send_cq = queue_->handle();
    wanted.recv_cq = queue_->handle();
    wanted.cap = {.max_send_wr = kSends,
                  .max_recv_wr = kReceives,
                  .max_send_sge = 1,
                  .max_recv_sge = 1,
                  .max_inline_data = 0};
    wanted.qp_type = IBV_QPT_UD;
    Device& device = queue_->device();
    pair_.reset(ibv_create_qp(device.protection_domain(), &wanted));
    if (pair_ == nullptr)
        throw_failed("ibv_create_qp(UD)", errno, device.describe(), "another device" + memlock_advice(0));
}

void Datagrams::make_ready() {
    Device& device = queue_->device();
    ibv_qp_attr attributes{};
    attributes.port_num = device.port();
    attributes.qkey = key_;
    const auto to = [&](ibv_qp_state state, int which) {
        attributes.qp_state = state;
        const int error = ibv_modify_qp(pair_.get(), &attributes, IBV_QP_STATE | which);
        if (error != 0)
            throw_failed("ibv_modify_qp(UD)", error, device.describe(), "is the port still active?");
    };
    to(IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
    to(IBV_QPS_RTR, 0);
    to(IBV_QPS_RTS, IBV_QP_SQ_PSN);
}

Status Datagrams::send(const Address& to, std::uint32_t number, std::span<const std::byte> bytes) {
    if (bytes.size() > kMostBytes) return Status::invalid_argument;
    const auto free = std::ranges::find_if(ways_, [](const Way& way) { return way == nullptr; });
    if (free == ways_.end()) return Status::would_block;
    Device& device = queue_->device();
    const auto gids = choose_pair(gids_of(device.address()), gids_of(to));
    if (!gids || to.ethernet != device.address().ethernet) return Status::invalid_argument;
    ibv_ah_attr path = path_to(device, to, *gids);
    Way way(ibv_create_ah(device.protection_domain(), &path));
    if (way == nullptr) return Status::would_block;

    const std::uint32_t place = kReceives + static_cast<std::uint32_t>(free - ways_.begin());
    std::ranges::copy(bytes, slot(place));
    ibv_sge piece{.addr = reinterpret_cast<std::uintptr_t>(slot(place)),
                  .length = static_cast<std::uint32_t>(bytes.size()),
                  .lkey = region_.key()};
    ibv_send_wr request{};
    request.wr_id = RequestId{.kind = RequestId::Kind::datagram, .number = place}.pack();
    request.sg_list = &piece;
    request.num_sge = 1;
    request.opcode = IBV_WR_SEND;
    request.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED;
    request.wr.ud = {.ah = way.get(), .remote_qpn = number, .remote_qkey = key_};
    ibv_send_wr* refused = nullptr;
    if (ibv_post_send(pair_.get(), &request, &refused) != 0) return Status::would_block;
    *free = std::move(way);
    return Status::ok;
}

/// One that is refused is one fewer to hear with.
void Datagrams::post_receive(std::uint32_t place) noexcept {
    ibv_sge piece{
        .addr = reinterpret_cast<std::uintptr_t>(slot(place)), .length = kSlotBytes, .lkey = region_.key()};
    ibv_recv_wr receive{};
    receive.wr_id = RequestId{.kind = RequestId::Kind::datagram, .number = place}.pack();
    receive.sg_list = &piece;
    receive.num_sge = 1;
    ibv_recv_wr* refused = nullptr;
    static_cast<void>(ibv_post_recv(pair_.get(), &receive, &refused));
}

void Datagrams::completed(const ibv_wc& completion) noexcept {
    const RequestId id = RequestId::unpack(completion.wr_id);
    if (id.kind != RequestId::Kind::datagram) return;
    if (id.number >= kReceives) {
        ways_[id.number - kReceives].reset();
    } else if (completion.status == IBV_WC_SUCCESS && completion.byte_len >= kHeaderBytes) {
        const auto bytes = static_cast<std::uint32_t>(completion.byte_len - kHeaderBytes);
        arrivals_[arrived_++ % kReceives] = {.place = id.number, .bytes = bytes};
        queue_->kept();
    }
}

void Datagrams::give_back() noexcept {
    post_receive(arrivals_[taken_++ % kReceives].place);
    queue_->handed_out(1);
}

}  // namespace rb2::fabric::verbs
