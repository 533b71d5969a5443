// Duplicates of communicators, made while the rank goes on.

#include <memory>

#include "mpi/completion.hpp"
#include "mpi/define.hpp"
#include "mpi/info.hpp"
#include "mpi/library.hpp"
#include "pt2pt/id_exchange.hpp"

namespace rb2::mpi {
namespace {

/// The handle is there from the start; what it stands for, once the ranks have agreed on an id.
class Duplication final : public Special {
  public:
    Duplication(const Comm& parent, Comm& copy)
        : parent_(parent), copy_(copy), exchange_(*job(), *parent.communicator) {}

    [[nodiscard]] bool complete() const noexcept override { return exchange_.complete(); }
    void wait(RequestObject&) override { exchange_.wait(); }
    int report(const RequestObject&, MPI_Status* status) override {
        set_empty_status(status);
        return MPI_SUCCESS;
    }
    int finish(const char* function, RequestObject& object) override {
        pt2pt::Identity identity;
        const Status status = exchange_.result(identity);
        finish_operation(function, object);
        if (status != Status::ok)
            return fail(class_of(status), function, "the ranks could not agree on the new communicator",
                        &parent_);
        fill(copy_, pt2pt::Job::duplicate_as(identity, *parent_.communicator));
        return MPI_SUCCESS;
    }
    bool let_go(RequestObject& object) override {
        exchange_.wait();
        finish("MPI_Request_free", object);
        return true;
    }
    void cancel(RequestObject&) override {}  // a collective call cannot be taken back

  private:
    const Comm& parent_;
    Comm& copy_;
    pt2pt::IdExchange exchange_;
};

int idup(const char* function, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
    Comm* const parent = find_comm(comm);
    if (parent == nullptr) return fail_comm(function, comm);
    if (const int error = check_info(function, info, parent); error != MPI_SUCCESS) return error;
    const MessageCall call{function, nullptr, 0, MPI_BYTE, 0, 0, comm};
    *request = MPI_REQUEST_NULL;
    if (free_requests == nullptr && !grow_request_pool()) return fail_start(call, *parent);
    *newcomm = adopt(nullptr, *parent);
    if (const int error = inherit(function, comm, *parent, newcomm); error != MPI_SUCCESS) return error;
    RequestObject& object =
        take_object(RequestObject::Kind::send, nullptr, *parent, call.count, call.datatype);
    object.special = new Duplication(*parent, *reinterpret_cast<Comm*>(*newcomm));
    *request = handle_of(object);
    return MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Comm_idup, MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
    return idup("MPI_Comm_idup", comm, MPI_INFO_NULL, newcomm, request);
}
/// No hint changes anything here.
RB2_MPI_DEFINE(int, Comm_idup_with_info, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
               MPI_Request* request) {
    return idup("MPI_Comm_idup_with_info", comm, info, newcomm, request);
}
