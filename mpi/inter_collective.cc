#include "mpi/inter_collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <numeric>

#include "mpi/errors.hpp"

namespace rb2::mpi::inter {
namespace {

constexpr int kTag = 0;  // two collectives' messages between two ranks keep their order

/// One call: the communicators it is made of, and the first error.
class Call {
  public:
    Call(const char* function, Comm& comm) : function_(function), comm_(comm) {
        comm.sides->local.errhandler.set(comm.errhandler.get());
        comm.sides->remote.errhandler.set(comm.errhandler.get());
    }

    [[nodiscard]] MPI_Comm local() const noexcept { return reinterpret_cast<MPI_Comm>(&comm_.sides->local); }
    [[nodiscard]] MPI_Comm remote() const noexcept {
        return reinterpret_cast<MPI_Comm>(&comm_.sides->remote);
    }
    [[nodiscard]] bool leads() const noexcept { return comm_.communicator->rank() == 0; }

    /// Takes the result of a step; true as long as all went well.
    bool step(int error) noexcept {
        if (error_ == MPI_SUCCESS) error_ = error;
        return error_ == MPI_SUCCESS;
    }
    [[nodiscard]] int result() const noexcept { return error_; }

    bool refuse_in_place(const void* buffer) {
        return step(buffer != MPI_IN_PLACE
                        ? MPI_SUCCESS
                        : fail(MPI_ERR_BUFFER, function_,
                               "MPI_IN_PLACE has no meaning with an intercommunicator", &comm_));
    }
    bool check_root(int root) {
        if (root == MPI_ROOT || root == MPI_PROC_NULL || comm_.communicator->has_rank(root)) return good();
        return step(fail(MPI_ERR_ROOT, function_,
                         fmt::format("root {} is neither MPI_ROOT nor MPI_PROC_NULL nor in 0 to {} of the "
                                     "remote group",
                                     root, comm_.communicator->size() - 1),
                         &comm_));
    }
    /// Memory for `count` elements; null when there is none, or after an error.
    std::byte* scratch(MPI_Count count, MPI_Datatype datatype) {
        MPI_Count lower = 0;
        MPI_Count extent = 0;
        if (!good() || !step(PMPI_Type_get_extent_c(datatype, &lower, &extent))) return nullptr;
        const auto bytes =
            static_cast<std::size_t>(std::max<MPI_Count>(count, 0) * std::max<MPI_Count>(extent, 0));
        std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes + 1]);
        if (memory == nullptr) {
            step(fail(MPI_ERR_NO_MEM, function_, fmt::format("no memory for {} bytes", bytes), &comm_));
            return nullptr;
        }
        memory_.push_back(std::move(memory));
        return memory_.back().get() - lower;
    }
    /// The leaders of the groups exchange elements.
    bool swap(const void* out, MPI_Count out_count, void* in, MPI_Count in_count, MPI_Datatype datatype) {
        return step(PMPI_Sendrecv_c(out, out_count, datatype, 0, kTag, in, in_count, datatype, 0, kTag,
                                    remote(), MPI_STATUS_IGNORE));
    }

  private:
    [[nodiscard]] bool good() const noexcept { return error_ == MPI_SUCCESS; }

    const char* function_;
    Comm& comm_;
    int error_ = MPI_SUCCESS;
    std::vector<std::unique_ptr<std::byte[]>> memory_;
};

/// Messages with all remote ranks, started and then finished together.
class Messages {
  public:
    explicit Messages(Call& call) : call_(call) {}
    void send(const Part& part, int rank) {
        MPI_Request request = MPI_REQUEST_NULL;
        call_.step(
            PMPI_Isend_c(part.buffer, part.count, part.datatype, rank, kTag, call_.remote(), &request));
        requests_.push_back(request);
    }
    void receive(const Part& part, int rank) {
        MPI_Request request = MPI_REQUEST_NULL;
        call_.step(
            PMPI_Irecv_c(part.writable(), part.count, part.datatype, rank, kTag, call_.remote(), &request));
        requests_.push_back(request);
    }
    void finish() {
        call_.step(PMPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
    }

  private:
    Call& call_;
    std::vector<MPI_Request> requests_;
};

}  // namespace

Parts equal_parts(const Comm& comm, Part part) {
    const MPI_Count bytes = part.count * extent_in_bytes(part.datatype);
    Parts parts;
    for (int rank = 0; rank < comm.communicator->size(); ++rank)
        parts.push_back({displaced(part.buffer, rank * bytes), part.count, part.datatype});
    return parts;
}

int barrier(Comm& comm) {
    Call call("MPI_Barrier", comm);
    if (!call.step(PMPI_Barrier(call.local()))) return call.result();
    if (call.leads() && !call.swap(nullptr, 0, nullptr, 0, MPI_BYTE)) return call.result();
    call.step(PMPI_Barrier(call.local()));
    return call.result();
}

