// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/unroll.h: .unroll of scan: several steps written out in each step of the
// loop that is left; and rows in blocks.
#pragma once
#include "weft/ops/control/control_flow.h"

namespace weft {

// The results of scan p on x by a loop of p.unroll steps each, with the steps that are left over
// behind it; {} if there is nothing to write out.
Arrays unrolled(const Arrays& x, const Scan& p);

// Rows from … to - 1 of x.
Array rows_of(const Array& x, int64_t from, int64_t to);
// The leading axis n as two, [n / size, size], and back.
Array in_blocks(const Array& x, int64_t size);
Array from_blocks(const Array& x);

}  // namespace weft
