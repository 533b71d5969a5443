#include "runtime/network/verbs_contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <span>

#include "runtime/network/card_bytes.hpp"
#include "runtime/network/first_contact.hpp"

namespace rb2::network {
namespace {

std::span<const std::byte> bytes_of(const Hello& hello) { return std::as_bytes(std::span(&hello, 1)); }

/// The peer cannot be talked to, nor will be.
void give_up(VerbsLine& line, std::string why) {
    line.fault = std::move(why);
    line.channel.fail();
}

}  // namespace

VerbsContacts::VerbsContacts(const Options& options, fabric::verbs::CompletionQueue& queue, Lines& lines,
                             MakeLine make)
    : options_(&options),
      queue_(&queue),
      lines_(&lines),
      make_(std::move(make)),
      keys_(options.secret),
      datagrams_(queue, keys_.datagrams) {}

VerbsLine& VerbsContacts::meet(std::uint32_t rank) {
    if (const auto known = lines_->find(rank); known != lines_->end()) return *known->second;
    auto line = make_();
    unopened_.push_back(rank);
    return *(lines_->emplace(rank, std::move(line)).first->second);
}

void VerbsContacts::reach(std::uint32_t rank) { meet(rank).ask_at = Clock::now() + kAskAfter; }

bool VerbsContacts::advance() {
    bool any = !callers_.empty();
    datagrams_.take([&](std::span<const std::byte> bytes) {
        any = true;
        if (const auto hello = read_hello(bytes, keys_.job, options_->rank, options_->ranks)) hear(*hello);
    });
    const auto now = Clock::now();
    return std::erase_if(unopened_, [&](std::uint32_t rank) { return settle(rank, now); }) != 0 || any;
}

void VerbsContacts::hear(const Hello& hello) {
    const bool new_here = !lines_->contains(hello.from);
    if (new_here && hello.has(Hello::kRefused)) return;
    try {
        VerbsLine& line = meet(hello.from);
        if (new_here) callers_.push_back(hello.from);
        line.mailbox = hello.mailbox;
        if (!line.channel.failed()) follow(line, hello);
    } catch (const std::exception&) {
        refuse(hello);  // the peer's to tell: it wants the connection
    }
}

/// What the peer has said, and the answer.
void VerbsContacts::follow(VerbsLine& line, const Hello& hello) {
    if (hello.has(Hello::kRefused))
        return give_up(line, "it has no memory or queue pair left for the connection between the two");
    if (hello.slots != options_->ring.slots) {
        say(hello.from, line);  // so that it finds the same
        return give_up(line, fmt::format("it makes rings of {} slots, this rank of {}: do both run the same "
                                         "rb2?",
                                         hello.slots, options_->ring.slots));
    }
    try {
        if (!line.introduction.connected()) line.connect(hello.card());
        line.fault.clear();  // whatever kept this side from calling
    } catch (const std::exception& error) {
        refuse(hello);
        return give_up(line, error.what());
    }
    const bool answers = line.introduction.heard(
        {.connected = hello.has(Hello::kConnected), .sure = hello.has(Hello::kSure)}, Clock::now());
    if (line.introduction.sure() && !line.channel.open()) line.open();
    if (answers) say(hello.from, line);
}

bool VerbsContacts::settle(std::uint32_t rank, Clock::time_point now) {
    VerbsLine& line = *lines_->find(rank)->second;
    if (line.channel.open() || line.channel.failed()) return true;
    if (!line.asked && (line.channel.wanted() || now >= line.ask_at)) {
        line.asked = true;
        line.introduction.begin(now);
        if (!line.mailbox) look_up(rank, line);
    }
    // A call that only asks for a sign of life may fail: the peer may be able to call.
    if (!line.fault.empty() && line.channel.wanted()) line.channel.fail();
    if (line.mailbox && line.introduction.due(now)) say(rank, line);
    return line.channel.failed();
}

/// Only now the rank's card is fetched.
void VerbsContacts::look_up(std::uint32_t rank, VerbsLine& line) {
    try {
        const Peer peer = options_->find_peer(rank);
        std::span<const std::byte> card = peer.card;
        line.mailbox = take<Mailbox>(card);
    } catch (const std::exception& error) {
        line.fault = error.what();
    }
}

void VerbsContacts::say(std::uint32_t rank, VerbsLine& line) {
    Hello hello{.slots = static_cast<std::uint32_t>(options_->ring.slots)};
    hello.set_card(line.card());
    const auto word = line.introduction.word();
    hello.flags = (word.connected ? Hello::kConnected : 0U) | (word.sure ? Hello::kSure : 0U);
    if (send(rank, *line.mailbox, hello) == Status::invalid_argument)
        line.fault =
            "no two GIDs of the two are of one type and family; give both interfaces addresses of "
            "one family, or choose with RB2_VERBS_GID_INDEX";
}

void VerbsContacts::refuse(const Hello& hello) {
    Hello refusal{.flags = Hello::kRefused};
    static_cast<void>(send(hello.from, hello.mailbox, refusal));
}

/// One that is not sent is as good as lost: it is said again.
Status VerbsContacts::send(std::uint32_t rank, const Mailbox& to, Hello& hello) {
    hello.job = keys_.job;
    hello.from = options_->rank;
    hello.to = rank;
    hello.mailbox = mailbox();
    return datagrams_.send(to.address, to.number, bytes_of(hello));
}

}  // namespace rb2::network
