// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/control.h: loops, branches and calls inside the lane, as structured instructions.
//
// It makes the frames of bodies, binds their inputs, and opens and closes the blocks. The equations
// of a body are written through BodyWriter, and carries and stored rows through their own parts. A
// new control-flow op is a method here and a case of `write`.
#pragma once
#include "jit/nests/carries.h"
#include "jit/nests/outputs.h"

namespace weft::compiler {

// Writes the equations of a body. It is an interface since these may be loops themselves.
class BodyWriter {
 public:
  virtual ~BodyWriter() = default;
  // Unless `materialize_results`, the code after the body may compute expensive results.
  virtual void write_body(Frame& body, bool materialize_results = true) = 0;
};

class ControlFlow {
 public:
  ControlFlow(nest::Builder& b, const LaneSpace& space, Frames& frames, LaneArrays& arrays,
              ElementReader& elements, Materializer& materializer, Outputs& outputs,
              BodyWriter& bodies)
      : b_(b),
        space_(space),
        frames_(frames),
        arrays_(arrays),
        elements_(elements),
        materializer_(materializer),
        outputs_(outputs),
        bodies_(bodies),
        carries_(space, arrays, elements, materializer) {}
  // Writes equation i of f, a loop, branch or call.
  void write(Frame& f, size_t i);

 private:
  void write_while(Frame& f, size_t i);
  void write_scan(Frame& f, size_t i);
  void write_cond(Frame& f, size_t i);
  void write_call(Frame& f, size_t i);
  void bind_operands(Frame& f, size_t i, Frame& body, ValueRange inputs, ValueRange operands);
  int bind_constants(Frame& f, size_t i, Frame& body);
  nest::Id trip_count(Frame& f, size_t i, const Frame& body);
  void store_row(Frame& body, Atom y, int32_t result, nest::Id time, Frame& f);
  std::vector<CarriedValue> begin_results(Frame& f, size_t i);
  Frame& branch_body(Frame& f, size_t i, size_t branch, const std::vector<CarriedValue>& results);
  std::vector<nest::Id> write_results(
      Frame& f, int32_t first, const std::vector<CarriedValue>& results, const Frame* body,
      const std::function<Elem(int, int32_t, const Coords&)>& value);
  void copy_operands(Frame& f, size_t i, Frame& body);

  nest::Builder& b_;
  const LaneSpace& space_;
  Frames& frames_;
  LaneArrays& arrays_;
  ElementReader& elements_;
  Materializer& materializer_;
  Outputs& outputs_;
  BodyWriter& bodies_;
  Carries carries_;
};

}  // namespace weft::compiler
