// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/chunk.h: maps that run a chunk of lanes at a time: slicing, looping, joining, and the
// choice of the chunk size.
#pragma once
#include "batching/batch_trace.h"

namespace weft::detail {

// Returns true while a program is being recorded, when a C++ loop would be unrolled into it.
bool recording();
// Returns n as i32[]. A program that is being recorded holds it as a number. Eager chunks pass it as
// a value, so that they share their programs.
Array lane_number(int64_t n);
// Returns the first full * chunk entries along `axis` as [full, chunk, …].
Array chunk_rows(const Array& x, int axis, int64_t full, int64_t chunk);
// Inverts chunk_rows for results: ys[full, …, chunk at `axis` + 1, …] -> [.., full * chunk at
// `axis`, …].
Array unchunk_rows(const Array& ys, int axis);
// Returns entry `at` along the axis, which is removed.
Array row_at(const Array& ys, int axis, int64_t at);
// Loops body(carry, rows…) -> (carry, ys…) and returns the ys.
Arrays scan_rows(FunctionRef<Arrays(const Arrays&)> body, const Array& carry, const Arrays& xs,
                 int64_t length);
// Returns the largest number of lanes, at least 1, whose intermediates fit into that many bytes.
int64_t lanes_within(int64_t bytes, FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                     const MaybeAxes& axis, const std::string& axis_name, int64_t size);

}  // namespace weft::detail
