// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/chunk.h: doing some lanes at a time: cutting, looping, joining, and how many fit.
#pragma once
#include "weft/batching/batch_trace.h"

namespace weft::detail {

// Whether a program is being written, so that a loop of C++ would be unrolled into it.
bool recording();
// i32[], a value rather than a number of the program.
Array lane_number(int64_t n);
// The first full * chunk entries along `axis` as [full, chunk, …].
Array chunk_rows(const Array& x, int axis, int64_t full, int64_t chunk);
// The inverse on results: ys[full, …, chunk at `axis` + 1, …] -> [.., full * chunk at `axis`, …].
Array unchunk_rows(const Array& ys, int axis);
// Entry `at` along the axis, which goes.
Array row_at(const Array& ys, int axis, int64_t at);
// Loops body(carry, rows…) -> (carry, ys…) and returns the ys.
Arrays scan_rows(FunctionRef<Arrays(const Arrays&)> body, const Array& carry, const Arrays& xs,
                 int64_t length);
// The largest number of lanes, at least 1, whose intermediates fit into that many bytes.
int64_t lanes_within(int64_t bytes, FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                     const MaybeAxes& axis, const std::string& axis_name, int64_t size);

}  // namespace weft::detail
