#pragma once
// How a function of the C interface is defined: once, under its PMPI name, with the MPI name as a weak alias,
// so that a profiling library can put its own MPI_X in front and call PMPI_X (MPI 5.0, chapter 15).
//
// What follows RB2_MPI_DEFINE is the body. The entry in front of it lets the call through at once while one
// thread at a time calls (one compare, which stands for "the library runs" as well); where several do, the
// call takes its turn first. So no body has to think of threads. The entry is a friend of a template, because
// only a template can forward parameters that have no name here.

#include "mpi.h"
#include "mpi/comm.hpp"
#include "pt2pt/threads.hpp"

namespace rb2::mpi {

/// The library runs and no two threads call it at once. Set by mpi/init.cc.
[[gnu::visibility("hidden")]] extern bool one_caller;

/// Before MPI_Init, after MPI_Finalize, or among threads.
template <auto kBody, class... Arguments>
[[gnu::cold, gnu::noinline]] auto call_in_turn(Arguments... arguments) noexcept {
    const pt2pt::Turn turn(pt2pt::threads());
    return kBody(arguments...);
}

/// For the optimiser: what one_caller implies.
[[gnu::always_inline]] inline void assume_running() noexcept {
    if (predefined_comms.world == nullptr) __builtin_unreachable();
}

}  // namespace rb2::mpi

// The compiler sees for itself that some entries never throw, and would have the aliases say so.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmissing-attributes"
#endif

#define RB2_MPI_ALIAS(type, name, ...) \
    extern "C" __attribute__((weak, alias("PMPI_" #name))) type MPI_##name(__VA_ARGS__)

#define RB2_MPI_DEFINE(type, name, ...)                                                    \
    [[gnu::always_inline]] static inline type rb2_mpi_##name(__VA_ARGS__);                 \
    template <class Function>                                                              \
    struct Rb2Entry##name;                                                                 \
    template <class Result, class... Arguments>                                            \
    struct Rb2Entry##name<Result(Arguments...)> {                                          \
        [[gnu::used]] friend Result PMPI_##name(Arguments... arguments) {                  \
            if (!rb2::mpi::one_caller) [[unlikely]]                                        \
                return rb2::mpi::call_in_turn<rb2_mpi_##name>(arguments...);               \
            rb2::mpi::assume_running();                                                    \
            return rb2_mpi_##name(arguments...);                                           \
        }                                                                                  \
    };                                                                                     \
    template struct Rb2Entry##name<type(__VA_ARGS__)>;                                     \
    [[maybe_unused]] static type (*const rb2_mpi_emit_##name)(__VA_ARGS__) = &PMPI_##name; \
    RB2_MPI_ALIAS(type, name, __VA_ARGS__);                                                \
    static inline type rb2_mpi_##name(__VA_ARGS__)

/// For functions that may be called at any time by any thread, and look at nothing that changes while the
/// library runs.
#define RB2_MPI_DEFINE_ANYTIME(type, name, ...) \
    RB2_MPI_ALIAS(type, name, __VA_ARGS__);     \
    type PMPI_##name(__VA_ARGS__)
