// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/element_reader.h: the interface through which the parts of a nest read elements.
//
// Reading an element may compute an equation, whose rule reads other elements. Parts that write
// code use this interface, so that they do not depend on how elements are computed. A new way to
// read is a case of Elements (jit/nests/elements.h), which implements it.
#pragma once
#include "jit/nests/frames.h"

namespace weft::compiler {

class ElementReader {
 public:
  virtual ~ElementReader() = default;
  // Returns the element of `a`, a value of frame f, at coordinates over all its axes.
  virtual Elem read(Frame& f, Atom a, const Coords& at) = 0;
};

// Reads the operands of an equation for its lowering rule.
class OperandReader final : public Reader {
 public:
  OperandReader(ElementReader& elements, Frame& f, const Eqn& e)
      : elements_(elements), f_(f), e_(e) {}
  Elem read(int operand, const Coords& at) override {
    return elements_.read(f_, e_.in[operand], at);
  }

 private:
  ElementReader& elements_;
  Frame& f_;
  const Eqn& e_;
};

}  // namespace weft::compiler
