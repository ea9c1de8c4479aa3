// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/counted_loops.h: loops that go on while a number is below another, and count it up by
// one, as loops of known bounds.
#pragma once
#include "weft/core/loops/nest.h"

namespace weft::nest {

// Makes a For of each While that counts, between bounds that are the same for all points: what is
// known of those (that they can be written out, moved by rows, bound indices) holds for it, too.
void count_loops(Kernel* k);

}  // namespace weft::nest
