// The pages of a rank's rings lie on the NUMA node of the rank, which reads them: what /proc says of every
// rank's segment, as this rank sees it. Ranks are bound to one node each.
#include <numa.h>
#include <sched.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/mpi/programs/check.hpp"

namespace {

/// The rank whose segment is called "/dev/shm/rb2-UID-NONCE-RANK (deleted)"; -1: another file.
int rank_of(const std::string& file, int size) {
    if (file.find("/dev/shm/rb2-") == std::string::npos || file.find("-state-") != std::string::npos)
        return -1;
    const std::string last = file.substr(file.rfind('-') + 1);
    return last[0] >= '0' && last[0] < '0' + size ? std::stoi(last) : -1;
}

/// Pages on `node` and elsewhere of one line of numa_maps.
struct Pages {
    int there = 0;
    int elsewhere = 0;
};
Pages count(std::istringstream& words, int node) {
    Pages pages;
    for (std::string word; words >> word;) {
        int on = 0;
        int number = 0;
        if (std::sscanf(word.c_str(), "N%d=%d", &on, &number) == 2)
            (on == node ? pages.there : pages.elsewhere) += number;
    }
    return pages;
}

}  // namespace

int main() {
    const rb2::test::Mpi mpi;
    const int own = numa_node_of_cpu(sched_getcpu());
    std::vector<int> nodes(static_cast<std::size_t>(mpi.size));
    MPI_Allgather(&own, 1, MPI_INT, nodes.data(), 1, MPI_INT, MPI_COMM_WORLD);
    rb2::test::check(nodes.front() != nodes.back(), "the first and the last rank run on different nodes");
    int seen = 0;
    std::ifstream maps("/proc/self/numa_maps");
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::string address;
        std::string policy;
        std::string file;
        words >> address >> policy >> file;
        const int rank = rank_of(file, mpi.size);
        if (rank < 0) continue;
        const Pages pages = count(words, nodes[static_cast<std::size_t>(rank)]);
        if (pages.there == 0) std::fprintf(stderr, "rank %d: %s\n", mpi.rank, line.c_str());
        rb2::test::check(pages.there > 0 && pages.elsewhere == 0, "ring pages on the receiver's node");
        ++seen;
    }
    rb2::test::check(seen == mpi.size, "a segment of every rank");
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}
