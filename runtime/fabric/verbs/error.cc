#include "runtime/fabric/verbs/error.hpp"

#include <fmt/format.h>

#include <system_error>

#include "runtime/status.hpp"

namespace rb2::fabric::verbs {

void throw_failed(std::string_view verb, int error, std::string_view where, std::string_view advice) {
    throw StartupError(fmt::format("verbs: {} failed: {} ({}); {}; {}", verb,
                                   std::generic_category().message(error), error, where, advice));
}

}  // namespace rb2::fabric::verbs
