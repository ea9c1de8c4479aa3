// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/effects/effects.h: effects of programs: printing, checks, and calls of functions outside of
// Weft.
#pragma once
#include <string>

#include "core/ir.h"
#include "weft/array.h"
#include "weft/custom_call.h"
#include "weft/type.h"

namespace weft {

// Prints a line: the text with these values in its fields (core/text/format_text.h).
void debug_print_flat(const std::string& text, const Arrays& values);
// Throws CheckError with the text, after the run, unless all elements of pred are true.
void check_flat(const Array& pred, const std::string& text, const Arrays& values);

// Reads the values, so that they are computed.
void dce_sink_flat(const Arrays& values);

// A function of the user, which is called with the values of one lane.
class HostFunction : public RefCounted {
 public:
  virtual Arrays call(const Arrays& x) const = 0;
};
// `ordered`: the function is called as often as the program states, in program order. Otherwise it
// may be called less often.
Arrays callback_flat(const Ref<const HostFunction>& f, bool ordered, const Types& out,
                     const Arrays& x);

// Calls a compiled function. Programs find it by this name.
Arrays custom_call_flat(const std::string& name, CustomCall f, const Types& out, const Arrays& x);

// A call, at `place` in the program, of a function with this name that this process does not have.
// The call and its derivatives throw FormatError where they would run.
Arrays missing_call_flat(const std::string& name, const std::string& place, const Types& out,
                         const Arrays& x);

}  // namespace weft
