#include "runtime/fabric/tcp/handshake_messages.hpp"

#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <sys/random.h>

#include <string_view>

namespace rb2::fabric::tcp {
namespace {

class Hmac {
  public:
    explicit Hmac(const Secret& secret) noexcept {
        hmac_sha256_set_key(&context_, secret.size(), octets(secret.data()));
    }
    Hmac& add(std::string_view role) noexcept {
        hmac_sha256_update(&context_, role.size(), octets(role.data()));
        return *this;
    }
    /// The first `bytes` of a message.
    template <class Message>
    Hmac& add(const Message& message, std::size_t bytes = sizeof(Message)) noexcept {
        hmac_sha256_update(&context_, bytes, octets(&message));
        return *this;
    }
    [[nodiscard]] Proof proof() noexcept {
        Proof result;
        hmac_sha256_digest(&context_, result.size(), reinterpret_cast<std::uint8_t*>(result.data()));
        return result;
    }

  private:
    static const std::uint8_t* octets(const void* data) noexcept {
        return static_cast<const std::uint8_t*>(data);
    }

    hmac_sha256_ctx context_;
};

}  // namespace

bool random_nonce(Nonce& nonce) noexcept {
    // Up to 256 bytes come whole or not at all.
    return ::getrandom(nonce.data(), nonce.size(), 0) == static_cast<ssize_t>(nonce.size());
}

Proof prove(const Secret& secret, const Challenge& challenge, const Hello& hello) noexcept {
    return Hmac(secret).add("rb2 tcp connector").add(challenge).add(hello, offsetof(Hello, proof)).proof();
}

Proof prove(const Secret& secret, const Challenge& challenge, const Hello& hello,
            const Welcome& welcome) noexcept {
    return Hmac(secret)
        .add("rb2 tcp acceptor")
        .add(challenge)
        .add(hello)
        .add(welcome, offsetof(Welcome, proof))
        .proof();
}

bool same(const Proof& a, const Proof& b) noexcept { return memeql_sec(a.data(), b.data(), a.size()) != 0; }

}  // namespace rb2::fabric::tcp
