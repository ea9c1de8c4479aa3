// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/native.h: runs native code on concrete arrays, as the reference of ops that have only
// native code.
#pragma once
#include "core/op.h"
#include "weft/array.h"

namespace weft {

// Runs native code on the host, as compiled programs do. The results have the types `out`.
Arrays run_native(const NativeFn& f, const Arrays& x, const Types& out);

}  // namespace weft
