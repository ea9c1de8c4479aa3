// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/known_elements.h: what a program alone says of the elements of small values.
//
// The lowering rule of an equation is run for each element of the result in a nest of its own.
// Elements of operands that are known are constants there. So iotas, comparisons, and ops that move
// elements need no rules of their own.
#pragma once
#include <vector>

#include "core/loops/lower.h"

namespace weft::compiler {

// An element may be unknown, known by its bits, or known to be a zero of a derivative
// (docs/decisions/0075), which may be -0. Complex numbers and keys are unknown.
struct Known {
  enum class Kind : uint8_t { nothing, constant, zero };
  Kind kind = Kind::nothing;
  uint64_t bits = 0;  // of a constant, as in nest::Opcode::Const
  friend bool operator==(const Known&, const Known&) = default;
};

// Indices over all axes of a value.
using Indices = std::vector<int64_t>;
// Calls f with all indices below the extents, in row-major order.
void for_each_index(const Indices& extents, FunctionRef<void(const Indices&)> f);

class KnownElements {
 public:
  KnownElements() = default;
  // Elements in row-major order. Along an axis of extent 1 all elements are alike.
  KnownElements(Indices extents, std::vector<Known> elements);
  // A literal.
  explicit KnownElements(const Literal& l);
  bool empty() const { return elements_.empty(); }  // nothing is known
  const Indices& extents() const { return extents_; }
  // An index may be -1, that is any.
  Known at(const Indices& index) const;
  // Keeps what is true of both.
  KnownElements meet(const KnownElements& other) const;
  // Keeps zeros of derivatives only.
  KnownElements zeros() const;
  // With another leading axis, along which all elements are alike.
  KnownElements stacked() const;
  // Without the leading axis. It keeps what is true of all rows along that axis.
  KnownElements row() const;
  friend bool operator==(const KnownElements&, const KnownElements&) = default;

 private:
  Indices extents_;
  std::vector<Known> elements_;
};

// The elements of the only result of an equation in pull form, or of a sum.
struct KnownResult {
  KnownElements known;
  // By element: true if it is only zero because the zero of a derivative times any number is zero.
  std::vector<bool> by_rule;
};
// An equation, and what is known of its operands.
struct KnownOperands {
  const Lowering& lowering;
  const Types& types;
  const std::vector<KnownElements>& known;
};
// Computes the elements at all indices below the extents, for a result of this shape. An axis that
// is longer than its extent has lanes, which must be alike.
KnownResult known_result(const KnownOperands& in, const Shape& shape, const Indices& extents);

}  // namespace weft::compiler
