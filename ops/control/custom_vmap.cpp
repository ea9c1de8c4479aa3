// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/custom_vmap.cpp: programs with their own batching rule, or with a loop over lanes
// instead of a rule.
#include <fmt/format.h>

#include "core/effects.h"
#include "ops/control/custom_flat.h"
#include "ops/control/lane_by_lane.h"
#include "ops/control/program_op.h"
#include "ops/control/samples.h"
#include "ops/index/index.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/lax/convert.h"
#include "weft/lax/reduce.h"

namespace weft {
namespace {

// jaxpr: (consts…, x…) -> out…. The rule is a VmapRule; without a rule, lanes run in a loop.
struct CustomVmap {
  Ref<const JaxprData> jaxpr;
  Opaque rule;
  int64_t num_consts = 0;
  WEFT_FIELDS(jaxpr, rule, num_consts)
};

// Returns the results of the rule. The rule does not get masks, so loops in it would also run for
// inactive lanes, and might never end. If the rule contains such loops, inactive lanes therefore
// compute on the operands of an active lane. If the rule has effects, it would also print or call
// for inactive lanes, so the function returns nothing.
std::optional<VmapRule::Result> result_of(const VmapRule& rule, const std::vector<bool>& mapped,
                                          const Arrays& x, const BatchTrace& trace) {
  const Array active = active_lanes(trace.mask, trace.size);
  if (active.empty_handle() || trace.size == 0) return rule.call(trace.size, mapped, x);
  VmapRule::Result r;
  const ClosedJaxpr c = record(types_of(x), [&](const Arrays& a) {
    r = rule.call(trace.size, mapped, a);
    return r.out;
  });
  if (effect_of(c.jaxpr) != Effect::none) return {};
  const bool ends = std::all_of(c.jaxpr->eqns.begin(), c.jaxpr->eqns.end(), surely_ends);
  const InactiveLanes inactive(active, {true}, InactiveLanes::Leave::an_active_lane);
  Arrays in = c.consts;
  for (size_t i = 0; i < x.size(); ++i)
    in.push_back(ends || !mapped[i] ? x[i] : inactive.filled(x[i], {0}));
  r.out = eval_jaxpr(open_constants(c.jaxpr), in);
  return r;
}

Batched by_rule(const BatchArgs<CustomVmap>& b) {
  const auto without_rule = [&] {
    require_lane_loops(b.trace, b.params.rule.object ? "custom_vmap" : "sequential_vmap");
    return lane_by_lane([&](const Arrays& x) { return eval_jaxpr(b.params.jaxpr, x); }, b.x, b.axis,
                        b.trace, b.trace.asks_for_lane(b.op, make_params(b.params)));
  };
  if (!b.params.rule.object) return without_rule();
  const size_t consts = b.params.num_consts;
  for (size_t i = 0; i < consts; ++i)
    if (b.axis[i])
      throw BatchingError(
          fmt::format("custom_vmap: the function captures a mapped value {}, of which its rule "
                      "knows nothing. Pass it as an argument.",
                      to_string(b.x[i].type())));
  const Arrays x =
      map_list([&](const Array& v, MaybeAxis a) { return a ? move_mapped(v, a, 0, b.size) : v; },
               drop_first(b.x, consts), drop_first(b.axis, consts));
  auto given = result_of(static_cast<const VmapRule&>(*b.params.rule.object),
                         mapped(drop_first(b.axis, consts)), x, b.trace);
  if (!given) return without_rule();
  VmapRule::Result& r = *given;
  const Types want = b.params.jaxpr->out_types();
  MaybeAxes at;
  for (size_t k = 0; k < r.out.size(); ++k) {
    const Type t = r.mapped[k] ? add_axis(want[k], 0, b.size) : want[k];
    if (r.out[k].type().strong() != t.strong())
      throw BatchingError(fmt::format(
          "custom_vmap: the rule must return {} for result {}, {}, got {}", to_string(t.strong()),
          k, r.mapped[k] ? "which it says is mapped" : "which it says is not mapped",
          to_string(r.out[k].type())));
    at.push_back(r.mapped[k] ? MaybeAxis(0) : std::nullopt);
  }
  return {std::move(r.out), std::move(at)};
}

// A correct rule: it broadcasts unmapped operands.
class SampleRule final : public VmapRule {
 public:
  Result call(int64_t size, const std::vector<bool>& mapped, const Arrays& x) const override {
    Arrays all;
    for (size_t i = 0; i < x.size(); ++i)
      all.push_back(mapped[i] ? x[i] : base::insert_axis(x[i], 0, size));
    return {{sine_product(all[0], all[1])}, {true}};
  }
};
std::vector<Sample<CustomVmap>> custom_vmap_samples() {
  const Types in(2, Type(F64, {3}));
  const Jaxpr j = program(in, [](const Arrays& x) { return Arrays{sine_product(x[0], x[1])}; });
  return {{in, {j, {}, 0}}, {in, {j, Opaque{make_ref<SampleRule>()}, 0}}};
}

const Primitive<CustomVmap>& custom_vmap_op = define<CustomVmap>([] {
  auto d = program_op<CustomVmap>("custom_vmap_call",
                                  "Runs the program `jaxpr`, whose batching rule is given by the "
                                  "user. Without a rule, a loop runs the lanes one by one.");
  // The derivative is that of the program, which is batched like any program.
  d.dual = [](const DualArgs<CustomVmap>& d) {
    return jvp_flat([&](const Arrays& x) { return eval_jaxpr(d.params.jaxpr, x); }, d.x, d.dx);
  };
  d.batch = by_rule;
  d.samples = custom_vmap_samples;
  return d;
}());

}  // namespace

Arrays custom_vmap_flat(const ClosedJaxpr& f, const Ref<const VmapRule>& rule, const Arrays& x) {
  return custom_vmap_op.bind(concat_lists(f.consts, x), {open_constants(f.jaxpr), Opaque{rule},
                                                         static_cast<int64_t>(f.consts.size())});
}

}  // namespace weft
