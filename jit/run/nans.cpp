// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/nans.cpp: finds the operation that made a NaN.
#include "jit/run/nans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/effects.h"
#include "core/op.h"
#include "tracer/concrete.h"
#include "tracer/eval_trace.h"

namespace weft::detail {
namespace {

bool has_nan(const Array& x) {
  if (!is_inexact(x.dtype())) return false;
  bool found = false;
  with_dtype(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* v = data_of<T>(x);
    for (int64_t i = 0; i < x.size() && !found; ++i) {
      if constexpr (std::is_same_v<T, complex64_t> || std::is_same_v<T, complex128_t>)
        found = std::isnan(v[i].re) || std::isnan(v[i].im);
      else
        found = std::isnan(static_cast<double>(v[i]));
    }
  });
  return found;
}

// Replays the program equation by equation up to the first one that makes a NaN.
std::string first_nan(const JaxprData& j, const Arrays& in) {
  const CurrentTraceScope now(eval_interpreter());
  Arrays env(j.types.size());
  std::copy(in.begin(), in.end(), env.begin());
  for (const Array& x : in)
    if (has_nan(x)) return "an argument or a captured array holds one already";
  const auto read = [&](Atom a) {
    return a.is_literal() ? literal_array(j.literals[static_cast<size_t>(a.literal())])
                          : env[static_cast<size_t>(a.index)];
  };
  for (const Eqn& e : j.eqns) {
    Arrays operands;
    std::string types;
    for (Atom a : e.in) {
      operands.push_back(read(a));
      types += (types.empty() ? "" : ", ") + to_string(operands.back().type());
    }
    const Arrays r = bind_op(*e.op, operands, e.params);
    for (size_t k = 0; k < r.size(); ++k) {
      if (has_nan(r[k]))
        return fmt::format("the first is made by '{}' on {}{}", e.op->name(), types,
                           e.source ? ", written at " + to_string(e.source) : "");
      env[static_cast<size_t>(e.out) + k] = r[k];
    }
  }
  return "the single operations make none: the program computes in another order";
}

}  // namespace

void check_nans(const std::string& name, const Jaxpr& j, const Arrays& in, const Arrays& out) {
  for (size_t k = 0; k < out.size(); ++k)
    if (has_nan(out[k]))
      throw CheckError(fmt::format(
          "check_nans: invalid value (nan) encountered in jit '{}', result {} of {}: {}", name, k,
          out.size(), first_nan(*without_prints(j), in)));
}

}  // namespace weft::detail
