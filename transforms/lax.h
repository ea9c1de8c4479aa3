// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/lax.h: control flow under the names that jax.lax has for it (switch is a word of C++).
#pragma once
#include "weft/transforms/control_flow.h"
#include "weft/transforms/linear_solve.h"

namespace weft::lax {

// The same as weft::associative_scan. Source: jax.lax.associative_scan.
using weft::associative_scan;
// The same as weft::cond. Source: jax.lax.cond.
using weft::cond;
// The same as weft::custom_linear_solve. Source: jax.lax.custom_linear_solve.
using weft::custom_linear_solve;
// The same as weft::fori_loop. Source: jax.lax.fori_loop.
using weft::fori_loop;
// The same as weft::map. Source: jax.lax.map.
using weft::map;
// The same as weft::scan. Source: jax.lax.scan.
using weft::scan;
// The same as weft::switch_. Source: jax.lax.switch.
using weft::switch_;
// The same as weft::while_loop. Source: jax.lax.while_loop.
using weft::while_loop;

}  // namespace weft::lax