int broadcast(const char* function, Comm& comm, Part data, int root) {
    Call call(function, comm);
    if (!call.check_root(root) || root == MPI_PROC_NULL) return call.result();
    if (root == MPI_ROOT) {
        call.step(PMPI_Send_c(data.buffer, data.count, data.datatype, 0, kTag, call.remote()));
        return call.result();
    }
    if (call.leads())
        call.step(PMPI_Recv_c(data.writable(), data.count, data.datatype, root, kTag, call.remote(),
                              MPI_STATUS_IGNORE));
    call.step(PMPI_Bcast_c(data.writable(), data.count, data.datatype, 0, call.local()));
    return call.result();
}

int reduce(const char* function, Comm& comm, Part own, void* result, MPI_Op op, int root) {
    Call call(function, comm);
    if (!call.check_root(root) || root == MPI_PROC_NULL) return call.result();
    if (root == MPI_ROOT) {
        call.step(PMPI_Recv_c(result, own.count, own.datatype, 0, kTag, call.remote(), MPI_STATUS_IGNORE));
        return call.result();
    }
    if (!call.refuse_in_place(own.buffer)) return call.result();
    std::byte* const sum = call.leads() ? call.scratch(own.count, own.datatype) : nullptr;
    if (call.step(PMPI_Reduce_c(own.buffer, sum, own.count, own.datatype, op, 0, call.local())) &&
        call.leads())
        call.step(PMPI_Send_c(sum, own.count, own.datatype, root, kTag, call.remote()));
    return call.result();
}

int allreduce(const char* function, Comm& comm, Part own, void* result, MPI_Op op) {
    Call call(function, comm);
    if (!call.refuse_in_place(own.buffer)) return call.result();
    std::byte* const sum = call.leads() ? call.scratch(own.count, own.datatype) : nullptr;
    if (call.step(PMPI_Reduce_c(own.buffer, sum, own.count, own.datatype, op, 0, call.local())) &&
        call.leads())
        call.swap(sum, own.count, result, own.count, own.datatype);
    call.step(PMPI_Bcast_c(result, own.count, own.datatype, 0, call.local()));
    return call.result();
}

int reduce_scatter(const char* function, Comm& comm, Part own, void* result,
                   std::span<const MPI_Count> counts, MPI_Op op) {
    Call call(function, comm);
    if (!call.refuse_in_place(own.buffer)) return call.result();
    std::vector<MPI_Aint> displs(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), displs.begin(), MPI_Aint{0});
    const MPI_Count total = std::accumulate(counts.begin(), counts.end(), MPI_Count{0});
    std::byte* const sum = call.leads() ? call.scratch(total, own.datatype) : nullptr;
    std::byte* const theirs = call.leads() ? call.scratch(total, own.datatype) : nullptr;
    if (call.step(PMPI_Reduce_c(own.buffer, sum, total, own.datatype, op, 0, call.local())) && call.leads())
        call.swap(sum, total, theirs, total, own.datatype);
    const MPI_Count mine = counts[static_cast<std::size_t>(comm.communicator->rank())];
    call.step(PMPI_Scatterv_c(theirs, counts.data(), displs.data(), own.datatype, result, mine, own.datatype,
                              0, call.local()));
    return call.result();
}

int gather(const char* function, Comm& comm, Part own, const Parts& parts, int root) {
    Call call(function, comm);
    if (!call.check_root(root) || root == MPI_PROC_NULL) return call.result();
    Messages messages(call);
    if (root == MPI_ROOT) {
        for (int rank = 0; rank < comm.communicator->size(); ++rank)
            messages.receive(parts[static_cast<std::size_t>(rank)], rank);
    } else if (call.refuse_in_place(own.buffer)) {
        messages.send(own, root);
    }
    messages.finish();
    return call.result();
}

int scatter(const char* function, Comm& comm, const Parts& parts, Part own, int root) {
    Call call(function, comm);
    if (!call.check_root(root) || root == MPI_PROC_NULL) return call.result();
    Messages messages(call);
    if (root == MPI_ROOT) {
        for (int rank = 0; rank < comm.communicator->size(); ++rank)
            messages.send(parts[static_cast<std::size_t>(rank)], rank);
    } else if (call.refuse_in_place(own.buffer)) {
        messages.receive(own, root);
    }
    messages.finish();
    return call.result();
}

int exchange(const char* function, Comm& comm, const Parts& out, const Parts& in) {
    Call call(function, comm);
    for (const Part& part : out)
        if (!call.refuse_in_place(part.buffer)) return call.result();
    Messages messages(call);
    for (int rank = 0; rank < comm.communicator->size(); ++rank)
        messages.receive(in[static_cast<std::size_t>(rank)], rank);
    for (int rank = 0; rank < comm.communicator->size(); ++rank)
        messages.send(out[static_cast<std::size_t>(rank)], rank);
    messages.finish();
    return call.result();
}

}  // namespace rb2::mpi::inter
