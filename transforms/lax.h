// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/lax.h: control flow under the names that jax.lax has for it (switch is a word of C++).
#pragma once
#include "weft/transforms/control_flow.h"
#include "weft/transforms/linear_solve.h"

namespace weft::lax {

using weft::associative_scan;
using weft::cond;
using weft::custom_linear_solve;
using weft::fori_loop;
using weft::map;
using weft::scan;
using weft::switch_;
using weft::while_loop;

}  // namespace weft::lax
