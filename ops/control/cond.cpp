// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/cond.cpp: one of several branches, chosen by an index.
//
// cond[lanes](index, entry_mask?, operands) -> results
//   a_b = entry_mask & (clamp(index) == b);  branch b runs if any(a_b);
//   out[l] = branch_{index[l]}(operands)[l], zeros where entry_mask is false
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/loops/axis_classes.h"
#include "core/loops/platform.h"
#include "core/loops/work.h"
#include "ops/control/packed.h"
#include "ops/control/samples.h"
#include "ops/index/index.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

Types cond_type(const Types& in, const Cond& p) {
  if (p.branches.empty()) reject_shape("cond", "needs at least one branch", in);
  if (in.empty() || in[0].dtype() != I32 || in[0].shape().sizes() != p.lanes)
    reject_dtype("cond", "the index must be an i32 of the shape of the lanes", in);
  if (p.entry_mask && (in.size() < 2 || in[1] != Type(Bool, Shape(p.lanes))))
    reject_dtype("cond", "entry_mask must be a bool of the shape of the lanes", in);
  if (!p.branches_platforms.empty() && p.branches_platforms.size() != p.branches.size())
    reject_shape("cond", "needs one platform a branch", in);
  const Types out = p.branches[0]->out_types();
  const size_t first = p.entry_mask ? 2 : 1, n = in.size() - first;
  require_lanes("cond", p.lanes, p.lane_ids, p.lane_axes, n + out.size(), in);
  Types takes = mask_input(p.lanes);
  append(takes, drop_first(in, first));
  for (const Jaxpr& b : p.branches) {
    if (strong(b->out_types()) != strong(out))
      reject_shape("cond",
                   fmt::format("branch outputs must have equal types, but they differ: {} and {}",
                               to_string(out), to_string(b->out_types())),
                   in);
    require_body("cond", b, takes, in);
  }
  const BodyOp o = body_op(p);
  for (size_t k = 0; k < out.size(); ++k)
    require_all_or_none("cond", "result", k, p.lanes, o.result_lane_axes[k], out[k]);
  return out;
}

// Results without lanes are added over the branches that ran (lanes.h).
Array merge_whole(const Array& a, const Array& b) {
  return a.dtype() == Bool ? lax::bitwise_or(a, b) : base::add(a, b);
}

// Returns the lanes that take branch b: those with clamp(index) == b that enter. The first and the
// last branch also take all indices beyond them.
Array takes(const Arrays& control, int64_t b, int64_t last) {
  const Array &index = control[0], at = broadcast_in_dim(scalar_of_int(I32, b), index.shape(), {});
  const Array a = b == 0 && b == last ? lax::eq(index, index)
                  : b == 0            ? lax::le(index, at)
                  : b == last         ? lax::ge(index, at)
                                      : lax::eq(index, at);
  return control.size() == 1 ? a : lax::bitwise_and(a, control[1]);
}

// Merges the results of a branch, for its lanes, into the results so far.
Arrays merged(const BodyOp& o, const Array& active, const Arrays& more, const Arrays& before) {
  Arrays r = more;
  for (size_t k = 0; k < r.size(); ++k)
    r[k] = o.result_lane_axes[k] == 0 ? merge_whole(before[k], more[k])
                                      : select_lanes(active, more[k], before[k]);
  return r;
}

// If the platform selects the branch, returns the cond with only the branch of this platform.
Cond of_platform(const Cond& p, const std::string& platform) {
  if (p.branches_platforms.empty()) return p;
  const Strings& all = p.branches_platforms;
  auto it = std::find(all.begin(), all.end(), platform);
  if (it == all.end()) it = std::find(all.begin(), all.end(), "default");
  if (it == all.end())
    throw CompileError(fmt::format(
        "platform_dependent: there is no implementation for platform '{}', only for {}; "
        "give it a default",
        platform, fmt::join(all, ", ")));
  Cond one = p;
  one.branches = {p.branches[it - all.begin()]};
  one.branches_platforms = {};
  return one;
}

