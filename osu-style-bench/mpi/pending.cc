#include "osu-style-bench/mpi/pending.hpp"

#include <fmt/format.h>

#include <cstring>

namespace rb2::bench {
namespace {

// Every library allows tags up to 32767; beyond that many entries the tags repeat.
constexpr std::size_t kFirstTag = 100;
constexpr std::size_t kTags = 32000;

int tag_of(std::size_t entry) { return static_cast<int>(kFirstTag + entry % kTags); }

}  // namespace

PendingEntries::PendingEntries(const Run& run, const Pair& pair)
    : pair_(pair),
      unexpected_(run.options.unexpected),
      incoming_(static_cast<std::size_t>(run.options.queue_depth)),
      outgoing_(incoming_.size()),
      receives_(incoming_.size(), MPI_REQUEST_NULL),
      sends_(incoming_.size(), MPI_REQUEST_NULL) {
    if (unexpected_) {
        post_sends();
    } else {
        post_receives();
    }
    run.world.barrier();
}

void PendingEntries::post_receives() {
    for (std::size_t i = 0; i < receives_.size(); ++i) {
        irecv(incoming_[i], pair_.peer, receives_[i], tag_of(i));
    }
}

void PendingEntries::post_sends() {
    for (std::size_t i = 0; i < sends_.size(); ++i) {
        std::memcpy(outgoing_[i].data(), &i, sizeof i);
        isend(outgoing_[i], pair_.peer, sends_[i], tag_of(i));
    }
}

void PendingEntries::drain() {
    if (unexpected_) {
        post_receives();
    } else {
        post_sends();
    }
    wait_all(sends_);
    wait_all(receives_);
    for (std::size_t i = 0; i < incoming_.size(); ++i) {
        std::size_t found = 0;
        std::memcpy(&found, incoming_[i].data(), sizeof found);
        if (found != i) {
            fail(pair_.self, fmt::format("pending entry {} met the message of entry {}", i, found).c_str());
        }
    }
}

}  // namespace rb2::bench
