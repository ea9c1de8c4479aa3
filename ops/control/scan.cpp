// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/scan.cpp: the loop with a fixed number of steps, which stacks the results of the
// steps.
//
// scan[lanes, length](trip_counts?, consts, init, xs) -> carry, ys
//   With trip_counts, lane l runs the steps t < trip_counts[l] (reverse: the same rows, last
//   first). After its last step its carry does not change. Its rows of ys that were not written are
//   zero.
#include <fmt/format.h>

#include <limits>

#include "core/loops/work.h"
#include "ops/control/body_op.h"
#include "ops/control/rewrites/branches_of_selects.h"
#include "ops/control/rewrites/hoist.h"
#include "ops/control/rewrites/loop_sums.h"
#include "ops/control/rewrites/shared_carries.h"
#include "ops/control/rewrites/unroll.h"
#include "ops/control/samples.h"
#include "ops/index/index.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

Types scan_type(const Types& in, const Scan& p) {
  require_counts("scan", {p.num_consts, p.num_carry}, p.trip_counts, in);
  if (p.length < 0 || p.unroll < 1)
    reject_shape("scan", "length must not be negative, unroll not below 1", in);
  const size_t n = p.num_carry;
  if (p.jaxpr->out.size() < n)
    reject_shape("scan", "the body returns fewer values than there are carries", in);
  const Types out = p.jaxpr->out_types();
  require_lanes("scan", p.lanes, p.lane_ids, p.lane_axes,
                in.size() - p.trip_counts + out.size() - n, in);
  if (p.trip_counts && p.length > std::numeric_limits<int32_t>::max())
    reject_shape("scan", "trips are counted by an i32, length must not be beyond it", in);
  if (!p.lanes.empty() && !p.trip_counts) reject_shape("scan", "lanes need trip_counts", in);
  if (p.trip_counts && (in[0].dtype() != I32 || in[0].shape().sizes() != p.lanes))
    reject_dtype("scan", "trip_counts must be an i32 of the shape of the lanes", in);
  LoopValues<Type> x = by_role(in, operands_of(p, in.size()));
  for (Type& row : x.xs) {
    if (row.ndim() == 0 || row.shape()[0] != p.length)
      reject_shape(
          "scan",
          fmt::format("got `length` argument of {} which disagrees with leading axis of {}",
                      p.length, to_string(row)),
          in);
    row = row_type(row);
  }
  x.control = mask_input(p.lanes);
  require_body("scan", p.jaxpr, in_order(x), in);
  require_carries("scan", out, x.carry, in);
  const BodyOp o = body_op(p);
  for (size_t t = 0; t < n; ++t)
    require_all_or_none("scan", "carry", t, p.lanes, o.lane_axes.carry[t], out[t]);
  Types r = x.carry;
  for (size_t k = 0; k < out.size() - n; ++k) {
    require_all_or_none("scan", "result", k, p.lanes, o.result_lane_axes[k], out[n + k]);
    r.push_back(stacked(out[n + k], p.length));
  }
  return r;
}

// One step as a program, with explicit mask and selects.
std::vector<Jaxpr> scan_steps(const LowerArgs<Scan>& l) {
  const BodyOp o = body_op(l.params);
  const size_t n = o.lane_axes.carry.size(), first = l.params.trip_counts ? 2 : 0;
  LoopValues<Type> in = o.operands(l.in);
  if (first) in.control.insert(in.control.begin(), Type(I32, Shape{}));
  in.xs = map_list(row_type, in.xs);
  return {program(in_order(in), [&](const Arrays& x) {
    Array active;
    if (first) active = lax::lt(broadcast_in_dim(x[0], x[1].shape(), {}), x[1]);
    Arrays args(o.active(), active);
    append(args, drop_first(x, first));
    Arrays out = eval_jaxpr(o.bodies[0], args);
    for (size_t k = 0; first && k < out.size(); ++k) {
      if (o.active() && (k < n ? o.lane_axes.carry[k] : o.result_lane_axes[k - n]) == 0) continue;
      out[k] = k < n ? select_lanes(active, out[k], x[first + o.lane_axes.body_consts.size() + k])
                     : mask_out(active, out[k]);
    }
    return out;
  })};
}

// read_row returns row t of x; its counterpart writes it.
Array read_row(const Array& x, int64_t t) {
  const Type type = row_type(x.type());
  return array_of_bytes(type, static_cast<const std::byte*>(concrete(x).data()) + t * type.bytes());
}

Arrays scan_reference(const Arrays& x, const Scan& p) {
  const BodyOp o = body_op(p);
  LoopValues<Array> v = o.operands(x);
  std::vector<Fresh> ys;
  for (const Type& t : drop_first(p.jaxpr->out_types(), v.carry.size())) {
    ys.push_back(fresh_array(stacked(t, p.length)));
    std::memset(ys.back().data, 0, ys.back().array.type().bytes());
  }
  for (int64_t s = 0; s < p.length; ++s) {
    const int64_t t = p.reverse ? p.length - 1 - s : s;
    Array active;
    if (p.trip_counts) {
      active = lax::lt(scalar_of_int(I32, t), v.control[0]);
      if (!static_cast<bool>(any_lane(active))) continue;
    }
    LoopValues<Array> in = v;
    for (Array& row : in.xs) row = read_row(row, t);
    const Arrays out = eval_jaxpr(p.jaxpr, o.to_body(in, active));
    for (size_t k = 0; k < v.carry.size(); ++k)
      v.carry[k] = o.lane_axes.carry[k] == 0 ? out[k] : select_lanes(active, out[k], v.carry[k]);
    for (size_t k = 0; k < ys.size(); ++k) {
      const Array& y = out[v.carry.size() + k];
      const Array row = o.result_lane_axes[k] == 0 ? y : mask_out(active, y);
      if (const int64_t bytes = row.type().bytes())
        std::memcpy(static_cast<std::byte*>(ys[k].data) + t * bytes, concrete(row).data(),
                    static_cast<size_t>(bytes));
    }
  }
  for (Fresh& y : ys) v.carry.push_back(y.array);
  return v.carry;
}

