// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/weak_arguments.cpp: traces functions with the F64 values of weak arguments that they
// read.
#include "transforms/weak_arguments.h"

#include <algorithm>
#include <numeric>

#include "tracer/base_ops.h"
#include "tracer/concrete.h"

namespace weft::detail {

WeakArguments::WeakArguments(const Arrays& x) : written(numbers_among(x)) {
  for (size_t i = 0; i < x.size(); ++i)
    if (is_weak_number(x[i].type()) && x[i].is_traced()) traced.push_back(i);
}

bool WeakArguments::trace_again() {
  if (!asked || !with.empty()) return false;
  with = traced;
  return true;
}

Arrays WeakArguments::operands(const Arrays& x) const {
  Arrays all;
  for (size_t i : with) all.push_back(base::convert(x[i], F64));
  all.insert(all.end(), x.begin(), x.end());
  return all;
}

ClosedJaxpr traced(const char* who, const Types& in, FunctionRef<Arrays(const Arrays&)> f,
                   WeakArguments& n, const std::vector<int>& is) {
  TraceScope<JaxprTrace> trace(who);
  Arrays inputs;
  for (const Type& t : n.doubles()) inputs.push_back(trace->input(t));
  for (size_t i = 0; i < in.size(); ++i) {
    Array stands_for;
    if (i < is.size() && is[i] >= 0) {
      const auto it = std::find(n.with.begin(), n.with.end(), static_cast<size_t>(is[i]));
      stands_for = it == n.with.end() ? n.written[is[i]] : inputs[it - n.with.begin()];
    }
    inputs.push_back(trace->input(in[i], stands_for));
  }
  ClosedJaxpr c = trace->finish(f(inputs));
  for (size_t i = 0; i < std::min(in.size(), is.size()); ++i)
    for (size_t k : n.traced)
      n.asked |= static_cast<int>(k) == is[i] &&
                 static_cast<const JaxprTracer&>(inputs[n.with.size() + i].node()).read;
  c.jaxpr = dce(c.jaxpr);
  return c;
}

std::vector<int> in_order(size_t n) {
  std::vector<int> is(n);
  std::iota(is.begin(), is.end(), 0);
  return is;
}

}  // namespace weft::detail
