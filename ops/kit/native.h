// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/native.h: native code on concrete arrays, for the reference of ops that are nothing else.
#pragma once
#include "weft/core/op.h"
#include "weft/tracer/array.h"

namespace weft {

// Runs native code on the host, as compiled programs do; results of these types.
Arrays run_native(const NativeFn& f, const Arrays& x, const Types& out);

}  // namespace weft
