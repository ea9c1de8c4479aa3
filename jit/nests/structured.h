// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/structured.h: writes loops and branches whose contents a C++ function writes, and lists
// of components.
//
// These are functions of the builder alone: they know neither values nor lanes. A new form of a
// structured instruction without carries is a function here.
#pragma once
#include <functional>
#include <vector>

#include "core/loops/lower.h"

namespace weft::compiler {

std::vector<nest::Kind> kinds_of(const nest::Builder& b, const std::vector<nest::Id>& ids);
// Returns the first n parameters of a block.
std::vector<nest::Id> params_of(const nest::Builder& b, nest::BlockId block, size_t n);
// Appends the components of an element.
void push(std::vector<nest::Id>* ids, const Elem& e);

// Writes a sequential loop over 0 … n - 1.
void sequential_loop(nest::Builder& b, int64_t n, const std::function<void(nest::Id)>& each);
// Writes nested sequential loops, one for each extent. So no index is divided, and what depends on
// outer indices only is computed in outer loops.
void sequential_loops(nest::Builder& b, const std::vector<int64_t>& extents,
                      const std::function<void(const Coords&)>& each);
// The same, but its iterations may be the elements of a vector.
void vector_loop(nest::Builder& b, int64_t n, const std::function<void(nest::Id)>& each);
// Each side returns the values that it yields.
std::vector<nest::Id> branch(nest::Builder& b, nest::Id mask,
                             const std::function<std::vector<nest::Id>()>& then,
                             const std::function<std::vector<nest::Id>()>& otherwise);
void if_then(nest::Builder& b, nest::Id mask, const std::function<void()>& then);

}  // namespace weft::compiler
