// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/closed_jaxpr.h: a program with the values of its constants, its text, and its
// evaluation.
#pragma once
#include <iosfwd>
#include <string>

#include "weft/array.h"
#include "weft/detail/jaxpr.h"

namespace weft {

// A program and the arrays bound to its constants. Source: jax.extend.core.ClosedJaxpr.
struct ClosedJaxpr {
  Jaxpr jaxpr;
  Arrays consts;
  typing::Types in_types() const;  // without constants
  typing::Types out_types() const { return jaxpr->out_types(); }
  // Runs the program for arguments of in_types(), operation by operation. To compile it, use jit:
  // jit([p](Array x) { return p(x)[0]; }).
  template <class... A>
  Arrays operator()(const A&... args) const;
};
// The text of the program, as JAX prints it; parse_jaxpr parses it.
std::string to_string(const ClosedJaxpr& c);
// Writes to_string(c) to a stream.
std::ostream& operator<<(std::ostream& o, const ClosedJaxpr& c);
// Parses a program from text in the format of to_string (docs/ir.md). The text does not contain the
// values of constants, so a program with constants needs them here. ParseError with line and
// column.
ClosedJaxpr parse_jaxpr(const std::string& text, const Arrays& consts = {},
                        typing::Location at = typing::Location::here());
// The results of the program for these arguments, operation by operation. Source:
// jax.core.eval_jaxpr and jax.extend.core.jaxpr_as_fun.
Arrays eval_jaxpr(const ClosedJaxpr& c, const Arrays& args,
                  typing::Location at = typing::Location::here());
// eval_jaxpr of this program.
template <class... A>
Arrays ClosedJaxpr::operator()(const A&... args) const {
  return eval_jaxpr(*this, {Array(args)...});
}

}  // namespace weft
