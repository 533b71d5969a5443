#pragma once
// Agreeing on a communicator's identity without waiting for anybody.

#include <cstdint>
#include <vector>

#include "pt2pt/job.hpp"

namespace rb2::pt2pt {

/// Every rank tells its proposal to every other one, so that all messages can be started at once and nobody
/// passes anything on: the agreement needs no help of this rank once begun. P - 1 messages per rank, of P in
/// the communicator, or in both groups of an intercommunicator.
class IdExchange {
  public:
    /// Collective over `parent`, which must outlive this object, as must the job.
    IdExchange(Job& job, Communicator& parent);
    IdExchange(const IdExchange&) = delete;
    IdExchange& operator=(const IdExchange&) = delete;
    /// Must be complete.
    ~IdExchange();

    [[nodiscard]] bool complete() const noexcept;
    void wait();
    /// Once complete: what is agreed on.
    Status result(Identity& identity);

  private:
    void exchange(const Communicator& with, int except, Identity* proposals, int tag);
    void begun(Request* request);

    Job& job_;
    Engine& engine_;
    Status status_ = Status::ok;
    Identity own_;
    std::vector<Identity> proposals_;
    std::vector<Request*> requests_;
};

}  // namespace rb2::pt2pt
