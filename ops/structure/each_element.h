// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/structure/each_element.h: applies functions of scalars to whole arrays.
#pragma once
#include "core/ir.h"
#include "weft/array.h"
#include "weft/detail/ref.h"

namespace weft {

// Applies f to the elements at each position of arrays of one shape, by a map over all elements. f
// can use any ops. It takes one scalar for each array and returns scalars.
Arrays each_element(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x);

}  // namespace weft
