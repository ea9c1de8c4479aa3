// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/choose/limits.h: the constants by which schedules are chosen, one table per kind of
// target. Each comment names the measurement or the hardware fact that set the value.
// "Instructions" are instructions of loop nests.
#pragma once
#include <cstdint>

#include "jit/schedule/target.h"

namespace weft::compiler {

struct Limits {
  // The number of vectors that may be live at the same time in interleaved code. It is nearly twice
  // the number of registers, because a reload from L1 is cheap compared with a chain of dependent
  // operations. Measured: Mandelbrot is fastest with 4 points interleaved; rk45 (22 live vectors,
  // 190 instructions) drops from 4.9 to 3.3 ms with 2 or more.
  int live_vectors;
  // The largest loop body, in instructions after interleaving. A larger one stalls the front end.
  // Measured with rk45, as above.
  int64_t max_interleaved_body;
  // The largest number of vectors that are interleaved, and the limit for loops whose elements
  // branch: each branch is tested for all of them together. Measured with rk45, as above.
  int interleave, interleave_branches;
  // The same limit for loops that write along rows: memory serves that many rows well. If the body
  // is short, only one row is written at a time. Measured: docs/decisions/0009.
  int interleave_rows;
  // The largest body, in instructions, that is bound by memory rather than by arithmetic. Measured:
  // docs/decisions/0009.
  int64_t short_body;
  // The number of interleaved vectors for a single short fold along an axis other than that of the
  // elements. Such a fold reads a piece of each row, and a longer piece is faster. The hardware
  // sets it: two half cache lines of f32, or four whole ones with AVX-512.
  int interleave_fold;
  // The largest number of array elements per point for which loops are interleaved. The hardware
  // sets it: 64 elements of 4 vectors of 64 bytes are 16 KB, at most half of L1.
  int64_t max_interleaved_arrays;
  // The largest kernel, in instructions, that is emitted twice: once for whole vectors and once,
  // under a mask, for the remainder. The limit is higher without mask registers, because masked
  // loads of narrow types then run element by element. Measured with mask registers:
  // docs/decisions/0003. Measured without them: 4099 points, emitted once, take 4 to 5 times as
  // long at 4 instructions, 1.4 times at 64 and 1.3 times at 1024. Emitting a kernel twice adds a
  // tenth to LLVM's time.
  int64_t max_versioned_kernel;
  // The smallest while body, in instructions, from which on a finished element is refilled with a
  // new point. The gain depends on the trip counts, which are unknown at compile time. The measured
  // speedups are for 1 to 200 random trips, then for 1 to 5, by instructions per trip. Without
  // masked gathers and scatters: 12: 1.5, 0.4; 40: 1.8, 0.8; 70: 1.8, 0.7. With them: 5: 1.0, 0.2;
  // 12: 1.2, 0.4; 40: 1.4, 0.8; 70: 1.6, 1.0. There the long runs decided the value.
  int64_t min_refilled_body;
  // Limits for points that are sorted by the sides of branches that they take, all measured in
  // docs/decisions/0079. `sort_points` is the number of points of a block. `sort_keys` is the
  // largest number of ways through the branches. `sort_cost` is the cost of sorting a point, and
  // `gather_cost` that of moving an element alone instead of with its neighbours, in instructions.
  int64_t sort_points, sort_keys, sort_cost, gather_cost;
  // Points may be sorted if a vector that runs all sides costs more than one that runs the cheapest
  // way. The difference is at least `min_sort_gain` times the cost of sorting a vector, and that of
  // the conditions, which are computed twice. `min_sorted_sides` is the cost of the sides of a
  // branch from which on they are told apart. `max_sorted_kernel` is the size of the largest such
  // kernel in instructions: it is emitted twice. `min_sorted_row` is the length of the shortest row
  // of the grid: with fewer points, calls save too little for the longer compilation.
  int64_t min_sort_gain, min_sorted_sides, max_sorted_kernel, min_sorted_row;
  // The number of partial results that a fold keeps in registers while its terms are visited in
  // strides: half of the registers.
  int fold_registers;
  // The largest fold term, in instructions, that is emitted once per partial result instead of in a
  // loop over them. Measured: the loop takes 1.2 times as long at 16 instructions and 1.1 times at
  // 32. Above the limit only LLVM's time would grow.
  int64_t max_unrolled_term;
  // Limits for unrolling loops of constant trip count. `unrolled_trips` is the largest trip count.
  // `unrolled` is the number of instructions that unrolling may add to a kernel where it turns
  // local arrays into registers. Measured: an 8 x 8 Cholesky is then as fast as handwritten
  // code. `unrolled_without_arrays` is the same limit where it does not. Measured: 1 to 16
  // instructions with 4 to 16 trips are as fast in a loop, within 3 %. The limit is about the code
  // size of the loop itself. `unrolled_in_memory` is the limit where the loop has arrays that stay
  // in memory. Measured: without it, a loop of 16 trips that writes one vector each takes 1.07
  // times as long. With a larger one, LLVM takes twice as long for loops whose bodies have folds.
  int64_t unrolled_trips, unrolled, unrolled_in_memory, unrolled_without_arrays;
  // The largest number of cheap instructions on one side of a branch that all elements compute
  // instead of branching. Measured: where elements choose sides at random, branching takes 1.2
  // times as long at 4 instructions and 1.1 times at 8. Where neighbours choose the same side,
  // branching saves 1.2 times at 4 and 1.4 times at 8. Where one side of 8 instructions is chosen
  // once in a thousand, it saves 1.8 times.
  int max_flat_side;
  // The largest kernel, in instructions, that is emitted a second time for tiles of rows. Measured
  // speedup of reading 1500 x 1500 floats by columns: 3.7 at 1 instruction, 1.8 at 64, 1.1 at 512.
  int64_t max_tiled_kernel;
  // `row_vector` is the size in bytes of the vector that moves a piece of a row: one register.
  // `row_tiles` is the size in bytes of all tiles together: the smallest L1 of current CPUs.
  int64_t row_vector, row_tiles;
  // True if masks are bits in registers, so that loops over arrays of masks run on bits. Measured:
  // docs/decisions/0080.
  bool bits;
  // The largest number of elements of a record that is read or written as whole vectors. All
  // elements are moved, with some shuffles for each, whereas a gather takes one access per element.
  // `long_record` is the same for records of which at least half is accessed. The library sets it:
  // so many vectors of 64 bytes are 16 KB of the frame.
  int64_t record, long_record;
  // Prefetching. `fetch_trips` is how many trips ahead a load is prefetched if its address advances
  // by `fetch_far` bytes or more per trip, which no hardware prefetcher follows. `fetch_row` is the
  // length in bytes from which on the next row is prefetched: a shorter one is fetched together
  // with its neighbour. Measured: softmax of 4096 x 4096 takes 9 to 10 ms, and 13 to 16 ms without
  // prefetching.
  int64_t fetch_trips, fetch_far, fetch_row;
  // The number of threads per block on a GPU. The hardware sets it: whole warps, and as many
  // threads as an SM has registers for if each thread uses the maximum (65536 / 255).
  int block;
  // The number of threads that share a point, and the number of fold terms from which on they do.
  // The hardware sets it: a warp, which reads a line of 128 bytes in one access.
  int threads;
  // Limits for whiles whose threads are refilled with new points. `refill_threads` is the number of
  // threads that run concurrently: those of 1024 blocks, which the largest GPUs run.
  // `refill_points` is the largest number of points per thread. A warp ends with its slowest
  // thread, so many points per thread average out the trip counts.
  int64_t refill_threads, refill_points;
  // Limits for rows that a block computes. A warp keeps a row in registers up to `row_of_warp`
  // terms: 32 registers per thread. `row_threads` is the size of a block, and `max_row_threads`
  // its size where there are few rows. `row_turns` is the smallest number of terms per thread in
  // such a large block. `row_memory` is the number of bytes for the terms of a row: six blocks of
  // 128 threads fit on a multiprocessor. From `many_rows` rows on, one warp per row is enough. To
  // saturate memory, a multiprocessor needs 17 KB in flight (3.35 TB/s, 700 ns, 132
  // multiprocessors). A warp that loops over a row has 0.25 KB in flight.
  int64_t row_of_warp;
  int row_threads, max_row_threads;
  int64_t row_turns, row_memory, many_rows;
  // The size in bytes of all tiles that the threads of a block share. The hardware sets it: eight
  // blocks of 256 threads fit on the smallest multiprocessor.
  int64_t shared_tiles;
  // The number of instructions of the points that a GPU thread interleaves. Above it, arithmetic
  // takes longer than memory. The hardware sets it: the largest GPUs execute 68 instructions in the
  // time that 8 bytes per point take.
  int64_t max_interleaved_points;
  // `max_kept_words` is the number of 32-bit registers in which a thread keeps values of a row:
  // half of those that a thread of 16 full warps can have. `max_kept_code` is the number of
  // instructions of its loops after unrolling for that. It is four times the capacity of a 16 KB
  // instruction cache, and rows of 1024 need less.
  int64_t max_kept_words, max_kept_code;
  // Limits for matrix products. `product_terms` is the number of terms that are copied per stage:
  // 64 bytes of a row. Two stages of 128 x 128 tiles then use two thirds of the shared memory that
  // a block gets by default. `product_terms_mma` is the same for 16-bit types on tensor cores.
  // `product_points` is the number of instructions after the loop for all points of a thread, set
  // like `unrolled`. `product_blocks` is the number of blocks from which on tiles are larger: the
  // largest GPUs have as many multiprocessors.
  int product_terms, product_terms_mma;
  int64_t product_points, product_blocks;
};

// 16 vector registers that also hold the masks: SSE4.2, AVX2, and all targets other than x86.
inline constexpr Limits narrow = {
    .live_vectors = 28,
    .max_interleaved_body = 480,
    .interleave = 4,
    .interleave_branches = 2,
    .interleave_rows = 2,
    .short_body = 12,
    .interleave_fold = 2,
    .max_interleaved_arrays = 64,
    .max_versioned_kernel = 1600,
    .min_refilled_body = 48,
    .sort_points = 4096,
    .sort_keys = 16,
    .sort_cost = 3,
    .gather_cost = 1,
    .min_sort_gain = 4,
    .min_sorted_sides = 32,
    .max_sorted_kernel = 8192,
    .min_sorted_row = 512,
    .fold_registers = 8,
    .max_unrolled_term = 256,
    .unrolled_trips = 16,
    .unrolled = 1200,
    .unrolled_in_memory = 160,
    .unrolled_without_arrays = 32,
    .max_flat_side = 4,
    .max_tiled_kernel = 512,
    .row_vector = 32,
    .row_tiles = 1 << 15,
    .bits = false,
    .record = 4,
    .long_record = 256,
    .fetch_trips = 16,
    .fetch_far = 1024,
    .fetch_row = 1024,
    .block = 0,
    .threads = 1,
    .refill_threads = 0,
    .refill_points = 1,
    .row_of_warp = 0,
    .row_threads = 1,
    .max_row_threads = 1,
    .row_turns = 0,
    .row_memory = 0,
    .many_rows = 0,
    .shared_tiles = 0,
    .max_interleaved_points = 0,
    .max_kept_words = 0,
    .max_kept_code = 0,
    .product_terms = 0,
    .product_terms_mma = 0,
    .product_points = 0,
    .product_blocks = 0,
};

// AVX-512: 32 vector registers, separate mask registers, masked memory accesses.
inline constexpr Limits avx512 = [] {
  Limits l = narrow;
  l.live_vectors = 56;
  l.interleave_fold = 4;
  l.max_versioned_kernel = 48;
  l.min_refilled_body = 0;
  l.fold_registers = 16;
  l.row_vector = 64;
  l.bits = true;
  l.record = 16;
  return l;
}();

// GPUs: a thread does no work for vectors beyond the last one. There are enough registers for all
// partial results of a fold of moderate length.
inline constexpr Limits gpu = [] {
  Limits l = narrow;
  l.fold_registers = 16;
  l.block = 256;
  l.threads = 32;
  l.refill_threads = 1024 * 256;
  l.refill_points = 32;
  l.row_of_warp = 1024;
  l.row_threads = 128;
  l.max_row_threads = 512;
  l.row_turns = 8;
  l.row_memory = 33 << 10;
  l.many_rows = 4096;
  l.shared_tiles = 20 << 10;
  l.max_interleaved_points = 64;
  l.max_kept_words = 64;
  l.max_kept_code = 4096;
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
