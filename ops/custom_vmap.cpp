// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/custom_vmap.cpp: programs with a batching rule of their own, or with a loop over lanes for
// one.
#include <fmt/format.h>

#include "weft/ops/control_flow.h"
#include "weft/ops/custom_flat.h"
#include "weft/ops/program_op.h"

namespace weft {
namespace {

// jaxpr: (consts…, x…) -> out…. The rule is a VmapRule; none: a loop.
struct CustomVmap {
  Ref<const JaxprData> jaxpr;
  Opaque rule;
  int64_t num_consts = 0;
  WEFT_FIELDS(jaxpr, rule, num_consts)
};

// The rows of what is mapped, one after another.
Batched one_by_one(const BatchArgs<CustomVmap>& b) {
  Arrays rows;
  Types in;
  for (size_t i = 0; i < b.x.size(); ++i) {
    if (!b.axis[i]) continue;
    rows.push_back(move_mapped(b.x[i], b.axis[i], 0, b.size));
    in.push_back(b.x[i].type().with_shape(b.x[i].shape().erased(*b.axis[i])));
  }
  const Closed body = record(in, [&](const Arrays& row) {
    Arrays all = b.x;
    for (size_t i = 0, next = 0; i < all.size(); ++i)
      if (b.axis[i]) all[i] = row[next++];
    return eval_jaxpr(b.params.jaxpr, all);
  });
  Arrays out = scan_flat(body, {}, rows, b.size);
  MaybeAxes at(out.size(), 0);
  return {std::move(out), std::move(at)};
}

Batched by_rule(const BatchArgs<CustomVmap>& b) {
  if (!b.params.rule.object) return one_by_one(b);
  const size_t consts = static_cast<size_t>(b.params.num_consts);
  Arrays x;
  std::vector<bool> mapped;
  for (size_t i = 0; i < b.x.size(); ++i) {
    if (i < consts && b.axis[i])
      throw BatchingError(
          fmt::format("custom_vmap: the function captures a mapped value {}, of which its rule "
                      "knows nothing. Pass it as an argument.",
                      to_string(b.x[i].type())));
    if (i < consts) continue;
    mapped.push_back(b.axis[i].has_value());
    x.push_back(b.axis[i] ? move_mapped(b.x[i], b.axis[i], 0, b.size) : b.x[i]);
  }
  const auto& rule = static_cast<const VmapRule&>(*b.params.rule.object);
  VmapRule::Result r = rule.call(b.size, mapped, x);
  const Types want = b.params.jaxpr->out_types();
  MaybeAxes at;
  for (size_t k = 0; k < r.out.size(); ++k) {
    const Type t = r.mapped[k] ? widened(want[k], 0, b.size) : want[k];
    if (r.out[k].type().strong() != t.strong())
      throw BatchingError(fmt::format(
          "custom_vmap: the rule must return {} for result {}, {}, got {}", to_string(t.strong()),
          k, r.mapped[k] ? "which it says is mapped" : "which it says is not mapped",
          to_string(r.out[k].type())));
    at.push_back(r.mapped[k] ? MaybeAxis(0) : std::nullopt);
  }
  return {std::move(r.out), std::move(at)};
}

const Primitive<CustomVmap>& custom_vmap_op = define<CustomVmap>([] {
  auto d =
      program_op<CustomVmap>("custom_vmap_call", "A program that is mapped by a rule of its own.");
  // The derivative is that of the program; it is batched as programs are.
  d.dual = [](const DualArgs<CustomVmap>& d) {
    return jvp_flat([&](const Arrays& x) { return eval_jaxpr(d.params.jaxpr, x); }, d.x, d.dx);
  };
  d.batch = by_rule;
  return d;
}());

}  // namespace

Arrays custom_vmap_flat(const Closed& f, const Ref<const VmapRule>& rule, const Arrays& x) {
  Arrays operands = f.consts;
  append(operands, x);
  return custom_vmap_op.bind(
      operands, {open_constants(f.jaxpr), Opaque{rule}, static_cast<int64_t>(f.consts.size())});
}

}  // namespace weft
