#pragma once
// Everything one rank owns between start-up and finalize: bootstrap session, segments, rings, engine.

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "pt2pt/engine.hpp"
#include "pt2pt/fabric_transport.hpp"

namespace rb2::pt2pt {

/// Compiled once, in engine.cc; other libraries inline its short paths and call the rest.
extern template class BasicEngine<FabricTransport>;

using Engine = BasicEngine<FabricTransport>;

class World {
  public:
    /// Finds the other ranks, wires the rings and returns the process's world. Throws StartupError, also when
    /// called twice or after finalize(): a process has one world in its life.
    static World& start();
    /// The running world, or null before start() and after finalize().
    static World* current() noexcept;
    /// True once finalize() has been called.
    static bool finalized() noexcept;

    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World();

    [[nodiscard]] Engine& engine() noexcept;
    [[nodiscard]] int rank() const noexcept;
    [[nodiscard]] int size() const noexcept;
    /// Index of this rank's program in a job of several programs; 0 otherwise.
    [[nodiscard]] std::uint32_t app_number() const noexcept;
    /// Host name of a world rank, for messages to people.
    [[nodiscard]] std::string_view host(int rank) const noexcept;
    /// Whether a world rank is on this rank's machine: on one node of the launcher, under one host name.
    [[nodiscard]] bool shares_machine(int rank) const noexcept;
    /// "rank 3 (node7)".
    [[nodiscard]] std::string describe(int rank) const;

    /// Several threads call from now on, each within a Turn of threads(). For the rest of the world's life.
    void share_among_threads() noexcept;

    /// Collective: waits for own sends, then leaves. The object is gone afterwards.
    void finalize();
    /// Ends the whole job with `code` after flushing stdio; `text` reaches the launcher. `patience` as in
    /// bootstrap::Session::abort().
    [[noreturn]] void abort(int code, std::string_view text, std::chrono::milliseconds patience = {});

  private:
    struct Parts;
    explicit World(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

}  // namespace rb2::pt2pt