Arrays cond_reference(const Arrays& x, const Cond& given) {
  const Cond p = of_platform(given, "cpu");
  const BodyOp o = body_op(p);
  const LoopValues<Array> v = o.operands(x);
  const int64_t last = static_cast<int64_t>(p.branches.size()) - 1;
  if (p.lanes.empty() && (!p.entry_mask || static_cast<bool>(x[1]))) {
    const int64_t b = std::clamp<int64_t>(x[0].item<int64_t>(), 0, last);
    return eval_jaxpr(p.branches[static_cast<size_t>(b)], v.body_consts);
  }
  Arrays out = map_list(base::zeros, p.branches[0]->out_types());
  for (int64_t b = 0; b <= last && !p.lanes.empty(); ++b) {
    const Array a = takes(v.control, b, last);
    if (!static_cast<bool>(any_lane(a))) continue;
    out = merged(o, a, eval_jaxpr(p.branches[static_cast<size_t>(b)], o.to_body(v, a)), out);
  }
  return out;
}

// For branches that run one after another: computes the masks, then merges each branch into the
// results so far.
std::vector<Jaxpr> cond_steps(const LowerArgs<Cond>& l) {
  const BodyOp o = body_op(l.params);
  if (o.lanes.empty()) return o.bodies;
  const LoopValues<Type> in = o.operands(l.in);
  const auto last = static_cast<int64_t>(o.bodies.size()) - 1;
  std::vector<Jaxpr> r{program(in.control, [&](const Arrays& control) {
    Arrays out;
    for (int64_t b = 0; b <= last; ++b) {
      const Array a = takes(control, b, last);
      append(out, {any_lane(a), a});
    }
    return out;
  })};
  Types types = mask_input(o.lanes);
  append(types, in.body_consts);
  const size_t n = types.size();
  append(types, l.out);
  for (const Jaxpr& b : o.bodies)
    r.push_back(program(types, [&](const Arrays& x) {
      return merged(o, x[0], eval_jaxpr(b, sublist(x, 0, n)), drop_first(x, n));
    }));
  return r;
}

// A branch of so few elementwise equations takes less time for all lanes than packing some of them.
bool is_short(const Jaxpr& branch) {
  constexpr size_t few_equations = 8;
  return branch->eqns.size() <= few_equations &&
         std::ranges::all_of(branch->eqns, [&](const Eqn& e) {
           return lower_equation(*branch, e).form == Lowering::Form::pull;
         });
}

// Returns true if computing all branches takes about as long as writing their results, which are
// arrays. Then readers compute the elements that they need, and none are copied. Checks of errors
// are such branches: they return their operands or NaNs. A lane keeps smaller results in registers.
bool is_cheap(const Cond& p) {
  constexpr size_t most_branches = 4;
  constexpr double instructions = 4;  // of all branches, for an element
  constexpr int64_t registers = 128;  // elements of a lane
  if (p.branches.size() > most_branches) return false;
  double work = 0, elements = 0;
  for (const Type& t : p.branches[0]->out_types()) elements += static_cast<double>(t.elements());
  if (elements <= static_cast<double>(registers * Shape(p.lanes).elements())) return false;
  for (const Jaxpr& b : p.branches) {
    ProgramWork of(*b);
    for (size_t i = 0; i < b->eqns.size(); ++i) {
      if (of.lowering(i).form != Lowering::Form::pull || of.lowering(i).destination) return false;
      if (work += of.of(i); work > instructions * elements) return false;
    }
  }
  return true;
}

// Computes all branches and selects their results, for one index.
Arrays cond_selected(const ExpandArgs<Cond>& e) {
  const Cond& p = e.params;
  const Arrays x = drop_first(e.x, 1);
  const auto last = static_cast<int64_t>(p.branches.size()) - 1;
  Arrays out = eval_jaxpr(p.branches[static_cast<size_t>(last)], x);
  for (int64_t b = last - 1; b >= 0; --b) {
    const Array taken = takes({e.x[0]}, b, last);
    const Arrays more = eval_jaxpr(p.branches[static_cast<size_t>(b)], x);
    for (size_t k = 0; k < out.size(); ++k)
      out[k] = base::convert(select_lanes(taken, more[k], out[k]), out[k].dtype(),
                             p.branches[0]->out_types()[k].weak());
  }
  return out;
}

