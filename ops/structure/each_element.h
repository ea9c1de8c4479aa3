// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/structure/each_element.h: functions of scalars on whole arrays.
#pragma once
#include "weft/core/ir.h"
#include "weft/core/ref.h"
#include "weft/tracer/array.h"

namespace weft {

// f of the elements at each place of arrays of one shape, whatever f is made of: a map over all of
// them. It takes a scalar an array and returns scalars.
Arrays each_element(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x);

}  // namespace weft
