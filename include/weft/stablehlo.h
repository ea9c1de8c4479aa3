// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/stablehlo.h: reads programs that other tools wrote as StableHLO text, and writes
// such text.
#pragma once
#include <string>

#include "weft/make_jaxpr.h"

namespace weft {

// Returns the program of @main, or of the only function, of a text such as the result of
// jax.jit(f).lower(…).as_text(). `name` denotes the text in errors. Malformed text raises
// ParseError. An op that Weft does not have raises FormatError "missing op 'stablehlo.fft'". Text
// that violates the rules of an op raises FormatError too. Both errors name line and column and
// show the line with a caret.
ClosedJaxpr parse_stablehlo(const std::string& text, const std::string& name = "StableHLO text",
                            typing::Location at = typing::Location::here());

// Returns the program as StableHLO text in the generic form, which parse_stablehlo, JAX and MLIR
// can read. It is a module with a public function @main. A loop whose lanes have different trip
// counts runs until the last lane ends. Random keys are tensor<…x2xui32> in @main.
//
// An op that StableHLO does not have is written as a composite "weft.NAME" or as arithmetic. The
// ops eig, schur, hessenberg and tridiagonal are written as the LAPACK calls that JAX has for CPUs.
// They run only in a process that has used jax.lax.linalg. Raises CompileError for programs that
// StableHLO cannot express.
std::string to_stablehlo(const ClosedJaxpr& c, typing::Location at = typing::Location::here());

namespace io {
// Like parse_stablehlo, for a file, whose name usually ends in .mlir.
ClosedJaxpr load_stablehlo(const std::string& path, typing::Location at = typing::Location::here());
}  // namespace io

}  // namespace weft
