#include "runtime/mesh/fabric_report.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace rb2::mesh {
namespace {

using network::Fabric;
using network::FabricSet;
using testing::HasSubstr;
using testing::Not;

const FabricSet kNoCard = FabricSet().with(Fabric::shm).with(Fabric::tcp);

/// A job whose ranks are added one after the other.
class Job {
  public:
    Job& add(const char* host, FabricSet fabrics, std::uint8_t kernel, std::uint64_t shm = 1) {
        bootstrap::Card card;
        card.rank = static_cast<std::uint32_t>(cards_.size());
        card.fabrics = fabrics.bits();
        card.host.boot_id[0] = kernel;
        card.host.shm_inode = shm;
        std::strncpy(card.host.host_name.data(), host, card.host.host_name.size() - 1);
        cards_.push_back(card);
        return *this;
    }
    [[nodiscard]] std::string text() const { return describe_fabrics(cards_); }

  private:
    std::vector<bootstrap::Card> cards_;
};

TEST(FabricReport, OneHost) {
    EXPECT_EQ(Job().add("a", kNoCard, 1).add("a", kNoCard, 1).add("a", kNoCard, 1).text(),
              "rb2: fabrics of 3 ranks\n"
              "rb2:   A  ranks 0-2 on a, with shm, tcp\n"
              "rb2:      A\n"
              "rb2:   A  shm\n"
              "rb2:   shm: 3 pairs, as ranks 0 and 1: one host, one /dev/shm\n");
}

TEST(FabricReport, TwoHostsDealtInTurnAndOneRankWithTcpOnly) {
    EXPECT_EQ(
        Job()
            .add("a", kNoCard, 1)
            .add("b", kNoCard, 2)
            .add("a", kNoCard, 1)
            .add("b", FabricSet().with(Fabric::tcp), 2)
            .text(),
        "rb2: fabrics of 4 ranks\n"
        "rb2:   A  ranks 0,2 on a, with shm, tcp\n"
        "rb2:   B  rank 1 on b, with shm, tcp\n"
        "rb2:   C  rank 3 on b, with tcp\n"
        "rb2:      A      B      C\n"
        "rb2:   A  shm    tcp    tcp\n"
        "rb2:   B  tcp    -      tcp\n"
        "rb2:   C  tcp    tcp    -\n"
        "rb2:   shm: 1 pair, as ranks 0 and 2: one host, one /dev/shm\n"
        "rb2:   tcp: 3 pairs, as ranks 0 and 3: RB2_FABRICS has no shm on both sides; no verbs: needs an "
        "RDMA "
        "device, and RB2_FABRICS with it, on both sides\n"
        "rb2:   tcp: 2 pairs, as ranks 0 and 1: no shm: not one host; no verbs: needs an RDMA device, and "
        "RB2_FABRICS with it, on both sides\n");
}

TEST(FabricReport, ContainersOfOneMachine) {
    EXPECT_THAT(Job().add("a", kNoCard, 1, 1).add("a", kNoCard, 1, 2).text(),
                HasSubstr("tcp: 1 pair, as ranks 0 and 1: no shm: one machine, but not one /dev/shm"));
}

TEST(FabricReport, RdmaNeedsNoExcuseButForSharedMemory) {
    const std::string text = Job().add("a", FabricSet::all(), 1).add("b", FabricSet::all(), 2).text();
    EXPECT_THAT(text, HasSubstr("verbs: 1 pair, as ranks 0 and 1: no shm: not one host\n"));
}

TEST(FabricReport, ManyHostsAreFolded) {
    Job job;
    for (int rank = 0; rank < 400; ++rank)
        job.add(fmt::format("h{}", rank / 4).c_str(), kNoCard, static_cast<std::uint8_t>(rank / 4));
    const std::string text = job.text();
    EXPECT_THAT(text, HasSubstr("L  ranks 44-47 on h11"));
    EXPECT_THAT(text, Not(HasSubstr("on h12")));
    EXPECT_THAT(text, HasSubstr("and 88 more groups"));
    EXPECT_THAT(text, HasSubstr("shm: 600 pairs"));
    EXPECT_THAT(text, HasSubstr("tcp: 79200 pairs"));
}

TEST(FabricReport, Alone) {
    EXPECT_EQ(Job().add("a", kNoCard, 1).text(),
              "rb2: fabrics of 1 rank\nrb2:   A  rank 0 on a, with shm, tcp\nrb2:      A\nrb2:   A  -\n");
}

}  // namespace
}  // namespace rb2::mesh
