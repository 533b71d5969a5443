#pragma once
// The operations of fabric.hpp to one peer, as frames on one connection (frame.hpp, docs/wire.md).
//
// A write completes when the kernel has its bytes: then the source may change, and that is all a completion
// says. It costs no answer on the wire. Reads and fetch_adds complete with their answers. Where the peer
// finds fault with a frame, a completion with ticket 0 and Status::invalid_argument says so if its own has
// been given out already, and the connection ends: cause() has the words.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "runtime/fabric/fabric.hpp"
#include "runtime/fabric/tcp/contact.hpp"
#include "runtime/fabric/tcp/inbound.hpp"
#include "runtime/fabric/tcp/outbound.hpp"

namespace rb2::fabric::tcp {

class Context;
class Endpoint;

/// Deregisters when it goes. Must not outlive its endpoint's context.
class Region {
  public:
    Region(Endpoint& endpoint, std::span<std::byte> bytes, Key key) noexcept
        : endpoint_(&endpoint), bytes_(bytes), key_(key) {}
    Region(Region&& other) noexcept;
    Region& operator=(Region&& other) noexcept;
    ~Region();

    [[nodiscard]] Key key() const noexcept { return key_; }
    [[nodiscard]] Remote remote() const noexcept { return {0, key_}; }
    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

  private:
    Endpoint* endpoint_;
    std::span<std::byte> bytes_;
    Key key_;
};

/// Made by Context::endpoint(). Calls the peer when it is first used. One thread at a time for all endpoints
/// of a context.
class Endpoint final : private Watched, private ContactOwner {
    struct Made {};

  public:
    using Region = tcp::Region;
    static constexpr Capabilities kCapabilities{.ordered_messages = true,
                                                .ordered_bytes = true,
                                                .needs_registration = true,  // of remote places only
                                                .mapped = false,
                                                .inline_bytes = 512,
                                                .gather_length = 8};

    Endpoint(Made, Context& context, std::uint32_t peer) noexcept : context_(&context), peer_(peer) {}

    [[nodiscard]] Region register_memory(std::span<std::byte> memory);
    /// The same for memory at which nobody looks before a word behind it says that all is there: words may
    /// land in pieces, which saves system calls.
    [[nodiscard]] Region register_unwatched(std::span<std::byte> memory);
    Status write(Source source, Remote remote, Signal signal = kSilent) noexcept {
        return post(FrameKind::write, {&source, 1}, remote, 0, signal);
    }
    Status write_gather(std::span<const Source> sources, Remote remote, Signal signal = kSilent) noexcept;
    Status write_with_imm(Source source, Remote remote, std::uint32_t imm, Signal signal = kSilent) noexcept;
    Status read(Sink sink, Remote remote, Signal signal = kSilent) noexcept;
    Status fetch_add(std::uint64_t* before, Remote remote, std::uint64_t addend,
                     Signal signal = kSilent) noexcept;
    /// The bytes land where the peer says with place() when it has come to them in the stream; nothing behind
    /// them lands before that. Complete once nothing is unsent().
    Status follow(std::span<const std::byte> payload) noexcept;
    /// From now on flush() keeps what is posted, so that it leaves with one system call, until hold(false).
    void hold(bool holds) noexcept { holds_ = holds; }
    /// would_block: the connection or the kernel's buffer is not ready for all of it; the rest goes with
    /// Context::progress(), or with poll() where that makes progress.
    Status flush() noexcept;
    [[nodiscard]] std::size_t poll(std::span<Completion> completions) noexcept;

    /// Where the peer's next follow(), of `bytes` bytes, lands; see Inbound::place().
    void place(std::span<std::byte> place, std::uint64_t bytes) noexcept;
    void withdraw() noexcept;
    [[nodiscard]] bool landed() const noexcept { return queues_ != nullptr && queues_->in.landed(); }
    [[nodiscard]] bool take_landed() noexcept { return queues_ != nullptr && queues_->in.take_landed(); }

