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
/// ranks draw at the same collective call (one for each group and one for messages between the groups, of an
/// intercommunicator), so executions under way at the same time do not meet.
class Execution final : public pt2pt::Activity {
  public:
    /// A collective call: all ranks of the communicator make one at this point. The communicator must
    /// outlive every start().
    explicit Execution(pt2pt::Communicator& communicator)
        : own_(line_of(communicator.is_inter() ? communicator.local() : communicator)),
          across_(communicator.is_inter() ? line_of(communicator) : own_),
          schedule_(own_.with.rank(), own_.with.size(), engine().config().crowded) {}

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
    /// With whom messages of this call are exchanged, and their tag.
    struct Line {
        const pt2pt::Communicator& with;
        int tag;
    };
    static Line line_of(pt2pt::Communicator& communicator) {
        return {communicator, communicator.next_collective_tag()};
    }

    [[nodiscard]] pt2pt::Engine& engine() const noexcept { return own_.with.engine(); }
    [[nodiscard]] bool round_is_over();
    int start_round();
    void perform(const Step& step);
    void begun(pt2pt::Request* request);

    Line own_;     // among the own group
    Line across_;  // of an intercommunicator: to the remote group
    Schedule schedule_;
    std::vector<std::shared_ptr<const void>> kept_;
    pt2pt::Request* request_ = nullptr;  // of the current execution
    Status status_ = Status::ok;
    std::size_t next_ = 0;                    // step that comes next
    std::size_t finished_ = 0;                // how many of `under_way_` are complete
    std::vector<pt2pt::Request*> under_way_;  // messages of this round, in order
};

}  // namespace rb2::collective
