// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/running_folds.h: running folds (prefix results) inside the lane, in the order of
// core/loops/fold_order.h.
//
// It writes one loop for each row of the inner axes, which reads the terms and stores each result
// directly after its term. It may keep its state in local arrays; where results go is up to
// Outputs. A new order or state of a running fold is part of RowFold in the source.
#pragma once
#include "jit/nests/element_reader.h"
#include "jit/nests/outputs.h"

namespace weft::compiler {

class RunningFolds {
 public:
  RunningFolds(nest::Builder& b, LaneSpace& space, ElementReader& elements, Outputs& outputs)
      : b_(b), space_(space), elements_(elements), outputs_(outputs) {}
  // Computes all results of equation i of f at this place.
  void write(Frame& f, size_t i);

 private:
  // Writes the code of each term of rows that are one run. The results are scalars.
  void write_out(Frame& f, size_t i, int64_t n, int64_t rows);

  nest::Builder& b_;
  LaneSpace& space_;
  ElementReader& elements_;
  Outputs& outputs_;
};

}  // namespace weft::compiler
