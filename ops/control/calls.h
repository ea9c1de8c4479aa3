// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/calls.h: programs that are bound as one equation with a name.
#pragma once
#include "tracer/record_trace.h"

namespace weft {

// Binds f on x as one equation with this name.
Arrays composite_flat(const ClosedJaxpr& f, const Arrays& x, const std::string& name,
                      int64_t version);

}  // namespace weft
