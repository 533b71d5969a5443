#pragma once
// A schedule being executed while its rank makes progress.

#include <cstddef>
#include <memory>
#include <vector>

#include "pt2pt/activity.hpp"
#include "pt2pt/collective/schedule.hpp"
#include "pt2pt/communicator.hpp"

namespace rb2::collective {

/// Executes one schedule, once or several times after each other. All its messages carry one tag that all
/// ranks draw at the same collective call, so executions under way at the same time do not meet.
class Execution final : public pt2pt::Activity {
  public:
    /// A collective call: all ranks of the communicator make one at this point. The communicator must
    /// outlive every start().
    explicit Execution(pt2pt::Communicator& communicator)
        : communicator_(communicator),
          tag_(communicator.next_collective_tag()),
          schedule_(communicator.rank(), communicator.size()) {}

    /// To be filled before the first start().
    [[nodiscard]] Schedule& schedule() noexcept { return schedule_; }
    /// `object` stays as long as this one: what steps refer to.
    void keep(std::shared_ptr<const void> object) {
        if (object != nullptr) kept_.push_back(std::move(object));
    }

    /// Begins `execution`, which must not be under way. The request is complete when all steps are done; its
    /// status is that of the first message that failed. Null: memory is exhausted.
    [[nodiscard]] static pt2pt::Request* start(const std::shared_ptr<Execution>& execution);

    int advance() override;

  private:
    [[nodiscard]] pt2pt::Engine& engine() const noexcept { return communicator_.engine(); }
    [[nodiscard]] bool round_is_over();
    int start_round();
    void perform(const Step& step);
    void begun(pt2pt::Request* request);

    pt2pt::Communicator& communicator_;
    int tag_;
    Schedule schedule_;
    std::vector<std::shared_ptr<const void>> kept_;
    pt2pt::Request* request_ = nullptr;  // of the current execution
    Status status_ = Status::ok;
    std::size_t next_ = 0;                    // step that comes next
    std::size_t finished_ = 0;                // how many of `under_way_` are complete
    std::vector<pt2pt::Request*> under_way_;  // messages of this round, in order
};

}  // namespace rb2::collective
