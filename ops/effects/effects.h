// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/effects/effects.h: what programs do besides computing: printing, checking, calling functions
// that are not Weft's.
#pragma once
#include <string>

#include "weft/core/ir.h"
#include "weft/core/type.h"
#include "weft/ops/effects/custom_call.h"
#include "weft/tracer/array.h"

namespace weft {

// A line of output: the text with these values in its fields (core/text/format_text.h).
void debug_print_flat(const std::string& text, const Arrays& values);
// CheckError with the text, after the run, unless all of pred holds.
void check_flat(const Array& pred, const std::string& text, const Arrays& values);

// Reads the values, so that they are computed.
void dce_sink_flat(const Arrays& values);

// A function of the user's, called with one lane's values.
class HostFunction : public RefCounted {
 public:
  virtual Arrays call(const Arrays& x) const = 0;
};
// `ordered`: called as often as the program says, in its order; else it may be called less often.
Arrays callback_flat(const Ref<const HostFunction>& f, bool ordered, const Types& out,
                     const Arrays& x);

// Calls a compiled function by this name, under which programs find it.
Arrays custom_call_flat(const std::string& name, CustomCall f, const Types& out, const Arrays& x);

// A call of a function of this name that this process does not have, which the program makes at
// `place`: FormatError where it would run, and so are its derivatives.
Arrays missing_call_flat(const std::string& name, const std::string& place, const Types& out,
                         const Arrays& x);

}  // namespace weft
