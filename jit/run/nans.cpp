// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/nans.cpp: finds the operation that made a NaN.
#include "jit/run/nans.h"

#include <fmt/format.h>

#include <cmath>

#include "core/effects.h"
#include "core/op.h"
#include "tracer/concrete.h"
#include "tracer/eval_trace.h"
#include "tracer/replay.h"

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
  Env env(j, in);
  for (const Array& x : in)
    if (has_nan(x)) return "an argument or a captured array holds one already";
  for (const Eqn& e : j.eqns) {
    const Arrays operands = env.read(e.in);
    std::string types;
    for (const Array& x : operands) types += (types.empty() ? "" : ", ") + to_string(x.type());
    const Arrays r = bind_op(*e.op, operands, e.params);
    for (const Array& x : r)
      if (has_nan(x))
        return fmt::format("the first is made by '{}' on {}{}", e.op->name(), types,
                           e.source ? ", written at " + to_string(e.source) : "");
    env.write(e, r);
  }
  return "the operations one by one give no NaN, because the program computes in another order";
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
