// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo.h: programs that others wrote, as StableHLO text.
#pragma once
#include <string>

#include "weft/tracer/make_jaxpr.h"

namespace weft {

// The program of @main, or of the only function, in text such as jax.jit(f).lower(…).as_text()
// gives. `name` stands for the text in errors. Text that is not well formed raises ParseError; an
// op that Weft does not have raises FormatError "missing op 'stablehlo.fft'", and so does what the
// text says against the rules of an op. Both name line and column and show the line with a caret.
ClosedJaxpr parse_stablehlo(const std::string& text, const std::string& name = "StableHLO text");

namespace io {
// The same of a file, which ends in .mlir by custom.
ClosedJaxpr load_stablehlo(const std::string& path);
}  // namespace io

}  // namespace weft
