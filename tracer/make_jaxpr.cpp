// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/make_jaxpr.cpp: the programs of functions.
#include "weft/make_jaxpr.h"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "tracer/initialized.h"
#include "tracer/record_trace.h"
#include "tracer/types_of.h"

namespace weft {

Types ClosedJaxpr::in_types() const {
  const Types all = jaxpr->in_types();
  return Types(all.begin() + jaxpr->n_const, all.end());
}

std::string to_string(const ClosedJaxpr& c) { return to_string(c.jaxpr); }
std::ostream& operator<<(std::ostream& o, const ClosedJaxpr& c) { return o << to_string(c); }

ClosedJaxpr parse_jaxpr(const std::string& text, const Arrays& consts, Location at) {
  const SourceScope source(at);
  ClosedJaxpr c{read_jaxpr(text), consts};
  const Jaxpr& j = c.jaxpr;
  if (consts.size() != static_cast<size_t>(j->n_const))
    throw ParseError(fmt::format(
        "parse_jaxpr: the program has {} constant{}, whose values its text does not hold; got {}. "
        "Pass them as parse_jaxpr(text, {{…}})",
        j->n_const, j->n_const == 1 ? "" : "s", consts.size()));
  for (size_t i = 0; i < consts.size(); ++i)
    if (consts[i].type().strong() != j->types[i].strong())
      throw ParseError(fmt::format("parse_jaxpr: constant {} must be {}, got {}", i,
                                   to_string(j->types[i]), to_string(consts[i].type())));
  return c;
}

Arrays eval_jaxpr(const ClosedJaxpr& c, const Arrays& args, Location at) {
  const SourceScope source(at);
  const Types want = c.in_types();
  if (args.size() != want.size())
    throw ShapeError(fmt::format("eval_jaxpr: the program takes {} arguments, got {}", want.size(),
                                 args.size()));
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].type().strong() == want[i].strong()) continue;
    const std::string text = fmt::format("eval_jaxpr: argument {} must be {}, got {}", i,
                                         to_string(want[i]), to_string(args[i].type()));
    if (args[i].shape() == want[i].shape()) throw DTypeError(text + "; convert it with astype()");
    throw ShapeError(text);
  }
  Arrays all = c.consts;
  all.insert(all.end(), args.begin(), args.end());
  return eval_jaxpr(c.jaxpr, all);
}

ClosedJaxpr detail::trace_jaxpr(const char* who, FunctionRef<Arrays(const Arrays&)> f,
                                const Arrays& x, FunctionRef<tree::detail::Skeleton()> args) {
  require_initialized(who, x, args, "args");
  Closed c = record(types_of(x), f, who);
  return {c.jaxpr, std::move(c.consts)};
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
