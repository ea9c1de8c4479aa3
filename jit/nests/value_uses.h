// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/value_uses.h: decides, from the uses of values in a body, what is computed where it is
// read, what is stored first, and which arrays may be overwritten.
//
// These are functions of a frame that write nothing and change nothing. A large value is computed
// where it is read. In a body that is written equation by equation, large results are deferred.
// They are materialized before an equation reads an expensive one at another element than the one
// it computes. A new rule about when to store or to reuse is a function here.
#pragma once
#include "jit/nests/frames.h"

namespace weft::compiler {

// ---- values that are computed where they are read

// Returns true if an element of `a` takes more than *budget instructions where it is read.
bool is_expensive(const Frame& f, Atom a, int* budget);
// Returns true if elements of `a` are already stored somewhere.
bool is_copy(const Frame& f, Atom a);
// Returns true if `a` is large, not stored, and too expensive to compute again for each reader.
bool is_expensive_deferred(const Frame& f, Atom a);
// Returns true if deferred values must be computed before equation i is written.
bool must_materialize_deferred(const Frame& f, size_t i);

// ---- arrays that may be overwritten

// Returns the variables whose elements still have to be computed from those of `var` at equation i.
// They are computed where they are used.
VarMap<bool> pending_dependents(const Frame& f, size_t i, int32_t var);
// Returns true if operand k of equation i is an array that may be overwritten. Nothing may read it
// after this equation, either directly or through deferred values.
bool is_last_use(const Frame& f, size_t i, size_t k, VarMap<bool>* dependents);
// Returns true if loop or branch i may overwrite the array of its operand k. No later equation
// reads it, and neither do the bodies by another operand, directly or through deferred values.
bool can_reuse_array(const Frame& f, size_t i, size_t k);

}  // namespace weft::compiler
