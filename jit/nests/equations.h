// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/equations.h: writes the equations of the program and of bodies, in their order.
//
// It decides by the form of an equation which part writes it, and when deferred values are
// computed. It writes no instructions itself. A new lowering form is a case of `write`.
#pragma once
#include "jit/nests/control.h"
#include "jit/nests/running_folds.h"
#include "jit/nests/updates.h"

namespace weft::compiler {

class Equations final : public BodyWriter {
 public:
  Equations(nest::Builder& b, LaneSpace& space, Frames& frames, LaneArrays& arrays,
            ElementReader& elements, Materializer& materializer, Outputs& outputs, Updates& updates)
      : materializer_(materializer),
        updates_(updates),
        running_folds_(b, space, elements, outputs),
        control_(b, space, frames, arrays, elements, materializer, outputs, *this) {}
  // Computes equation i for this lane, at this place in the code.
  void write(Frame& f, size_t i);
  void write_body(Frame& body, bool materialize_results = true) override;

 private:
  Materializer& materializer_;
  Updates& updates_;
  RunningFolds running_folds_;
  ControlFlow control_;
};

}  // namespace weft::compiler
