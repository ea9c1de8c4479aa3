// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/scan_rows.h: converts a loop with a known trip count to scan. Arrays that
// the loop reads or writes row by row become rows of the scan, as they were before the program was
// lowered. Derivatives then keep one row for each step instead of the whole array, and nothing is
// copied.
#pragma once
#include "tracer/record_trace.h"

namespace weft::hlo {

// A counter: carry `carry` is `first` in the first trip and grows by `step` in each of `trips`
// trips.
struct Counter {
  size_t carry = 0;
  int64_t first = 0, step = 1, trips = 0;
};

// Returns the carries after the loop. The body maps the carry to a carry of the same types.
Arrays counted_scan(const ClosedJaxpr& body, const Arrays& init, const Counter& counter);

}  // namespace weft::hlo
