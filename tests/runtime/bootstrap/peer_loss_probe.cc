// Rank 0 announces, as a launcher would, that the last rank was killed; every other rank's handler must hear
// of it once.
#include <pmix.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "runtime/bootstrap/session.hpp"

namespace {

using rb2::bootstrap::PeerLoss;
using rb2::bootstrap::Session;

/// Both events tell of the same death.
void announce(std::uint32_t lost_rank) {
    pmix_proc_t self;
    if (PMIx_Init(&self, nullptr, 0) != PMIX_SUCCESS) throw std::runtime_error("second PMIx_Init");
    pmix_proc_t lost;
    PMIX_LOAD_PROCID(&lost, self.nspace, lost_rank);
    pmix_info_t info;
    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, PMIX_EVENT_AFFECTED_PROC, &lost, PMIX_PROC);
    for (const pmix_status_t code : {PMIX_ERR_PROC_ABORTED_BY_SIG, PMIX_ERR_PROC_ABORTED})
        if (PMIx_Notify_event(code, &self, PMIX_RANGE_NAMESPACE, &info, 1, nullptr, nullptr) < 0)
            throw std::runtime_error("PMIx_Notify_event");
    PMIX_INFO_DESTRUCT(&info);
    PMIx_Finalize(nullptr, 0);
}

int run() {
    Session session = Session::open();
    const std::uint32_t lost_rank = session.size() - 1;
    std::atomic<int> losses{0};
    std::atomic<bool> wrong{false};
    session.on_peer_loss([&](const PeerLoss& loss) {
        if (loss.rank != lost_rank || loss.reason.empty()) wrong = true;
        ++losses;
    });
    session.fence();
    if (session.rank() == 0) announce(lost_rank);
    const bool hears = session.rank() != lost_rank;  // nobody is told of his own death
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (hears && losses == 0 && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    session.fence();
    session.finalize();
    const bool right = !wrong && losses == (hears ? 1 : 0);
    if (!right) std::cerr << "rank " << session.rank() << " heard " << losses << " losses" << std::endl;
    return right ? 0 : 1;
}

}  // namespace

int main() {
    try {
        return run();
    } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
}
