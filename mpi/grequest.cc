// Generalized requests: the user tells when they are complete (MPI 5.0, section 13.2).
//
// Each is a receive, on a context of its own, of an empty message that MPI_Grequest_complete sends to the own
// rank. So all waits and tests treat it like any other request.

#include <fmt/format.h>

#include <memory>
#include <span>

#include "mpi/completion.hpp"
#include "mpi/define.hpp"
#include "mpi/library.hpp"

namespace rb2::mpi {
namespace {

constexpr std::uint32_t kContext = 2 * pt2pt::Communicator::kSignalsId;

class Generalized final : public Special {
  public:
    Generalized(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                MPI_Grequest_cancel_function* cancel_fn, void* extra_state, int tag)
        : query_(query_fn), free_(free_fn), cancel_(cancel_fn), extra_state_(extra_state), tag_(tag) {}

    void wait(RequestObject& object) override { engine().wait(*object.operation); }
    int report(const RequestObject&, MPI_Status* status) override {
        MPI_Status own{};
        MPI_Status* const told = status == MPI_STATUS_IGNORE ? &own : status;
        set_empty_status(told);
        return query_ != nullptr ? query_(extra_state_, told) : MPI_SUCCESS;
    }
    int finish(const char* function, RequestObject& object) override {
        finish_operation(function, object);
        return free_ != nullptr ? free_(extra_state_) : MPI_SUCCESS;
    }
    bool let_go(RequestObject& object) override {
        if (object.operation->complete()) {
            finish("MPI_Request_free", object);
            return true;
        }
        abandoned_ = true;
        return false;
    }
    void cancel(RequestObject& object) override {
        if (cancel_ != nullptr) cancel_(extra_state_, object.operation->complete() ? 1 : 0);
    }

    [[nodiscard]] int tag() const noexcept { return tag_; }
    /// The user has freed the request: who completes it also ends it.
    [[nodiscard]] bool abandoned() const noexcept { return abandoned_; }

  private:
    MPI_Grequest_query_function* query_;
    MPI_Grequest_free_function* free_;
    MPI_Grequest_cancel_function* cancel_;
    void* extra_state_;
    int tag_;
    bool abandoned_ = false;
};

/// Tells requests apart. Comes round after 2^31 of them.
int next_tag() {
    static int last = -1;
    last = (last + 1) & pt2pt::kTagUpperBound;
    return last;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Grequest_start, MPI_Grequest_query_function* query_fn,
               MPI_Grequest_free_function* free_fn, MPI_Grequest_cancel_function* cancel_fn,
               void* extra_state, MPI_Request* request) {
    if (const int error = require_running("MPI_Grequest_start"); error != MPI_SUCCESS) return error;
    const MessageCall call{"MPI_Grequest_start", nullptr, 0, MPI_BYTE, 0, next_tag(), MPI_COMM_SELF};
    const int error =
        start_request(RequestObject::Kind::receive,
                      engine().ireceive(std::span<std::byte>(), job()->world().rank(), kContext, call.tag),
                      *predefined_comms.self, call, request);
    if (error == MPI_SUCCESS)
        find_request(*request)->special =
            new Generalized(query_fn, free_fn, cancel_fn, extra_state, call.tag);
    return error;
}

RB2_MPI_DEFINE(int, Grequest_complete, MPI_Request request) {
    RequestObject* const object = find_request(request);
    if (object == nullptr) return fail_request("MPI_Grequest_complete", request);
    auto* const generalized = dynamic_cast<Generalized*>(object->special);
    if (generalized == nullptr || object->operation->complete())
        return fail(MPI_ERR_REQUEST, "MPI_Grequest_complete",
                    "the request is no generalized one, or is complete already");
    const rb2::Status sent =
        engine().send(std::span<const std::byte>(), job()->world().rank(), kContext, generalized->tag());
    if (sent != rb2::Status::ok)
        return fail(class_of(sent), "MPI_Grequest_complete", "the rank could not send itself a message");
    if (!generalized->abandoned()) return MPI_SUCCESS;
    MPI_Request handle = request;
    return finish_special("MPI_Grequest_complete", *object, handle, MPI_STATUS_IGNORE);
}
