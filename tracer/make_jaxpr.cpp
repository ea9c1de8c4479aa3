// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/make_jaxpr.cpp: the programs of functions.
#include "weft/make_jaxpr.h"

#include <fmt/format.h>

#include <utility>

#include "tracer/initialized.h"
#include "tracer/record_trace.h"
#include "tracer/types_of.h"

namespace weft {

ClosedJaxpr detail::trace_jaxpr(const char* who, FunctionRef<Arrays(const Arrays&)> f,
                                const Arrays& x, FunctionRef<tree::detail::Skeleton()> args) {
  require_initialized(who, x, args, "args");
  return record(types_of(x), f, who);
}

detail::Hoisted detail::hoist_traced(ClosedJaxpr c, Arrays* values) {
  Hoisted h{std::move(c), {}, {}};
  for (Array& a : h.program.consts) {
    h.handed_in.push_back(a.is_traced() && is_inexact(a.dtype()));
    if (!h.handed_in.back()) continue;
    h.types.push_back(a.type().strong());
    values->push_back(std::exchange(a, Array()));
  }
  return h;
}

Arrays detail::Hoisted::call(const Arrays& args, const Arrays& given) const {
  if (given.size() != types.size())
    throw ShapeError(fmt::format("closure_convert: the function takes {} constants, got {}",
                                 types.size(), given.size()));
  ClosedJaxpr whole = program;
  size_t next = 0;
  for (size_t k = 0; k < handed_in.size(); ++k) {
    if (!handed_in[k]) continue;
    const Array& a = given[next];
    if (a.type().strong() != types[next])
      throw ShapeError(fmt::format("closure_convert: constant {} must be {}, got {}", next,
                                   to_string(types[next]), to_string(a.type())));
    whole.consts[k] = a;
    ++next;
  }
  return eval_jaxpr(whole, args);
}

void detail::check_like_example(const tree::detail::Skeleton& example,
                                const tree::detail::Skeleton& args) {
  if (const std::string d = tree::detail::difference(example, args, "args"); !d.empty())
    throw ShapeError("closure_convert: the arguments are not like those it was made for: " + d);
}

}  // namespace weft
