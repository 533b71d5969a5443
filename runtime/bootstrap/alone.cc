// A world of one: everything a Session offers, without PMIx.
#include <map>

#include "runtime/bootstrap/member.hpp"
#include "runtime/bootstrap/nonce.hpp"

namespace rb2::bootstrap {
namespace {

class Alone final : public Member {
  public:
    Alone() { facts_.nonce = random_nonce(); }

    void put(const char* key, std::span<const std::byte> mine, Scope /*scope*/) override {
        published_[key] = Bytes(mine.begin(), mine.end());
    }
    void commit() override {}
    Bytes fetch(const char* key, std::uint32_t /*rank*/) override { return published_[key]; }
    void fence() override {}
    void begin_fence(std::function<void()> /*done*/) override {}
    bool fence_done() const noexcept override { return true; }
    void on_peer_loss(PeerLossHandler /*handler*/) override {}  // there is no peer
    void finalize() noexcept override {}
    std::string host_name(std::uint32_t /*rank*/) const override { return {}; }
    void request_abort(int /*code*/, const std::string& /*text*/) noexcept override {}

  private:
    std::map<std::string, Bytes> published_;
};

}  // namespace

std::unique_ptr<Member> stay_alone() { return std::make_unique<Alone>(); }

}  // namespace rb2::bootstrap
