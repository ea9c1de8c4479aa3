// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/body.cpp: traces user functions that join two elements, such as the body of reduce.
#include "functions/body.h"

#include <fmt/format.h>

#include <limits>

#include "core/op.h"
#include "functions/kit.h"
#include "ops/structure/each_element.h"
#include "tracer/concrete.h"

namespace weft::fn {

Body listed(const Function<Array(Array, Array)>& f) {
  return [f](const Arrays& a, const Arrays& b) { return Arrays{f(a[0], b[0])}; };
}

Arrays each(const Body& f, const Arrays& a, const Arrays& b) {
  if (a[0].shape().elements() == 0) return a;
  Arrays both = a;
  both.insert(both.end(), b.begin(), b.end());
  const auto half = static_cast<std::ptrdiff_t>(a.size());
  return each_element(
      [&](const Arrays& x) {
        return f({x.begin(), x.begin() + half}, {x.begin() + half, x.end()});
      },
      both);
}

void check_initial(const char* name, const Arrays& operands, Arrays* init) {
  if (operands.empty() || operands.size() != init->size())
    fail_shape(fmt::format("{}: needs an initial value for each of one or more operands", name));
  for (size_t i = 0; i < init->size(); ++i) {
    Array& first = (*init)[i];
    if (first.type().weak()) first = as_dtype(first, operands[i].dtype());
    if (operands[i].shape() != operands[0].shape() || first.ndim() != 0)
      fail_shape(
          fmt::format("{}: operands must have one shape, and scalars as initial values", name));
    if (first.dtype() != operands[i].dtype())
      fail_dtype(fmt::format("{}: an initial value of {} for an operand of {}", name,
                             short_name(first.dtype()), short_name(operands[i].dtype())));
  }
}

ClosedJaxpr traced(const char* name, const Body& f, const Arrays& scalars) {
  const size_t n = scalars.size();
  Arrays both = scalars;
  both.insert(both.end(), scalars.begin(), scalars.end());
  const auto half = static_cast<std::ptrdiff_t>(n);
  const ClosedJaxpr j = detail::trace_jaxpr(
      name,
      [&](const Arrays& x) {
        return f({x.begin(), x.begin() + half}, {x.begin() + half, x.end()});
      },
      both, tree::detail::skeleton_of(both));
  const auto& out = j.jaxpr->out;
  bool same = out.size() == n;
  for (size_t i = 0; same && i < n; ++i) {
    const Type t = j.jaxpr->type(out[i]);
    same = t.dtype() == scalars[i].dtype() && t.ndim() == 0;
  }
  if (!same)
    fail_dtype(fmt::format("{}: the function must give scalars of the types that it takes", name));
  return j;
}

namespace {

bool is_extreme(const Array& x, bool largest) {
  bool is = false;
  with_dtype(x.dtype(), [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    if constexpr (is_floating(dtype_of_v<T>)) {
      const double inf = std::numeric_limits<double>::infinity();
      is = is_scalar_value(x, largest ? inf : -inf);
    } else if constexpr (std::is_arithmetic_v<T>) {
      using Lim = std::numeric_limits<T>;
      is = *data_of<T>(x) == (largest ? Lim::max() : Lim::lowest());
    }
  });
  return is;
}
// Returns true if joining any value to x with this op leaves the value unchanged.
bool is_neutral(const std::string& op, const Array& x) {
  const DType d = x.dtype();
  if (op == "max") return is_extreme(x, false);
  if (op == "min") return is_extreme(x, true);
  if (op == "and")
    return is_bool(d) || is_unsigned(d) ? is_extreme(x, true) : is_scalar_value(x, -1);
  if (op == "or" || op == "xor") return is_scalar_value(x, 0);
  if (is_bool(d)) return false;
  return (op == "add" && is_scalar_value(x, 0)) || (op == "mul" && is_scalar_value(x, 1));
}

}  // namespace

std::string monoid_of(const ClosedJaxpr& j, const Array& init) {
  const JaxprData& p = *j.jaxpr;
  if (p.eqns.size() != 1 || p.n_in != 2 || !j.consts.empty()) return {};
  const Eqn& e = p.eqns[0];
  if (e.in.size() != 2 || e.in[0].is_literal() || e.in[1].is_literal() ||
      e.in[0].index == e.in[1].index || p.out[0].is_literal() || p.out[0].index != e.out)
    return {};
  return concrete_or_null(init) && is_neutral(e.op->name(), init) ? e.op->name() : std::string();
}

}  // namespace weft::fn
