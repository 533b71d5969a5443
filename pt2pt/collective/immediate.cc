#include "pt2pt/collective/immediate.hpp"

namespace rb2::collective {

pt2pt::Awaited Immediate::awaited(int rank) const noexcept {
    using pt2pt::Awaited;
    if (rank == kNobody) return {Awaited::What::anything, engine().rank()};
    return {Awaited::What::receive, communicator_.world_rank(rank), context(), tag_};
}

void Immediate::begun(pt2pt::Request* request) {
    if (request == nullptr) {
        fail(Status::out_of_memory);
    } else if (few_count_ < few_.size()) {
        few_[few_count_++] = request;
    } else {
        more_.push_back(request);
    }
}

void Immediate::wait() {
    for (std::size_t i = 0; i < few_count_; ++i) finish_one(few_[i]);
    for (pt2pt::Request* const request : more_) finish_one(request);
    few_count_ = 0;
    more_.clear();
}

void Immediate::finish_one(pt2pt::Request* request) {
    engine().wait(*request);
    fail(request->info().status);
    engine().release(request);
}

}  // namespace rb2::collective
