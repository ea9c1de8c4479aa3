// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/closed_jaxpr.cpp: programs with the values of their constants.
#include "weft/closed_jaxpr.h"

#include <fmt/format.h>

#include <ostream>

#include "tracer/record_trace.h"

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

}  // namespace weft
