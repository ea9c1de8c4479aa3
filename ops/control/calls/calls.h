// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/calls/calls.h: programs that stand for a name.
#pragma once
#include "weft/tracer/record_trace.h"

namespace weft {

// f on x under a name, which stands in the program.
Arrays composite_flat(const Closed& f, const Arrays& x, const std::string& name, int64_t version);

}  // namespace weft
