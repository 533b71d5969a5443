#include "runtime/fabric/verbs/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "runtime/fabric/verbs/error.hpp"
#include "runtime/fabric/verbs/memlock.hpp"
#include "runtime/fabric/verbs/port_choice.hpp"

namespace rb2::fabric::verbs {

static_assert(fabric::Region<Region>);

namespace {

/// GIDs of one port's table that could be offered.
std::vector<GidEntry> read_gids(ibv_context* context, int port) {
    std::vector<ibv_gid_entry> table(256);
    const ssize_t count = ibv_query_gid_table(context, table.data(), table.size(), 0);
    std::vector<GidEntry> entries;
    for (ssize_t i = 0; i < count; ++i) {
        const ibv_gid_entry& entry = table[static_cast<std::size_t>(i)];
        if (entry.port_num != static_cast<std::uint32_t>(port)) continue;
        GidEntry own{.gid = {}, .type = static_cast<GidType>(entry.gid_type), .index = entry.gid_index};
        std::copy_n(entry.gid.raw, own.gid.bytes.size(), own.gid.bytes.begin());
        entries.push_back(own);
    }
    return entries;
}

/// Of a port: lanes times what a lane does.
double gigabits(const ibv_port_attr& port) {
    const auto per_lane = [&] {
        switch (port.active_speed) {
            case 1:
                return 2.5;
            case 2:
                return 5.0;
            case 4:
            case 8:
                return 10.0;
            case 16:
                return 14.0;
            case 32:
                return 25.0;
            case 64:
                return 50.0;
            default:
                return port.active_speed >= 128 ? 100.0 : 0.0;
        }
    }();
    return per_lane * (port.active_width == 1   ? 1
                       : port.active_width == 2 ? 4
                       : port.active_width == 4 ? 8
                                                : 12);
}

constexpr int mtu_bytes(int mtu) { return 128 << mtu; }

}  // namespace

Region::Region(Region&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)), registration_(other.registration_) {}

Region& Region::operator=(Region&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(registration_, other.registration_);
    return *this;
}

Region::~Region() {
    if (device_ != nullptr) device_->deregister(registration_);
}

/// A port with what is needed to use it.
struct Device::Opened {
    PortInfo info;
    std::shared_ptr<Context> context;
    ibv_port_attr attributes{};
    std::vector<GidEntry> gids;
    int fork_error = 0;

    /// Those that choose_ports() says.
    static std::vector<Opened> chosen(const Options& options);
    static std::vector<Opened> all(const Options& options);
    static Opened port(const Options& options, std::shared_ptr<Context> context, int number);
};

Device::Opened Device::Opened::port(const Options& options, std::shared_ptr<Context> context, int number) {
    Opened opened;
    const std::string name = ibv_get_device_name(context->get()->device);
    ibv_query_port(context->get(), static_cast<std::uint8_t>(number), &opened.attributes);
    opened.gids = read_gids(context->get(), number);
    if (options.gid_index >= 0) {
        std::erase_if(opened.gids, [&](const GidEntry& entry) {
            return entry.index != static_cast<std::uint32_t>(options.gid_index);
        });
    }
    opened.gids = offer(opened.gids, Address::kMostGids);
    opened.info = {.device = name,
                   .port = number,
                   .active = opened.attributes.state == IBV_PORT_ACTIVE,
                   .near = is_near(name),
                   .gigabits = gigabits(opened.attributes),
                   .gids = opened.gids.size()};
    opened.context = std::move(context);
    return opened;
}

std::vector<Device::Opened> Device::Opened::all(const Options& options) {
    int count = 0;
    const DeviceList list(ibv_get_device_list(&count));
    std::vector<Opened> ports;
    for (int i = 0; i < count; ++i) {
        // One that does not open (no rights, unloaded module) is as good as not there: the error lists the
        // others.
        auto context = std::make_shared<Context>(ibv_open_device(list[static_cast<std::size_t>(i)]));
        ibv_device_attr attributes{};
        if (*context == nullptr || ibv_query_device(context->get(), &attributes) != 0) continue;
        ports.reserve(ports.size() + attributes.phys_port_cnt);
        for (int port = 1; port <= attributes.phys_port_cnt; ++port)
            ports.push_back(Opened::port(options, context, port));
    }
    return ports;
}

std::vector<Device::Opened> Device::Opened::chosen(const Options& options) {
    // Where the kernel copies pinned pages on fork there is nothing to do. Elsewhere the library keeps them
    // from children, all of the page, a stack's too: a child that touches it dies. It must be asked before
    // any other verb.
    const int error = ibv_is_fork_initialized() != IBV_FORK_UNNEEDED ? ibv_fork_init() : 0;
    prepare_memlock();
    std::vector<Opened> ports = Opened::all(options);
    std::vector<PortInfo> infos;
    for (const Opened& port : ports) infos.push_back(port.info);
    std::vector<Opened> best;
    for (const std::size_t place : choose_ports(infos, options)) {
        best.push_back(std::move(ports[place]));
        best.back().fork_error = error;
    }
    return best;
}

