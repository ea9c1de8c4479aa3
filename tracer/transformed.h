// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/transformed.h: a cache of transformed programs: each program that an equation holds is
// transformed once (docs/decisions/0015).
#pragma once
#include "tracer/record_trace.h"

namespace weft {

// The result of a transform: programs, additional results, and the outside values that are the
// first arguments of the first program.
struct Transformed {
  std::vector<Jaxpr> programs;
  Ints notes;
  Arrays consts = {};
};

// Everything on which the result depends, except for the named axes in scope, which are added by
// `transformed`.
struct TransformKey {
  enum Transform { jvp, partial, transpose, batch } transform;
  Jaxpr program;
  Ints numbers;  // axes, sizes, flags
  Types types = {};
  Strings names = {};
  // Programs compare by identity: the result for an equal program would name other source
  // locations.
  friend bool operator==(const TransformKey& a, const TransformKey& b) {
    return a.transform == b.transform && a.program.get() == b.program.get() &&
           a.numbers == b.numbers && a.types == b.types && a.names == b.names;
  }
};

// The cached result for the key, or the result of `make`, which runs without a lock. Results that
// read outside values or hold user objects (rules) are not cached. The cache evicts the least
// recently used results.
Transformed transformed(TransformKey key, FunctionRef<Transformed()> make);
void clear_transformed();

}  // namespace weft
