// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/checkpoint.cpp: traces functions for checkpoint, and describes the origins of
// residuals.
#include "weft/grad/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "autodiff/autodiff.h"
#include "core/op.h"
#include "core/param.h"
#include "ops/control/remat/remat.h"
#include "tracer/initialized.h"
#include "tracer/types_of.h"

namespace weft {
namespace detail {
namespace {

// Describes where a residual of a linearized function was computed.
std::string source_of(const JaxprData& j, Atom a, const std::vector<std::string>& inputs);

std::string made_by(const Eqn& e, size_t k, const std::vector<std::string>& operands) {
  const std::string at = e.source ? " from " + to_string(e.source) : "";
  const auto text = [&](const char* field) {
    return param_field<std::string>(e.params, field).value_or("");
  };
  if (e.op->name() == "name") return fmt::format("named '{}'{}", text("name"), at);
  if (e.op->name() != "jit") return fmt::format("output of {}{}", e.op->name(), at);
  // The first run of a checkpoint is a call of the user's function.
  if (text("name") == "checkpoint") {
    const Jaxpr body = *param_field<Jaxpr>(e.params, "jaxpr");
    return source_of(*body, body->out[k], operands);
  }
  return fmt::format("output of jitted function '{}'{}", text("name"), at);
}

std::string source_of(const JaxprData& j, Atom a, const std::vector<std::string>& inputs) {
  if (a.is_literal()) return "from a literal";
  if (a.index < j.n_in) return inputs[a.index];
  for (const Eqn& e : j.eqns) {
    if (a.index < e.out || a.index >= e.out + e.n_out) continue;
    std::vector<std::string> operands;
    for (Atom in : e.in) operands.push_back(source_of(j, in, inputs));
    return made_by(e, static_cast<size_t>(a.index - e.out), operands);
  }
  throw InternalError("a residual that nothing makes");
}

}  // namespace

Arrays run_checkpoint(FlatFunction f, const CheckpointOptions& o, const Arrays& x, TreeOf args) {
  require_initialized("checkpoint", x, args, "args");
  ClosedJaxpr c = record(types_of(x), x, f, "checkpoint");
  c.jaxpr = dce(c.jaxpr);
  return remat_flat(c, x, o.policy, o.prevent_cse);
}

Array name_leaf(const Array& x, const std::string& name) { return named(x, name); }

std::vector<SavedResidual> residuals_of(FlatFunction f, const Arrays& x, TreeOf args) {
  const ClosedJaxpr c = record(types_of(x), [&](const Arrays& a) {
    return linearize_flat(f, a, std::vector<bool>(a.size(), true)).linear.residuals;
  });
  const JaxprData& j = *c.jaxpr;
  std::vector<std::string> inputs(static_cast<size_t>(j.n_const), "from a constant");
  for (const std::string& path : tree::detail::paths(args(), "args"))
    inputs.push_back("from the argument " + path);
  std::vector<Atom> order;
  for (Atom a : j.out)
    if (std::find(order.begin(), order.end(), a) == order.end()) order.push_back(a);
  std::sort(order.begin(), order.end(), [](Atom a, Atom b) { return a.index < b.index; });
  std::vector<SavedResidual> r;
  for (Atom a : order) r.push_back({j.type(a), source_of(j, a, inputs)});
  return r;
}

void print_residuals(const std::vector<SavedResidual>& r) {
  const std::string text = to_string(r);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace detail

std::string typing::to_string(const SavedResidual& r) { return to_string(r.type) + ' ' + r.source; }
std::string typing::to_string(const std::vector<SavedResidual>& r) {
  std::string text;
  for (const SavedResidual& one : r) text += to_string(one) + '\n';
  return text;
}

}  // namespace weft
