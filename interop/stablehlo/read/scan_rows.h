// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/scan_rows.h: a loop of known trips as scan. What such loops read and write
// row by row becomes rows of the scan, as it was before it was lowered: derivatives then keep a row
// a step, not the whole array, and nothing is copied.
#pragma once
#include "weft/tracer/record_trace.h"

namespace weft::hlo {

// Carry `carry` is `first` in the first trip and grows by `step` in each of `trips`.
struct Counter {
  size_t carry = 0;
  int64_t first = 0, step = 1, trips = 0;
};

// The carries after the loop. body: carry -> carry, of equal types.
Arrays counted_scan(const Closed& body, const Arrays& init, const Counter& counter);

}  // namespace weft::hlo