    /// ok, or peer_lost once nothing more can be exchanged; then cause() says why, with the peer's address.
    [[nodiscard]] Status status() const noexcept {
        return state_ == State::lost ? Status::peer_lost : Status::ok;
    }
    [[nodiscard]] const std::string& cause() const noexcept { return cause_; }
    [[nodiscard]] std::uint32_t peer() const noexcept { return peer_; }
    [[nodiscard]] bool connected() const noexcept { return state_ == State::up; }
    /// Bytes that flush() could not hand to the kernel, or that were posted since.
    [[nodiscard]] std::uint64_t unsent() const noexcept { return queues_ ? queues_->out.unsent() : 0; }
    /// Calls the peer though there is nothing to send. If it cannot be reached nothing is lost: the endpoint
    /// is as it was before, cause() says why, and either side may call again.
    void call() noexcept;
    [[nodiscard]] bool contacting() const noexcept { return state_ == State::contacting; }
    /// The peer's, of the connection or the last one; without family before the first.
    [[nodiscard]] const SocketAddress& address() const noexcept { return address_; }
    /// What the peer said first (Options::greet); null until connected.
    [[nodiscard]] const Greeting* greeting() const noexcept { return greeting_ ? &*greeting_ : nullptr; }

  private:
    friend class Context;  // makes endpoints and drives them
    friend tcp::Region;    // deregisters

    enum class State : std::uint8_t { idle, contacting, up, lost };
    /// What only a peer that is talked to costs.
    struct Queues {
        Queues(const RegionTable& regions, const void* owner) noexcept : in(regions, owner) {}
        Outbound out;
        Inbound in;
    };
    static constexpr int kReadsPerRound = 8;  ///< so that one busy peer does not starve the others

    // post.cc
    Status post(FrameKind kind, std::span<const Source> sources, Remote remote, std::uint32_t value,
                Signal signal) noexcept;
    Status post_question(Operation operation, FrameKind kind, std::span<const Source> sources, Sink sink,
                         Remote remote, Signal signal) noexcept;
    [[nodiscard]] Region add_region(std::span<std::byte> memory, bool watched);
    void append(const FrameHeader& header, std::span<const Source> sources) noexcept;
    [[nodiscard]] Status ready_to_post() noexcept;
    [[nodiscard]] bool takes(std::size_t copied, std::size_t sources, bool completion) noexcept;
    bool answer() noexcept;
    bool answer_one(const Answer& answer) noexcept;

    // endpoint.cc
    void ready(std::uint32_t events) noexcept override;
    void connected(Descriptor socket, const SocketAddress& peer, const Greeting& greeting) override;
    void unreachable(std::string cause) override;
    void called(std::unique_ptr<Handshake> handshake);
    void contact();
    void begin_contact();
    Status push_or_contact() noexcept;
    Status push() noexcept;
    bool receive(bool signalled) noexcept;
    bool receive_once(bool signalled, bool& drained) noexcept;
    bool discard() noexcept;
    void end_of_stream(std::int64_t count) noexcept;
    void obey(Inbound::Verdict verdict) noexcept;
    void resume() noexcept;
    void watch(std::uint32_t events) noexcept;
    void watch_bytes(bool on) noexcept {
        watch(on ? watched_ | EPOLLIN : watched_ & ~std::uint32_t{EPOLLIN});
    }
    void watch_room(bool on) noexcept {
        watch(on ? watched_ | EPOLLOUT : watched_ & ~std::uint32_t{EPOLLOUT});
    }
    void part() noexcept;
    void leave() noexcept;
    void lose(std::string cause, Status first = Status::peer_lost) noexcept;
    [[nodiscard]] std::string named(std::string_view cause) const;
    void close() noexcept;
    void accuse() noexcept;
    void forget(Key key) noexcept;
    [[nodiscard]] std::size_t take(std::span<Completion> completions) noexcept;

    Context* context_;
    std::uint32_t peer_;
    State state_ = State::idle;
    bool holds_ = false;    ///< flush() does nothing
    bool stalled_ = false;  ///< immediates wait to be polled, or a payload for its place: nothing is read
    bool listed_unsent_ = false;  ///< the context pushes in every round
    bool discards_ = false;       ///< lost by its own fault: reads on, so that the peer learns why
    bool said_good_bye_ = false;  ///< the last frame is posted,
    bool shut_ = false;           ///< and sent
    std::uint8_t hot_ = 0;        ///< rounds in which the context looks at this socket without asking epoll
    std::uint32_t watched_ = 0;   ///< events that epoll tells of; 0: it does not know the socket
    Status loss_untold_ = Status::ok;  ///< goes out as a completion without ticket
    Descriptor socket_;
    SocketAddress address_;
    std::unique_ptr<Queues> queues_;
    std::unique_ptr<Contact> contact_;
    std::optional<Greeting> greeting_;
    std::string cause_;
};

}  // namespace rb2::fabric::tcp
