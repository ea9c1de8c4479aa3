// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/sparsity.h: the sparsity pattern of Jacobians, and the rows or columns that
// can share a pass (docs/decisions/0055).
#pragma once
#include "tracer/record_trace.h"

namespace weft::detail {

// The sparsity pattern of a matrix: for each row, the ascending columns that may be nonzero.
struct Pattern {
  std::vector<std::vector<int32_t>> rows;
  int64_t columns = 0;
  Pattern transposed() const;
};

// Returns the dependences of a linear program. Its last seed_inputs inputs are those in which it is
// linear; the others may have any values. Row s of the pattern has the elements of the results that
// depend on element s of those inputs for some values of the others. The elements are numbered
// through all results. Elements that the search cannot decide count as dependent. It finds
// at_a_time rows per pass.
Pattern reached_by(const ClosedJaxpr& linear, size_t seed_inputs, int64_t at_a_time);

// A color for each row such that no two rows of one color share a column.
struct Colours {
  std::vector<int32_t> of_row;
  int64_t count = 0;
};
Colours coloured(const Pattern& p);

}  // namespace weft::detail
