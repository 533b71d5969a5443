// A world of one: everything a Session offers, without PMIx.
#include "runtime/bootstrap/member.hpp"
#include "runtime/bootstrap/nonce.hpp"

namespace rb2::bootstrap {
namespace {

class Alone final : public Member {
  public:
    Alone() { facts_.nonce = random_nonce(); }

    std::vector<Bytes> exchange(const char*, std::span<const std::byte> mine) override {
        return {Bytes(mine.begin(), mine.end())};
    }
    void fence() override {}
    void on_peer_loss(PeerLossHandler /*handler*/) override {}  // there is no peer
    void finalize() noexcept override {}
    void request_abort(int /*code*/, const std::string& /*text*/) noexcept override {}
};

}  // namespace

std::unique_ptr<Member> stay_alone() { return std::make_unique<Alone>(); }

}  // namespace rb2::bootstrap
