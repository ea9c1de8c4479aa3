// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/expr.h: expressions of --apply: transforms of the program f, in Python syntax.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/error.h"

namespace weft::tools {

// A mistake in an expression. The message ends with the expression and a caret under the mistake.
struct ExprError : Error {
  using Error::Error;
  ExprError(const std::string& why, std::string_view text, size_t at);
};

// One entry for all flat arguments (or results), or one for each; an empty entry is None.
struct AxesExpr {
  bool each = false;
  std::vector<std::optional<int64_t>> entries = {0};
  size_t at = 0;
};

struct Expr {
  enum class Kind { f, jit, vmap, grad, value_and_grad, jvp, vjp, jacfwd, jacrev, hessian };
  Kind kind = Kind::f;
  size_t at = 0;  // its start in the text
  std::unique_ptr<Expr> inner;
  AxesExpr in_axes, out_axes;  // of vmap
  std::optional<int64_t> axis_size;
  std::string axis_name;
  std::vector<int64_t> argnums = {0};  // of grad, value_and_grad and the Jacobians
  size_t argnums_at = 0;
};

struct ParsedExpr {
  std::string text;
  Expr root;
};

//   E = f | jit(E) | vmap(E, in_axes=A, out_axes=A, axis_size=N, axis_name='i') | grad(E,
//   argnums=G)
//     | value_and_grad(E, argnums=G) | jvp(E) | vjp(E) | jacfwd(E, argnums=G) | jacrev(E,
//     argnums=G) | hessian(E, argnums=G)
// A is an integer, None or a tuple of them; G is an integer or a tuple. As in Python, in_axes,
// out_axes and argnums may be positional, and "(0)" is 0. Expressions nest at most 64 deep.
ParsedExpr parse_expr(std::string text);

std::string_view name(Expr::Kind k);
// The transforms only: "vmap(grad(f))".
std::string outline(const Expr& e);

}  // namespace weft::tools
