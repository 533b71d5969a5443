// A rank leaves its environment by an exception while the others wait for it: the job must end.
#include <exception>
#include <stdexcept>

#include "rb2/rb2.hpp"

int main() {
    try {
        const rb2::Environment environment;
        if (environment.world().rank() == 0) throw std::logic_error("a fault of the program");
        return environment.world().recv_value<int>(0).ok() ? 0 : 1;
    } catch (const std::exception&) {
        return 0;  // not reached: the environment ended the job
    }
}