// Runs each branch for the lanes that take it, or all branches if they are cheap.
Arrays cond_expanded(const ExpandArgs<Cond>& e) {
  if (e.params.lanes.empty()) return cond_selected(e);
  const BodyOp o = body_op(e.params);
  const LoopValues<Array> v = o.operands(e.x);
  const auto last = static_cast<int64_t>(o.bodies.size()) - 1;
  const bool cheap = is_cheap(e.params);
  Arrays out = map_list(base::zeros, o.bodies[0]->out_types());
  for (int64_t b = 0; b <= last; ++b) {
    const Jaxpr& branch = o.bodies[static_cast<size_t>(b)];
    const Array a = takes(v.control, b, last);
    const auto body = [&](const Arrays& rows, const Array& active) {
      LoopValues<Array> some = v;
      some.body_consts = rows;
      return eval_jaxpr(branch, o.to_body(some, active));
    };
    out = cheap || is_short(branch)
              ? merged(o, a, body(v.body_consts, a), out)
              : run_packed(body, v.body_consts, o.lane_axes.body_consts, a, out);
    if (out.empty()) return {};
  }
  return out;
}

// Where a loop calls it, a branch that does not run leaves results in place. The pass that packs
// lanes chooses `expand` for lanes (jit/rewrite/pack_lanes.h).
std::vector<Implementation<Cond>> cond_implementations() {
  constexpr double never_ns = 1e19;
  static const auto selects = [](const Use<Cond>& u) {
    return !u.in_loop && (!u.params.entry_mask || !u.params.lanes.empty()) && is_cheap(u.params);
  };
  std::vector<Implementation<Cond>> all(2);
  all[0].name = generated;
  all[1].name = expanded;
  all[1].applies = [](const Use<Cond>& u) {
    if (!u.params.branches_platforms.empty()) return false;
    return selects(u) || (!u.params.lanes.empty() && packs_lanes(body_op(u.params)));
  };
  all[1].cost = [](const Use<Cond>& u) { return selects(u) ? 0 : never_ns; };
  return all;
}

// If the index or the platform is known, only its branch remains.
Arrays cond_simplify(const SimplifyArgs<Cond>& s) {
  Cond p = of_platform(s.params, current_platform());
  if (p.branches.size() > 1) {
    if (!concrete_or_null(s.x[0]) || !p.lanes.empty()) return {};
    const auto last = static_cast<int64_t>(p.branches.size()) - 1;
    const int64_t b = std::clamp<int64_t>(s.x[0].item<int64_t>(), 0, last);
    p.branches = {p.branches[b]};
  }
  if (p.entry_mask)
    return s.params.branches.size() == 1 && s.params.branches_platforms.empty()
               ? Arrays()
               : bind_op(*find_op("cond"), s.x, make_params(p));
  const BodyOp o = body_op(p);
  const Array all = broadcast_in_dim(scalar_of_int(I32, 1), Shape(p.lanes), {});
  return eval_jaxpr(p.branches[0], o.to_body(o.operands(s.x), lax::eq(all, all)));
}

