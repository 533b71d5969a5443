#include "rb2/environment.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>

#include "api/state.hpp"

namespace rb2 {
namespace {

Communicator handle_to(pt2pt::Communicator& communicator) {
    auto state = std::make_shared<detail::CommunicatorState>();
    state->communicator = &communicator;
    return Communicator(std::move(state));
}

}  // namespace

Environment::Environment() : exceptions_at_start_(std::uncaught_exceptions()) {
    pt2pt::Job& job = pt2pt::Job::join();
    world_ = handle_to(job.world_communicator());
    self_ = handle_to(job.self_communicator());
}

Environment::~Environment() {
    if (std::uncaught_exceptions() > exceptions_at_start_)
        abort(EXIT_FAILURE, "an exception left the scope of rb2::Environment");
    pt2pt::Job::leave();
}

std::string Environment::host(int world_rank) const {
    return std::string(pt2pt::Job::current()->world().host(world_rank));
}

void Environment::abort(int code, std::string_view text) const {
    pt2pt::Job::current()->world().abort(code, text);
}

double wall_time() noexcept {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace rb2