// Returns true if the scan is one step that calls native code. As a loop it would be a program of
// its own. A single step without calls stays, because a lane runs it as one kernel.
bool runs_apart(const Scan& p) {
  if (p.length != 1 || p.trip_counts) return false;
  ProgramWork work(*p.jaxpr);
  for (size_t i = 0; i < p.jaxpr->eqns.size(); ++i)
    if (work.calls(i)) return true;
  return false;
}
// Replaces a scan of one step by the step.
Arrays only_step(const Arrays& x, const Scan& p) {
  const BodyOp o = body_op(p);
  LoopValues<Array> in = o.operands(x);
  for (Array& row : in.xs) row = reshape_to(row, row.shape().erased(0));
  Arrays out = eval_jaxpr(p.jaxpr, o.to_body(in, Array()));
  for (size_t k = in.carry.size(); k < out.size(); ++k)
    out[k] = reshape_to(out[k], out[k].shape().inserted(0, 1));
  return out;
}

// A scan without steps returns its initial carry; no code is made for a body that would read rows
// that do not exist. Otherwise, invariants are moved before the loop, sums of products are moved
// after it, and a scan with .unroll becomes a shorter loop.
Arrays scan_simplify(const SimplifyArgs<Scan>& s) {
  if (s.params.length > 0) {
    if (runs_apart(s.params)) return only_step(s.x, s.params);
    if (const auto h = hoist_invariants(body_op(s.params), s.x))
      return h->o.bind(*find_op("scan"), h->x);
    Scan p = s.params;
    p.jaxpr = with_branches(p.jaxpr, "scan", make_params(p), s.x);
    if (p.jaxpr != s.params.jaxpr) return bind_op(*find_op("scan"), s.x, make_params(p));
    if (Arrays apart = with_shared_carries_apart(s.x, s.params); !apart.empty()) return apart;
    const std::optional<LoopSums> sums = sums_behind(s.x, s.params);
    if (!sums) return unrolled(s.x, s.params);
    const Arrays shorter = unrolled(sums->x, sums->p);
    return sums->finish(shorter.empty() ? bind_op(*find_op("scan"), sums->x, make_params(sums->p))
                                        : shorter);
  }
  const Arrays r = body_op(s.params).operands(s.x).carry;
  return concat_lists(r, map_list([](const Type& t) { return base::zeros(stacked(t, 0)); },
                                  drop_first(s.params.jaxpr->out_types(), r.size())));
}

std::vector<Sample<Scan>> scan_samples() {
  const Type t(F64, {2}), rows(F64, {5, 2});
  Scan p;
  // (k, c, x) -> (sin(c) + x, c * k)
  p.jaxpr = program({t, t, t}, [](const Arrays& a) {
    return Arrays{lax::add(lax::sin(a[1]), a[2]), lax::mul(a[1], a[0])};
  });
  p.length = 5;
  p.num_consts = p.num_carry = 1;
  Scan back = p, none = p, map, count, lanes;
  back.reverse = true;
  back.unroll = 2;
  none.length = 0;
  map.jaxpr =
      program({Type(F32, {}), t}, [](const Arrays& a) { return Arrays{lax::sin(a[0]), a[1]}; });
  map.length = 3;
  const Type n(I32, {});
  count.jaxpr = program({n}, [](const Arrays& a) {
    return Arrays{lax::add(a[0], scalar_of_int(I32, 1)), lax::mul(a[0], a[0])};
  });
  count.length = 4;
  count.num_carry = 1;
  // (active, c, x) -> (sin(c) + x, -c): a lane runs as many steps as it has trips.
  lanes.jaxpr = program({Type(Bool, {2}), t, t}, [](const Arrays& a) {
    return Arrays{lax::add(lax::sin(a[1]), a[2]), lax::neg(a[1])};
  });
  lanes.length = 5;
  lanes.num_carry = 1;
  lanes.lanes = {2};
  lanes.lane_ids = {0};
  lanes.lane_axes = {1, 1, 1};
  lanes.trip_counts = true;
  return {{{t, t, rows}, p},
          {{t, t, rows}, back},
          {{t, t, Type(F64, {0, 2})}, none},
          {{Type(F32, {3}), Type(F64, {3, 2})}, map},
          {{n}, count},
          {{Type(I32, {2}), t, rows}, lanes, -1, 6}};
}

const Primitive<Scan>& scan_op = define<Scan>(with_body_rules<Scan>(
    {
        .name = "scan",
        .doc = "Runs the program `jaxpr` `length` times. Its first results are the carry of the "
               "next step, and its other results are stacked.",
        .type = scan_type,
        .reference = scan_reference,
        .simplify = scan_simplify,
        .samples = scan_samples,
    },
    scan_steps));

}  // namespace

Arrays scan_flat(const ClosedJaxpr& body, const Arrays& init, const Arrays& xs, int64_t length,
                 bool reverse, int64_t unroll) {
  Scan p;
  p.jaxpr = open_constants(body.jaxpr);
  p.length = length;
  p.reverse = reverse;
  p.num_consts = static_cast<int64_t>(body.consts.size());
  p.num_carry = static_cast<int64_t>(init.size());
  p.unroll = unroll;
  return scan_op.bind(in_order(LoopValues<Array>{{}, {}, body.consts, init, xs}), p);
}

}  // namespace weft