std::vector<Sample<Cond>> cond_samples() {
  const Type index(I32, {}), x(F64, {3});
  const Types two(2, x);
  const Jaxpr product =
      program(two, [](const Arrays& a) { return Arrays{sine_product(a[0], a[1])}; });
  const Jaxpr sum = program(two, [](const Arrays& a) { return Arrays{lax::add(a[0], a[1])}; });
  const Jaxpr first = program(two, [](const Arrays& a) { return Arrays{a[0]}; });
  const Types words{Type(I32, {2}), Type(Bool, {})};
  const Jaxpr as_is = program(words, [](const Arrays& a) { return a; });
  const Jaxpr turned = program(
      words, [](const Arrays& a) { return Arrays{lax::neg(a[0]), lax::bitwise_not(a[1])}; });
  const Type lanes(F64, {2}), mask(Bool, {2});
  const Jaxpr root = program({mask, lanes}, [](const Arrays& a) { return Arrays{lax::sin(a[1])}; });
  const Jaxpr same = program({mask, lanes}, [](const Arrays& a) { return Arrays{a[1]}; });
  // Enough lanes to be packed.
  const Type many(F64, {70, 2}), one(F64, {2}), many_mask(Bool, {70});
  const Types packed_in{many_mask, many, one};
  const Jaxpr folds = program(packed_in, [](const Arrays& a) {
    return Arrays{lax::sin(lax::cumsum(a[1], 1)), base::ones(a[1].type())};
  });
  const Jaxpr adds = program(packed_in, [](const Arrays& a) {
    const Array shared = broadcast_in_dim(lax::cumsum(a[2]), a[1].shape(), {1});
    return Arrays{base::zeros(a[1].type()), lax::add(a[1], shared)};
  });
  const Jaxpr keeps = program(packed_in, [](const Arrays& a) { return Arrays{a[1], a[1]}; });
  return {
      {{index, x, x}, {{product, sum, first}, {}, {}, {}, false}},
      {{index, words[0], words[1]}, {{as_is, turned}, {}, {}, {}, false}},
      {{index, x, x}, {{product}, {}, {}, {}, false}},
      {{index, Type(Bool, {}), x, x}, {{sum, product}, {}, {}, {}, true}},
      {{Type(I32, {2}), lanes}, {{root, same}, {2}, {0}, {1, 1}, false}},
      {{Type(I32, {2}), mask, lanes}, {{same, root}, {2}, {0}, {1, 1}, true}},
      {{Type(I32, {70}), many, one}, {{folds, adds, keeps}, {70}, {0}, {1, 0, 1, 1}, false}},
      {{Type(I32, {70}), many_mask, many, one}, {{adds, folds}, {70}, {0}, {1, 0, 1, 1}, true}},
      // The branches agree on all devices, because law tests compare devices.
      {{index, x, x}, {{product, product, first}, {}, {}, {}, false, {"cuda", "cpu", "default"}}},
      {{Type(I32, {2}), lanes}, {{root, root}, {2}, {0}, {1, 1}, false, {"cuda", "default"}}}};
}

const Primitive<Cond>& cond_op = define<Cond>([] {
  auto d = with_body_rules<Cond>(
      {
          .name = "cond",
          .doc = "Runs the branch that the index selects; an index out of range is clamped. With "
                 "`lanes`, each lane has its own index.",
          .type = cond_type,
          .reference = cond_reference,
          .expand = cond_expanded,
          .implementations = cond_implementations,
          .simplify = cond_simplify,
          .samples = cond_samples,
      },
      cond_steps);
  d.lower = [rule = d.lower](const LowerArgs<Cond>& l) {
    const Cond p = of_platform(l.params, current_platform());
    return rule({l.in, l.out, p});
  };
  return d;
}());

Arrays bind_cond(const Array& index, const std::vector<ClosedJaxpr>& branches,
                 const Arrays& operands, const Strings& platforms) {
  Arrays x{index};
  std::vector<TracedBody> bodies;
  for (const ClosedJaxpr& b : branches) bodies.push_back({b, 0});
  Cond p;
  p.branches = hoist_captures(bodies, &x);
  p.branches_platforms = platforms;
  append(x, operands);
  return cond_op.bind(x, p);
}

}  // namespace

Arrays cond_flat(const Array& index, const std::vector<ClosedJaxpr>& branches,
                 const Arrays& operands) {
  return bind_cond(index, branches, operands, {});
}
Arrays platform_cond_flat(const Strings& platforms, const std::vector<ClosedJaxpr>& branches,
                          const Arrays& operands) {
  for (const std::string& name : platforms)
    if (name != "cpu" && name != "cuda" && name != "default")
      throw DeviceError(
          fmt::format("platform_dependent: '{}' is not a platform; there are cpu and cuda", name));
  return bind_cond(scalar_of_int(I32, 0), branches, operands, platforms);
}

}  // namespace weft
