#include "api/errors.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "pt2pt/describe.hpp"

namespace rb2::detail {
namespace {

ErrorCode code_of(Status status) {
    switch (status) {
        case Status::truncated:
            return ErrorCode::truncated;
        case Status::invalid_argument:
            return ErrorCode::invalid_argument;
        case Status::out_of_memory:
            return ErrorCode::out_of_memory;
        case Status::peer_lost:
            return ErrorCode::peer_lost;
        case Status::ok:
        case Status::would_block:
        case Status::fatal:
            return ErrorCode::internal;
    }
    return ErrorCode::internal;
}

const char* advice_for(ErrorCode code) {
    switch (code) {
        case ErrorCode::truncated:
            return "receive into a larger buffer, or probe for the size first";
        case ErrorCode::invalid_argument:
            return "see the call's description in its header";
        case ErrorCode::out_of_memory:
            return "free memory, use fewer ranks on this machine, or send smaller messages";
        case ErrorCode::peer_lost:
            return "look at the other ranks' output for why it ended";
        case ErrorCode::internal:
            return "report this: it is a fault of the library";
    }
    return "";
}

std::string text_of(const Call& call, std::string_view what, std::string_view advice) {
    std::string where;
    if (usable(call.state)) {
        const pt2pt::Communicator& communicator = *call.state->communicator;
        where = fmt::format(" on {}, {}", pt2pt::who(communicator, communicator.rank()),
                            pt2pt::name_of(communicator));
        if (communicator.has_rank(call.peer))
            where += fmt::format(", with {}", pt2pt::who(communicator, call.peer));
        if (call.tag >= 0) where += fmt::format(", {}", pt2pt::show_tag(call.tag));
    }
    return fmt::format("{} failed{}: {}. To try: {}", call.name, where, what, advice);
}

std::optional<Error> not_usable(const Call& call) {
    if (pt2pt::Job::current() == nullptr)
        return argument_error(call, "no job is running", "call it while an rb2::Environment lives");
    if (call.state == nullptr)
        return argument_error(call, "the communicator is empty", "assign one, such as Environment::world()");
    return std::nullopt;
}

std::optional<Error> wrong_envelope(const Call& call, std::string_view role, bool wildcards) {
    if (auto error = not_usable(call)) return error;
    const pt2pt::Communicator& communicator = *call.state->communicator;
    const bool any_source = wildcards && call.peer == kAnySource;
    if (!communicator.has_rank(call.peer) && !any_source && call.peer != kNullRank)
        return argument_error(call, pt2pt::not_a_rank(communicator, role, call.peer),
                              "use ranks from 0 to size() - 1, or rb2::kNullRank");
    if (call.tag < 0 && !(wildcards && call.tag == kAnyTag))
        return argument_error(call, pt2pt::not_a_tag(call.tag),
                              "use such a tag; rb2::kAnyTag only to receive");
    return std::nullopt;
}

}  // namespace

Error argument_error(const Call& call, std::string_view what, std::string_view advice) {
    return {ErrorCode::invalid_argument, text_of(call, what, advice)};
}

Error message_error(const Call& call, Status status, std::string_view what) {
    const ErrorCode code = code_of(status);
    return {code, text_of(call, what, advice_for(code))};
}

Error receive_error(const Call& call, const pt2pt::MessageInfo& info, std::uint64_t capacity) {
    Call actual = call;
    actual.peer = info.source;
    actual.tag = info.tag;
    return message_error(actual, info.status,
                         info.status == Status::truncated ? pt2pt::too_long(info, capacity)
                                                          : "the message could not be received");
}

std::optional<Error> why_not_send(const Call& call) { return wrong_envelope(call, "destination", false); }
std::optional<Error> why_not_receive(const Call& call) { return wrong_envelope(call, "source", true); }

void abort_with(const Error& error) {
    std::fflush(nullptr);
    fmt::print(stderr, "rb2: {}\n", error.text);
    if (pt2pt::Job* job = pt2pt::Job::current()) job->world().abort(EXIT_FAILURE, error.text);
    std::_Exit(EXIT_FAILURE);
}

}  // namespace rb2::detail
