// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/jacobian/sparsity.h: which elements of a function's result depend on which of its
// arguments, and which of them may share a pass of a derivative (docs/decisions/0055).
#pragma once
#include "weft/tracer/record_trace.h"

namespace weft::detail {

// Of a matrix: by row, the columns where it may be other than zero, ascending.
struct Pattern {
  std::vector<std::vector<int32_t>> rows;
  int64_t columns = 0;
  Pattern transposed() const;
};

// A linear program: its last inputs, of `seeds` elements in all, are those that it is linear in,
// the others stand for any values. Row s of the pattern holds the elements of the results, numbered
// through all of them, that depend on element s of those inputs, whatever the others are. What
// is too involved to tell counts as dependent. So many rows are found at a time.
Pattern reached_by(const Closed& linear, size_t seed_inputs, int64_t at_a_time);

// A number for each row, such that no two rows with one number share a column.
struct Colours {
  std::vector<int32_t> of_row;
  int64_t count = 0;
};
Colours coloured(const Pattern& p);

}  // namespace weft::detail