std::vector<std::unique_ptr<Device>> Device::open_rails(const Options& options) {
    std::vector<std::unique_ptr<Device>> rails;
    for (Opened& opened : Opened::chosen(options)) {
        if (!rails.empty()) opened.gids.resize(1);
        rails.push_back(std::make_unique<Device>(options, std::move(opened)));
    }
    return rails;
}

Device::Device(const Options& options) : Device(options, std::move(Opened::chosen(options).front())) {}

Device::Device(const Options& options, Opened&& opened) : options_(options), fork_error_(opened.fork_error) {
    take(std::move(opened));
    domain_.reset(ibv_alloc_pd(context()));
    if (domain_ == nullptr) throw_failed("ibv_alloc_pd", errno, describe(), "is the device still there?");
}

void Device::take(Opened&& opened) {
    context_ = std::move(opened.context);
    name_ = opened.info.device;
    port_ = static_cast<std::uint8_t>(opened.info.port);
    gids_ = std::move(opened.gids);
    max_message_bytes_ = opened.attributes.max_msg_sz;
    if (const int error = ibv_query_device(context(), &attributes_); error != 0)
        throw_failed("ibv_query_device", error, name_, "is the device still there?");
    address_.gid_count = static_cast<std::uint32_t>(gids_.size());
    for (std::size_t i = 0; i < gids_.size(); ++i) {
        address_.gids[i] = gids_[i].gid;
        address_.gid_types[i] = gids_[i].type;
    }
    address_.lid = opened.attributes.lid;
    address_.ethernet = opened.attributes.link_layer == IBV_LINK_LAYER_ETHERNET ? 1 : 0;
    address_.most_reads = static_cast<std::uint32_t>(std::clamp(attributes_.max_qp_rd_atom, 1, 16));
    choose_mtu(opened.attributes.active_mtu);
}

void Device::choose_mtu(int active) {
    address_.mtu = static_cast<std::uint8_t>(active);
    if (options_.mtu == 0) return;
    const auto wanted = static_cast<unsigned>(options_.mtu);
    if (!std::has_single_bit(wanted) || wanted < 256 || options_.mtu > mtu_bytes(active)) {
        throw StartupError(
            fmt::format("verbs: RB2_VERBS_MTU={} is not a power of two from 256 to {}, which is the MTU of "
                        "{} port {}; a larger one needs a larger MTU of its network interface",
                        options_.mtu, mtu_bytes(active), name_, port_));
    }
    address_.mtu = static_cast<std::uint8_t>(std::countr_zero(wanted) - 7);
}

std::string Device::describe() const {
    std::string text =
        fmt::format("device {} port {} ({}, MTU {})", name_, port_,
                    address_.ethernet != 0 ? "Ethernet" : "InfiniBand", mtu_bytes(address_.mtu));
    if (address_.ethernet == 0) text += fmt::format(" LID {}", address_.lid);
    for (const GidEntry& entry : gids_)
        text += fmt::format(" GID[{}]={} {}", entry.index, to_string(entry.gid), name_of(entry.type));
    if (!fork_safe()) text += fmt::format(", not safe across fork (error {})", fork_error_);
    return text;
}

Status Device::try_register(std::span<std::byte> bytes, Access access, Registration& made) noexcept {
    if (bytes.empty()) return Status::invalid_argument;
    // Never relaxed ordering: a ring's words must not pass its slots.
    const int flags = access == Access::source
                          ? 0
                          : IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                                (has_atomics() ? IBV_ACCESS_REMOTE_ATOMIC : 0);
    ibv_mr* const region = ibv_reg_mr(domain_.get(), bytes.data(), bytes.size(), flags);
    if (region == nullptr)
        return errno == EFAULT || errno == EINVAL ? Status::invalid_argument : Status::out_of_memory;
    made = {.region = region, .local_key = region->lkey, .remote_key = region->rkey, .bytes = bytes};
    const std::scoped_lock lock(mutex_);
    registered_[made.local_key] = bytes;
    return Status::ok;
}

void Device::deregister(const Registration& registration) noexcept {
    {
        const std::scoped_lock lock(mutex_);
        registered_.erase(registration.local_key);
    }
    // Release: who sees the new generation looks the key up anew and finds it gone.
    generation_.fetch_add(1, std::memory_order_release);
    ibv_dereg_mr(registration.region);
}

Region Device::register_memory(std::span<std::byte> bytes) {
    Registration made;
    errno = 0;
    const Status status = try_register(bytes, Access::all, made);
    if (status == Status::ok) return {*this, made};
    throw_failed("ibv_reg_mr", errno,
                 fmt::format("{} bytes at {:#x} on {} port {}", bytes.size(),
                             reinterpret_cast<std::uintptr_t>(bytes.data()), name_, port_),
                 status == Status::invalid_argument
                     ? "register at least one byte, all of it this process's writable memory"
                     : "memory may not be locked" + memlock_advice(bytes.size()));
}

std::span<std::byte> Device::registered(Key key) const noexcept {
    const std::scoped_lock lock(mutex_);
    const auto found = registered_.find(key);
    return found == registered_.end() ? std::span<std::byte>{} : found->second;
}

}  // namespace rb2::fabric::verbs
