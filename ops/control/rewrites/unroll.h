// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/unroll.h: the option .unroll of scan: each step of the remaining loop runs
// several written-out steps. Also splits rows into blocks.
#pragma once
#include "ops/control/control_flow.h"

namespace weft {

// Returns the results of scan p on x, computed by a loop of p.unroll steps each, followed by the
// remaining steps. Returns {} if there is no step to write out.
Arrays unrolled(const Arrays& x, const Scan& p);

// Returns rows from … to - 1 of x.
Array rows_of(const Array& x, int64_t from, int64_t to);
// in_blocks splits the leading axis n into [n / size, size], and from_blocks reverses it.
Array in_blocks(const Array& x, int64_t size);
Array from_blocks(const Array& x);

}  // namespace weft
