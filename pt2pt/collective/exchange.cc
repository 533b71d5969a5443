#include "pt2pt/collective/exchange.hpp"

namespace rb2::collective {

Status Exchange::send_receive(Bytes out, int destination, MutableBytes in, int source) {
    pt2pt::Request* const incoming = start_receive(in, source);
    if (incoming == nullptr) return Status::out_of_memory;
    const Status sent = send(out, destination);
    const Status received = finish(incoming);
    return sent == Status::ok ? received : sent;
}

Status Exchange::finish(pt2pt::Request* request) {
    if (request == nullptr) return Status::out_of_memory;
    engine().wait(*request);
    const Status status = request->info().status;
    engine().release(request);
    return status;
}

Status Exchange::finish(std::span<pt2pt::Request* const> requests) {
    Status first = Status::ok;
    for (pt2pt::Request* request : requests) {
        const Status status = finish(request);
        if (first == Status::ok) first = status;
    }
    return first;
}

}  // namespace rb2::collective
