#include "rb2/request.hpp"

#include <algorithm>
#include <memory>

#include "api/errors.hpp"

namespace rb2 {

using detail::Operation;

namespace {

bool complete(const Request& request) {
    return request.operation() != nullptr && request.operation()->complete();
}
bool pending(const Request& request) {
    return request.operation() != nullptr && !request.operation()->complete();
}

/// The engine all requests belong to, or null when none is active.
pt2pt::Engine* engine_of(std::span<Request> requests) {
    const auto active =
        std::find_if(requests.begin(), requests.end(), [](const Request& r) { return r.active(); });
    return active == requests.end() ? nullptr : &active->operation()->engine();
}

bool any_complete(std::span<Request> requests) {
    return std::any_of(requests.begin(), requests.end(), complete);
}

/// Finishes the first complete request; nothing when there is none.
Result<std::optional<Completed>> take_one(std::span<Request> requests) {
    const auto first = std::find_if(requests.begin(), requests.end(), complete);
    if (first == requests.end()) return std::optional<Completed>();
    auto status = first->wait();
    if (!status) return Error(status.error());
    return std::optional(Completed{static_cast<std::size_t>(first - requests.begin()), status.value()});
}

/// Finishes all complete requests; the first error comes back after that.
Result<std::vector<Completed>> take_all_complete(std::span<Request> requests) {
    std::vector<Completed> done;
    std::optional<Error> failed;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (!complete(requests[i])) continue;
        auto status = requests[i].wait();
        if (status)
            done.push_back({i, status.value()});
        else if (!failed)
            failed = status.error();
    }
    if (failed) return *failed;
    return done;
}

}  // namespace

Request& Request::operator=(Request&& other) noexcept {
    if (this != &other) {
        if (operation_ != nullptr) end();
        operation_ = std::exchange(other.operation_, nullptr);
    }
    return *this;
}

void Request::end() noexcept {
    const std::unique_ptr<Operation> operation(std::exchange(operation_, nullptr));
    if (operation->request == nullptr || pt2pt::Job::current() == nullptr) return;
    pt2pt::Engine& engine = operation->engine();
    engine.cancel(*operation->request);
    engine.wait(*operation->request);
    engine.release(operation->request);
}

Result<RecvStatus> Request::wait() {
    if (operation_ == nullptr) return RecvStatus();
    const std::unique_ptr<Operation> operation(std::exchange(operation_, nullptr));
    if (operation->request == nullptr) return detail::null_status();
    pt2pt::Engine& engine = operation->engine();
    if (!operation->request->complete()) engine.wait(*operation->request);
    const bool receive = operation->request->kind() == pt2pt::Request::Kind::receive;
    const pt2pt::MessageInfo info = operation->request->info();
    engine.release(operation->request);
    const pt2pt::Communicator& here = *operation->state->communicator;
    if (info.status != Status::ok)
        return detail::receive_error({"Request::wait", operation->state.get()}, here.translate(info),
                                     operation->capacity);
    return receive ? detail::to_status(here, info) : RecvStatus();
}

Result<std::optional<RecvStatus>> Request::test() {
    if (pending(*this)) operation_->engine().poll();
    if (pending(*this)) return std::optional<RecvStatus>();
    auto status = wait();
    if (!status) return Error(status.error());
    return std::optional(status.value());
}

void Request::cancel() {
    if (operation_ != nullptr && operation_->request != nullptr)
        operation_->engine().cancel(*operation_->request);
}

Result<void> wait_all(std::span<Request> requests, std::span<RecvStatus> statuses) {
    Result<void> result;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        auto status = requests[i].wait();
        if (!status && result)
            result = Error(status.error());
        else if (i < statuses.size())
            statuses[i] = status.value();
    }
    return result;
}

Result<std::optional<Completed>> wait_any(std::span<Request> requests) {
    if (pt2pt::Engine* engine = engine_of(requests); engine != nullptr && !any_complete(requests))
        engine->wait_for_any(requests.size(), [&] { return any_complete(requests); });
    return take_one(requests);
}

Result<std::vector<Completed>> wait_some(std::span<Request> requests) {
    if (pt2pt::Engine* engine = engine_of(requests); engine != nullptr && !any_complete(requests))
        engine->wait_for_any(requests.size(), [&] { return any_complete(requests); });
    return take_all_complete(requests);
}

Result<bool> test_all(std::span<Request> requests, std::span<RecvStatus> statuses) {
    const auto some_pending = [&] { return std::any_of(requests.begin(), requests.end(), pending); };
    if (some_pending()) engine_of(requests)->poll();
    if (some_pending()) return false;
    if (auto result = wait_all(requests, statuses); !result) return Error(result.error());
    return true;
}

Result<std::optional<Completed>> test_any(std::span<Request> requests) {
    if (pt2pt::Engine* engine = engine_of(requests); engine != nullptr && !any_complete(requests))
        engine->poll();
    return take_one(requests);
}

Result<std::vector<Completed>> test_some(std::span<Request> requests) {
    if (pt2pt::Engine* engine = engine_of(requests); engine != nullptr && !any_complete(requests))
        engine->poll();
    return take_all_complete(requests);
}

}  // namespace rb2
