#pragma once
// Texts of errors: which verb, what the system says, on what.

#include <string_view>

namespace rb2::fabric::verbs {

/// Throws StartupError "verbs: VERB failed: TEXT (N); WHERE; ADVICE".
[[noreturn]] void throw_failed(std::string_view verb, int error, std::string_view where,
                               std::string_view advice);

}  // namespace rb2::fabric::verbs
