#pragma once

#include <string>

namespace rb2::launcher {

/// A wrong command line; becomes an EarlyExit.
struct UsageError {
    std::string text;
};

}  // namespace rb2::launcher
