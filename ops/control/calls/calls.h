// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/calls/calls.h: programs that stand for something: for one name, or for one device.
#pragma once
#include "weft/tracer/record_trace.h"

namespace weft {

bool is_platform(const std::string& name);  // "cpu", "cuda"
// Which of the platforms the program is compiled for: i32[]. Another platform
// than those: as many as there are if there is a default, else CompileError.
Array platform_index(const Strings& platforms, bool has_default);

// f on x under a name, which stands in the program.
Arrays composite_flat(const Closed& f, const Arrays& x, const std::string& name, int64_t version);

}  // namespace weft
