// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/apply.h: applies the transforms of an expression to a program, as a function of flat
// arrays.
#pragma once
#include <functional>

#include "tools/weft/expr.h"
#include "tracer/record_trace.h"
#include "weft/make_jaxpr.h"

namespace weft::tools {

struct Applied {
  std::function<Arrays(const Arrays&)> f;
  size_t n_in = 0, n_out = 0;
  // The types of its inputs; maps of unknown size get `lanes` lanes.
  std::function<Types(int64_t lanes)> in_types;
};

// Throws ExprError, with a caret, if the expression does not fit the number of arguments or
// results.
Applied apply(const ParsedExpr& e, const ClosedJaxpr& program);

// Returns true if the types of the inputs depend on a size that the expression leaves open.
bool has_open_size(const Expr& e);

// Traces the transformed program for inputs of these types.
ClosedJaxpr traced(const Applied& a, const Types& in);

}  // namespace weft::tools
