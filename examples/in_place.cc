// A list of numbers goes round a ring of ranks, each adding its own. Messages are written into the receiver's
// ring and read where they lie, with no copy in between. Build: rb2c++ -std=c++20 in_place.cc -o in_place
// Run: rb2run -n 4 ./in_place
#include <algorithm>
#include <cstdio>
#include <rb2/rb2.hpp>
#include <vector>

namespace {

/// Sends `numbers` and the own rank behind them, written straight into the slot.
void pass_on(const rb2::Communicator& world, const std::vector<int>& numbers) {
    const int right = (world.rank() + 1) % world.size();
    rb2::Slot<int> slot = world.reserve<int>(numbers.size() + 1, right).or_abort();
    std::copy(numbers.begin(), numbers.end(), slot.elements().begin());
    slot.elements().back() = world.rank();
    slot.commit();
}

std::vector<int> take(const rb2::Communicator& world) {
    std::vector<int> numbers;
    world
        .recv_in_place(rb2::kAnySource, rb2::kAnyTag,
                       [&](const rb2::Message& message) {
                           numbers.assign(message.as<int>().begin(), message.as<int>().end());
                       })
        .or_abort();
    return numbers;
}

}  // namespace

int main() {
    const rb2::Environment rb2;
    const rb2::Communicator& world = rb2.world();
    if (world.rank() == 0) {
        pass_on(world, {});
        const std::vector<int> visited = take(world);
        for (const int rank : visited) std::printf("rank %d was here\n", rank);
        return visited.size() == static_cast<std::size_t>(world.size()) ? 0 : 1;
    }
    pass_on(world, take(world));
    return 0;
}
