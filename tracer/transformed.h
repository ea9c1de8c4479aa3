// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/transformed.h: what transforms make of the programs that equations hold, made once
// (DESIGN, Decided 7; docs/decisions/0015).
#pragma once
#include "weft/tracer/record_trace.h"

namespace weft {

// What a transform made: programs, what else it says of them, and the values from outside that the
// first program takes in front.
struct Transformed {
  std::vector<Jaxpr> programs;
  Ints notes;
  Arrays consts = {};
};

// All that it depends on, but for the named axes in scope, which are looked up.
struct TransformKey {
  enum Transform { jvp, partial, transpose, batch } transform;
  Jaxpr program;
  Ints numbers;  // axes, sizes, flags
  Types types = {};
  Strings names = {};
  // Not what was made of an equal program: it names other places in the user's code.
  friend bool operator==(const TransformKey& a, const TransformKey& b) {
    return a.transform == b.transform && a.program.get() == b.program.get() &&
           a.numbers == b.numbers && a.types == b.types && a.names == b.names;
  }
};

// What `make` gives, or gave for that key before. It runs without a lock. What reads values from
// outside or holds objects of the user (rules) is not kept; of the rest, what was used last.
Transformed transformed(TransformKey key, FunctionRef<Transformed()> make);
void clear_transformed();

}  // namespace weft
