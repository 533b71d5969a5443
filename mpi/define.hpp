#pragma once
// How a function of the C interface is defined: once, under its PMPI name, with the MPI name as a weak alias,
// so that a profiling library can put its own MPI_X in front and call PMPI_X (MPI 5.0, chapter 15).

#include "mpi.h"

#define RB2_MPI_DEFINE(type, name, ...)                                                  \
    extern "C" __attribute__((weak, alias("PMPI_" #name))) type MPI_##name(__VA_ARGS__); \
    type PMPI_##name(__VA_ARGS__)
