// Send and receive started in one call, completed by one request.

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "mpi/completion.hpp"
#include "mpi/define.hpp"
#include "mpi/send.hpp"
#include "mpi/sendrecv.hpp"

namespace rb2::mpi {
namespace {

/// The send of a receive, and the copy that it sends, where there is one.
class Partner final : public Special {
  public:
    Partner(RequestObject* send, Bytes copy) : send_(send), copy_(std::move(copy)) {}

    [[nodiscard]] bool complete() const noexcept override { return send_ == nullptr || send_->complete(); }
    void wait(RequestObject& object) override {
        engine().wait(*object.operation);
        if (send_ != nullptr && !send_->complete()) wait_for(*send_);
    }
    int report(const RequestObject& object, MPI_Status* status) override {
        report_operation(object, status);
        return MPI_SUCCESS;
    }
    int finish(const char* function, RequestObject& object) override {
        int sent = MPI_SUCCESS;
        if (send_ != nullptr) {
            MPI_Request handle = handle_of(*send_);
            sent = mpi::finish(function, *send_, handle, MPI_STATUS_IGNORE);
        }
        const int received = finish_operation(function, object);
        return sent != MPI_SUCCESS ? sent : received;
    }
    bool let_go(RequestObject&) override {
        // The copy of a message that may still be on its way stays for good.
        static std::vector<Bytes> left_behind;
        if (copy_ != nullptr) left_behind.push_back(std::move(copy_));
        if (send_ == nullptr) return true;
        MPI_Request handle = handle_of(*send_);
        PMPI_Request_free(&handle);
        return true;
    }
    void cancel(RequestObject& object) override {
        if (object.kind == RequestObject::Kind::receive) engine().cancel(*object.operation);
    }

  private:
    RequestObject* send_;  // null: complete, or the request's own operation
    Bytes copy_;
};

/// One request for both; `receive` and `send` are used up.
MPI_Request join(MPI_Request receive, MPI_Request send, Bytes copy) {
    RequestObject& in = *find_request(receive);
    RequestObject& out = *find_request(send);
    if (out.comm == nullptr) return receive;  // sent already
    if (in.comm == nullptr) {                 // from MPI_PROC_NULL
        out.kind = RequestObject::Kind::null_receive;
        out.special = new Partner(nullptr, std::move(copy));
        return send;
    }
    in.special = new Partner(&out, std::move(copy));
    return receive;
}

int isendrecv(const MessageCall& out, const MessageCall& in, void* buffer, Bytes copy, MPI_Request* request) {
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Request send = MPI_REQUEST_NULL;
    *request = MPI_REQUEST_NULL;
    if (const int error = start_receive(in, buffer, &receive); error != MPI_SUCCESS) return error;
    if (const int error = isend<SendMode::standard>(out, &send); error != MPI_SUCCESS)
        return give_up_receive(receive, error);
    *request = join(receive, send, std::move(copy));
    return MPI_SUCCESS;
}

int isendrecv_replace(MessageCall out, const MessageCall& in, void* buffer, MPI_Request* request) {
    Bytes copy;
    *request = MPI_REQUEST_NULL;
    if (const int error = copy_message(out, copy); error != MPI_SUCCESS) return error;
    return isendrecv(out, in, buffer, std::move(copy), request);
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Isendrecv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
               int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
               MPI_Comm comm, MPI_Request* request) {
    return isendrecv({"MPI_Isendrecv", sendbuf, sendcount, sendtype, dest, sendtag, comm},
                     {"MPI_Isendrecv", recvbuf, recvcount, recvtype, source, recvtag, comm}, recvbuf, nullptr,
                     request);
}
RB2_MPI_DEFINE(int, Isendrecv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
               int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source,
               int recvtag, MPI_Comm comm, MPI_Request* request) {
    return isendrecv({"MPI_Isendrecv_c", sendbuf, sendcount, sendtype, dest, sendtag, comm},
                     {"MPI_Isendrecv_c", recvbuf, recvcount, recvtype, source, recvtag, comm}, recvbuf,
                     nullptr, request);
}
RB2_MPI_DEFINE(int, Isendrecv_replace, void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
               int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    return isendrecv_replace({"MPI_Isendrecv_replace", buf, count, datatype, dest, sendtag, comm},
                             {"MPI_Isendrecv_replace", buf, count, datatype, source, recvtag, comm}, buf,
                             request);
}
RB2_MPI_DEFINE(int, Isendrecv_replace_c, void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
               int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    return isendrecv_replace({"MPI_Isendrecv_replace_c", buf, count, datatype, dest, sendtag, comm},
                             {"MPI_Isendrecv_replace_c", buf, count, datatype, source, recvtag, comm}, buf,
                             request);
}
