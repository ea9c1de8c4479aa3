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
ClosedJaxpr parse_stablehlo(const std::string& text, const std::string& name = "StableHLO text",
                            typing::Location at = typing::Location::here());

// The program as StableHLO text in the generic form, which parse_stablehlo, JAX and MLIR read: a
// module with a public function @main. Lanes of a mapped loop that go their own ways run until the
// last one ends. Random keys are tensor<…x2xui32> in @main. An op without a name there is written
// as a composite "weft.NAME", or in arithmetic; eig, schur, hessenberg and tridiagonal as the calls
// of LAPACK that JAX has for CPUs, in a process in which jax.lax.linalg was used. CompileError
// where StableHLO has no way to say it.
std::string to_stablehlo(const ClosedJaxpr& c, typing::Location at = typing::Location::here());

namespace io {
// The same of a file, which ends in .mlir by custom.
ClosedJaxpr load_stablehlo(const std::string& path, typing::Location at = typing::Location::here());
}  // namespace io

}  // namespace weft
