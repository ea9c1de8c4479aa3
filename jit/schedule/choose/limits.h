// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/choose/limits.h: the numbers by which schedules are chosen, a table a target, and
// what set each: a measurement or the machine. Instructions are those of nests.
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
  // with them: docs/decisions/0003; without: written once, 4099 points take 4 to 5 times as long at
  // 4 instructions, 1.4 at 64, 1.3 at 1024, where writing it twice costs LLVM a tenth of its time.
  int64_t versioned;
  // Whiles from here on take new points as lanes finish. What that saves depends on trips that
  // nobody knows before. Measured, time without over time with it, of 1 to 200 random trips and of
  // 1 to 5, by the instructions of a trip: without masked gathers and scatters 12: 1.5, 0.4; 40:
  // 1.8, 0.8; 70: 1.8, 0.7. With them 5: 1.0, 0.2; 12: 1.2, 0.4; 40: 1.4, 0.8; 70: 1.6, 1.0; the
  // longer runs decided there.
  int64_t refilled;
  // Partial results of a fold in registers while its terms stride. The machine: half of them.
  int fold_registers;
  // Of a fold's terms, written out once a register. Measured: a loop over the registers takes 1.2
  // times as long at terms of 16 instructions, 1.1 at 32; beyond, only LLVM would take longer.
  int64_t fold_written_out;
  // Loops of constant length that are written out: trips; instructions that all of them in a kernel
  // may add where that turns arrays of the lane into registers (measured: Cholesky of 8 x 8 is as
  // fast as written by hand), and where it does not (measured: 1 to 16 instructions, 4 to 16 times,
  // are as fast in a loop, within 3 %; it is as much as a loop itself costs in code).
  int64_t unrolled_trips, unrolled, unrolled_without_arrays;
  // Quick instructions of a side of a branch that all lanes compute rather than branch. Measured:
  // where lanes take sides at random, branching costs 1.2 times at 4 instructions, 1.1 at 8; where
  // neighbours take one side it saves as much at 4 and 1.4 times at 8; where one side in a thousand
  // has 8 to do, 1.8 times.
  int flat_side;
  // Kernels up to here are written once more for tiles of rows. Measured, time without over time
  // with them, reading 1500 x 1500 floats by columns: 3.7 at 1 instruction, 1.8 at 64, 1.1 at 512.
  int64_t tiled;
  // Bytes of a vector that is moved as a piece of a row: a register. Of all tiles together: those
  // of the smallest L1 of the time.
  int64_t row_vector, row_tiles;
  // Elements of records that are read or written as whole vectors: each element takes a shuffle
  // for every vector that they fill, where gathering it takes an access a lane.
  int64_t record;
  // Prefetching: trips ahead of loads that jump so many bytes from trip to trip, which no
  // prefetcher of the machine follows; the next row, if it is so long that it does not come along
  // with its neighbour. Measured: softmax of 4096 x 4096 takes 9 to 10 ms, 13 to 16 without.
  int64_t fetch_trips, fetch_far, fetch_row;
  // Of GPUs: threads of a block. The machine: whole warps, and as many as an SM has registers for
  // if each thread takes all that it can have (65536 / 255).
  int block;
  // Threads that share a point, and terms of a fold from which on they do. The machine: a warp,
  // which reads a line of 128 bytes at once.
  int threads;
  // Whiles whose threads take new points: threads that there are points for at a time (the machine:
  // those of 1024 blocks, which the largest run), and points that a thread has of them at most: the
  // slowest of a warp ends it, after so many others.
  int64_t refill_threads, refill_points;
  // Rows by a block: terms beyond which a warp does not keep them, the threads of one, those of one
  // of few and the turns that they have at least, bytes for the terms of a row, and rows from which
  // on warps are enough. The machine: 32 registers a thread; six such blocks of 128 a
  // multiprocessor; to keep memory busy one has 17 KB under way (3.35 TB/s, 700 ns, 132 of them),
  // of which a warp that loops over a row has 0.25.
  int64_t row_of_warp;
  int row_threads, most_row_threads;
  int64_t row_turns, row_memory, many_rows;
  // Bytes of all tiles that a block of threads shares. The machine: with eight blocks of 256
  // threads a multiprocessor, of the smallest that there are.
  int64_t shared_tiles;
  // Instructions of points that a thread of a GPU runs side by side; beyond them arithmetic takes
  // longer than memory. The machine: of 8 bytes a point the largest have time for 68.
  int64_t side_by_side;
  // Words of registers in which a thread keeps values of a row; instructions of its loops, written
  // out for that. The machine: half of the registers that a thread of 16 full warps can have; four
  // times what an instruction cache of 16 KB holds is more than rows of 1024 take.
  int64_t kept_words, kept_code;
  // Of products of matrices: terms that are moved at a time (the machine: 64 bytes of a row, and
  // with two stages of tiles of 128 x 128 two thirds of the shared memory that a block has
  // unasked), of those of 16 bits for tensor cores likewise; instructions behind the loop for all
  // points of a thread (as `unrolled`); blocks from which on tiles are larger (the machine: as many
  // as the largest have multiprocessors).
  int product_terms, product_terms_mma;
  int64_t product_points, product_blocks;
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
    .unrolled_trips = 16,
    .unrolled = 1200,
    .unrolled_without_arrays = 32,
    .flat_side = 4,
    .tiled = 512,
    .row_vector = 32,
    .row_tiles = 1 << 15,
    .record = 4,
    .fetch_trips = 16,
    .fetch_far = 1024,
    .fetch_row = 1024,
    .block = 0,
    .threads = 1,
    .refill_threads = 0,
    .refill_points = 1,
    .row_of_warp = 0,
    .row_threads = 1,
    .most_row_threads = 1,
    .row_turns = 0,
    .row_memory = 0,
    .many_rows = 0,
    .shared_tiles = 0,
    .side_by_side = 0,
    .kept_words = 0,
    .kept_code = 0,
    .product_terms = 0,
    .product_terms_mma = 0,
    .product_points = 0,
    .product_blocks = 0,
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
  l.record = 16;
  return l;
}();

// Threads: nothing is done for the vectors that there are not. Of registers there are enough for
// all partial sums of a fold that is not long.
inline constexpr Limits gpu = [] {
  Limits l = narrow;
  l.fold_registers = 16;
  l.block = 256;
  l.threads = 32;
  l.refill_threads = 1024 * 256;
  l.refill_points = 32;
  l.row_of_warp = 1024;
  l.row_threads = 128;
  l.most_row_threads = 512;
  l.row_turns = 8;
  l.row_memory = 33 << 10;
  l.many_rows = 4096;
  l.shared_tiles = 20 << 10;
  l.side_by_side = 64;
  l.kept_words = 64;
  l.kept_code = 4096;
  l.product_terms = 16;
  l.product_terms_mma = 32;
  l.product_points = 4096;
  l.product_blocks = 128;
  return l;
}();

inline const Limits& limits_of(const TargetInfo& t) {
  return t.gpu() ? gpu : t.mask_registers ? avx512 : narrow;
}

}  // namespace weft::compiler
