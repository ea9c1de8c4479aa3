// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/choose/limits.h: the numbers by which schedules are chosen, a table a target, and
// what set each: a measurement, the machine, or a bound of code size ("code"), which is a guess
// that no measurement has moved. Instructions are those of nests.
#pragma once
#include <cstdint>

#include "weft/jit/schedule/target.h"

namespace weft::compiler {

struct Limits {
  // Vectors that may live at once in interleaved code. A reload from L1 is cheap beside a chain of
  // dependent operations, so it is near twice the registers. Measured: Mandelbrot is best at 4 side
  // by side, rk45 (22 live, 190 instructions; 4.9 to 3.3 ms) at 2 or more.
  int live_vectors;
  // Instructions of a loop's body, interleaved; beyond them the front end waits. As before: rk45.
  int64_t interleaved_body;
  // Vectors side by side at most; where lanes branch, each branch is tested for all. As before.
  int interleave, interleave_branches;
  // Of loops that write along rows: memory serves so many rows well, one if the body is short.
  // Measured: docs/decisions/0009.
  int interleave_rows;
  // Bodies up to here wait for memory, not for arithmetic. Measured: docs/decisions/0009.
  int64_t short_body;
  // Of one short fold along another axis than the lanes: it reads a piece of each row, and a longer
  // one pays. The machine: two half cache lines of f32, four whole ones with AVX-512.
  int interleave_fold;
  // Elements of arrays in a lane up to which loops are interleaved. The machine: 64 elements of 4
  // vectors of 64 bytes are 16 KB, half of L1 or less.
  int64_t interleaved_arrays;
  // Kernels up to here are written twice, for whole vectors and for the rest under a mask. Without
  // mask registers masked loads of narrow types run lane by lane, so there it takes more. Measured
  // with them: docs/decisions/0003; without: code.
  int64_t versioned;
  // Whiles from here on take new points as lanes finish: without masked gathers and scatters,
  // refill_cost costs tens of trips of a short loop. Code.
  int64_t refilled;
  // Partial results of a fold in registers while its terms stride. The machine: half of them.
  int fold_registers;
  // Of a fold's terms, written out once a register; of a short fold of constant length. Code.
  int64_t fold_written_out, fold_unrolled;
  // Loops of constant length that are written out: trips; instructions that all of them in a kernel
  // may add where that turns arrays of the lane into registers (measured: Cholesky of 8 x 8 is as
  // fast as written by hand), and where it does not (code).
  int64_t unrolled_trips, unrolled, unrolled_without_arrays;
  // Quick instructions of a side of a branch that all lanes compute rather than branch. Code.
  int flat_side;
  // Kernels up to here are written once more for tiles of rows. Code; what tiles give: transposing
  // 4096 x 4096 floats takes 30 ms, 110 without.
  int64_t tiled;
  // Bytes of a vector that is moved as a piece of a row: a register. Of all tiles together: those
  // of the smallest L1 of the time.
  int64_t row_vector, row_tiles;
  // Prefetching: trips ahead of loads that jump so many bytes from trip to trip, which no
  // prefetcher of the machine follows; the next row, if it is so long that it does not come along
  // with its neighbour. Measured: softmax of 4096 x 4096 takes 9 to 10 ms, 13 to 16 without.
  int64_t fetch_trips, fetch_far, fetch_row;
  // Of GPUs: threads of a block. The machine: whole warps, and as many as an SM has registers for
  // if each thread takes all that it can have (65536 / 255).
  int block;
};

// 16 vector registers, masks in them: SSE4.2, AVX2, and what is no x86.
inline constexpr Limits narrow = {
    .live_vectors = 28,
    .interleaved_body = 480,
    .interleave = 4,
    .interleave_branches = 2,
    .interleave_rows = 2,
    .short_body = 12,
    .interleave_fold = 2,
    .interleaved_arrays = 64,
    .versioned = 1600,
    .refilled = 48,
    .fold_registers = 8,
    .fold_written_out = 256,
    .fold_unrolled = 192,
    .unrolled_trips = 16,
    .unrolled = 1200,
    .unrolled_without_arrays = 32,
    .flat_side = 4,
    .tiled = 512,
    .row_vector = 32,
    .row_tiles = 1 << 15,
    .fetch_trips = 16,
    .fetch_far = 1024,
    .fetch_row = 1024,
    .block = 0,
};

// AVX-512: 32 vector registers, masks in registers of their own, masked memory accesses.
inline constexpr Limits avx512 = [] {
  Limits l = narrow;
  l.live_vectors = 56;
  l.interleave_fold = 4;
  l.versioned = 48;
  l.refilled = 0;
  l.fold_registers = 16;
  l.row_vector = 64;
  return l;
}();

// Threads: nothing is done for the vectors that there are not.
inline constexpr Limits gpu = [] {
  Limits l = narrow;
  l.fold_registers = 0;
  l.block = 256;
  return l;
}();

inline const Limits& limits_of(const TargetInfo& t) {
  return t.gpu() ? gpu : t.mask_registers ? avx512 : narrow;
}

}  // namespace weft::compiler
