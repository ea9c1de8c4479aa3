// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/shared_carries.cpp: divides a scan by partial evaluation, in which the large
// values are the unknown ones. In one scan, each lane would compute the small values again, or
// lanes could not run apart.
#include "ops/control/rewrites/shared_carries.h"

#include <algorithm>

#include "core/effects.h"
#include "core/loops/platform.h"
#include "core/loops/work.h"
#include "core/op.h"
#include "ops/control/body_op.h"

namespace weft {
namespace {

// The least number of elements of a large carry, and its elements for each element of a small one.
// With 32 lanes, programs of brax and jumanji took 1.3 times as long.
constexpr int64_t least_elements = 2048, share = 128;
// The least work of a step with small values, in instructions, which is worth a loop of its own,
// and its largest share of the work of a step. The loop has no lanes, so it does not fill vectors.
constexpr double least_work = 100, work_share = 1. / 16;

// Returns true if an equation of a program, or of the programs in it, is a product. Keys of random
// numbers and counters cost less than a loop of their own.
bool has_products(const Jaxpr& program) {
  return any_equation({program}, [](const JaxprData& j, const Eqn& e) {
    return lower_equation(j, e).form == Lowering::Form::contract;
  });
}

}  // namespace

Arrays with_shared_carries_apart(const Arrays& x, const Scan& p) {
  if (p.trip_counts || !p.lanes.empty() || !is_host_platform()) return {};
  const BodyOp o = body_op(p);
  const LoopValues<Array> v = o.operands(x);
  int64_t largest = 0;
  for (const Array& c : v.carry) largest = std::max(largest, c.type().elements());
  if (largest < least_elements) return {};
  const auto large = [&](const Array& a) { return a.type().elements() * share > largest; };
  LoopValues<bool> unknown = map_list([&](const Array& a) { return large(a); }, v);
  for (size_t k = 0; k < v.xs.size(); ++k)
    unknown.xs[k] = v.xs[k].type().elements() / std::max<int64_t>(p.length, 1) * share > largest;
  if (std::ranges::all_of(unknown.carry, [](bool u) { return u; }) ||
      effect_of(p.jaxpr) != Effect::none)
    return {};
  const Unknown u = find_unknown(o, in_order(unknown));
  if (u.everything || std::ranges::all_of(u.operand.carry, [](bool b) { return b; })) return {};
  const Split& s = u.bodies[0];
  const double small = ProgramWork(*s.known).of_all();
  if (small < least_work || small > work_share * ProgramWork(*s.rest).of_all() ||
      !has_products(s.known))
    return {};
  return run_parts(*find_op("scan"), o, v, u, [](const BodyOp& q, const LoopValues<Array>& in) {
    return q.bind(*find_op("scan"), in);
  });
}

}  // namespace weft
