// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/carried_buffers.h: finds the buffers that loops carry and update in place
// (docs/decisions/0073).
//
// A trip that writes a few elements of a carry must not copy the others. A carry is updated in
// place if only updates lead from it to its next value, and nothing reads a value of this chain
// after the update that replaces it. Loops and branches inside the body may be parts of the chain.
// Reads before an update are computed before it, so they do not break the chain.
#pragma once
#include <set>
#include <utility>
#include <vector>

#include "core/loops/axis_classes.h"

namespace weft::compiler {

// A carry of a loop, and everything that shares its memory.
struct CarriedBuffer {
  const Scope* scope;  // of the loop
  size_t eqn;          // the loop
  int carry;           // the number of the carry
  std::vector<std::pair<const Scope*, int32_t>> values = {};
  std::vector<std::pair<const Scope*, size_t>> updates = {};
  // The reads of the values other than by these updates: the equation and the number of the
  // operand.
  struct Read {
    const Scope* scope;
    size_t eqn, operand;
  };
  std::vector<Read> reads = {};
  std::set<int> written = {};  // the classes of the axes that updates write at computed indices
};

// Returns the buffers of all loops in the bodies of equation i and of i itself. A carry that is
// part of the chain of an outer loop belongs to that one.
std::vector<CarriedBuffer> carried_buffers(const AxisClasses& an, const Scope& s, size_t i);
// Returns, by result of branch i, the operand that each side updates in place or returns, or -1.
// `masked`: the first input of s is the mask of its active lanes.
std::vector<int> updated_operands(const AxisClasses& an, const Scope& s, size_t i, bool masked);

}  // namespace weft::compiler
