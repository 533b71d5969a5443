#include "mpi/collective_call.hpp"

#include <algorithm>
#include <stdexcept>

#include "mpi/request.hpp"

namespace rb2::mpi {

bool Call::check_data(const void* buffer, Elements what, Data& data) {
    if (buffer == MPI_IN_PLACE)
        refuse(MPI_ERR_BUFFER, "MPI_IN_PLACE cannot stand for this buffer on this rank");
    if (good() && !find_data(buffer, what.count, what.datatype, data))
        error_ = refuse_buffer(function(), buffer, what.count, what.datatype, comm_);
    return good();
}

template <class Add>
void Call::stage(Add add) {
    try {
        if (staging_ == nullptr) staging_ = std::make_shared<Staging>();
        add(*staging_);
    } catch (const std::bad_alloc&) {
        refuse(MPI_ERR_NO_MEM, "no memory for a packed copy of the data");
    } catch (const std::overflow_error& error) {
        refuse(MPI_ERR_ARG, error.what());
    }
}

std::size_t Call::take_any(void*& buffer, Elements what, Use use, int blocks) {
    Data data;
    Elements all = what;
    if (good() && __builtin_mul_overflow(what.count, blocks, &all.count))
        refuse(MPI_ERR_COUNT,
               fmt::format("{} elements from each of {} ranks are too many", what.count, blocks));
    if (!good() || !check_data(buffer, all, data)) return 0;
    if (data.layout == nullptr)
        buffer = data.memory;
    else
        stage([&](Staging& staging) {
            std::byte* const packed = staging.allocate(data.bytes);
            staging.add(data, packed, use);
            buffer = packed;
        });
    return blocks == 0 ? 0 : data.bytes / static_cast<std::size_t>(blocks);
}

std::size_t Call::take_slots(void*& buffer, Elements what, Use use) {
    Data data;
    if (!good() || !check_data(buffer, what, data)) return 0;
    const Slot slot = slot_of(what.datatype);
    const auto count = static_cast<std::size_t>(what.count);
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, slot.bytes, &bytes))
        refuse(MPI_ERR_COUNT, fmt::format("{} elements are more than an address can reach", what.count));
    // A predefined pair goes with its padding.
    const bool as_it_is =
        find_type(what.datatype) == nullptr ||
        (slot.together && data.layout == nullptr && data.memory == buffer && data.bytes == bytes);
    if (good() && !as_it_is)
        stage([&](Staging& staging) { buffer = staging.add_slots(buffer, count, what.datatype, use); });
    return bytes;
}

Data Call::block_at(const void* buffer, std::int64_t displacement, std::int64_t count,
                    MPI_Datatype datatype) {
    Data data;
    if (check_data(buffer, {count, datatype}, data)) {
        // By integers: with MPI_BOTTOM the displacement is the address.
        const auto place =
            reinterpret_cast<std::uintptr_t>(data.memory) + static_cast<std::uintptr_t>(displacement);
        data.memory = reinterpret_cast<std::byte*>(place);
    }
    return data;
}

std::vector<Block> Call::stage_blocks(void*& buffer, std::span<const Data> blocks, Use use) {
    std::vector<Block> result;
    if (!good()) return result;
    std::size_t total = 0;
    for (const Data& block : blocks) total += block.bytes;
    const bool gaps = std::ranges::any_of(blocks, [](const Data& block) { return block.layout != nullptr; });
    const void* const user = buffer;
    if (gaps) stage([&](Staging& staging) { buffer = staging.allocate(total); });
    std::size_t end = 0;
    for (const Data& block : blocks) {
        if (!good()) break;
        std::byte* const packed = static_cast<std::byte*>(buffer) + end;
        if (gaps) stage([&](Staging& staging) { staging.add(block, packed, use); });
        const auto distance =
            reinterpret_cast<std::uintptr_t>(block.memory) - reinterpret_cast<std::uintptr_t>(user);
        const std::size_t offset = gaps ? end : block.bytes == 0 ? 0 : distance;
        result.push_back({offset, block.bytes});
        end += block.bytes;
    }
    return result;
}

collective::inter::Root Call::check_inter_root(int root) {
    using Root = collective::inter::Root;
    if (root == MPI_ROOT) return {Root::Place::here};
    if (good() && root != MPI_PROC_NULL && !communicator().has_rank(root))
        refuse(MPI_ERR_ROOT,
               fmt::format("root {} is neither MPI_ROOT nor MPI_PROC_NULL nor in 0 to {} of the remote group",
                           root, communicator().size() - 1));
    return root == MPI_PROC_NULL ? Root{Root::Place::beside} : Root{Root::Place::across, root};
}

Status Call::run(const std::shared_ptr<collective::Execution>& execution) const {
    pt2pt::Request* const operation = collective::Execution::start(execution);
    if (operation == nullptr) return Status::out_of_memory;
    comm_->engine().wait(*operation);
    const Status status = operation->info().status;
    comm_->engine().release(operation);
    return status;
}

int Call::hand_out(std::shared_ptr<collective::Execution> execution) const {
    const MessageCall what{function(), nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, invocation_.comm};
    if (free_requests == nullptr && !grow_request_pool()) return result(Status::out_of_memory);
    if (invocation_.way == Invocation::Way::persistent)
        return prepare_collective(std::move(execution), *comm_, what, invocation_.request);
    pt2pt::Request* const operation = collective::Execution::start(execution);
    if (operation == nullptr) return result(Status::out_of_memory);
    return start_request(RequestObject::Kind::collective, operation, *comm_, what, invocation_.request);
}

}  // namespace rb2::mpi
