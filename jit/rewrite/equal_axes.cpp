// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/equal_axes.cpp: finds the axes of an equation that nothing in it combines or indexes,
// and along which no operand differs.
#include "jit/rewrite/equal_axes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/effects.h"
#include "core/hash.h"
#include "core/loops/resize.h"
#include "core/loops/work.h"
#include "core/param.h"
#include "jit/fuse/cost.h"
#include "jit/fuse/region.h"
#include "tracer/base_ops.h"
#include "tracer/replay.h"
#include "tracer/types_of.h"

namespace weft::compiler {
namespace {

// A program with this one equation. All its operands are inputs.
Jaxpr program_of(const Op& op, const Types& in, const AnyParams& params, const Types& out) {
  Recorder r;
  std::vector<Atom> operands, results;
  for (const Type& t : in) operands.push_back(Atom{r.add_input(t)});
  const int32_t first = r.add(op, params, std::move(operands), out);
  for (size_t k = 0; k < out.size(); ++k) results.push_back(Atom{first + static_cast<int32_t>(k)});
  return r.finish(results).jaxpr;
}

// Returns false if an equation marks a place of the program, or if an implementation has been
// chosen for its shapes.
bool is_free(const Jaxpr& j) {
  return !any_equation({j}, [](const JaxprData&, const Eqn& e) {
    return is_barrier(e) || e.op->collective() || !e.implementation.empty();
  });
}

std::vector<int64_t> all_axes(const Shape& s) {
  std::vector<int64_t> axes(s.ndim());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

}  // namespace

// An equation, its axes, and the same equation with one index of each.
struct EqualAxes::Equation {
  struct One {
    std::optional<Jaxpr> program;  // nothing if the op cannot be resized
    bool pays = false;             // to broadcast its results
  };
  explicit Equation(Jaxpr j) : program(std::move(j)), axes(program), free(is_free(program)) {}
  const Jaxpr program;
  const AxisClasses axes;
  const bool free;
  std::map<int, One> ones;  // by axis class

  int axis_class(int32_t var, int axis) const { return axes.find(axes.top().axis(var, axis)); }
  // The axis of a variable that belongs to the class, or -1.
  int place(int32_t var, int axis_class) const {
    for (int a = 0; a < program->types[var].ndim(); ++a)
      if (this->axis_class(var, a) == axis_class) return a;
    return -1;
  }
  const One& one(int axis_class);
  bool pays(const JaxprData& one) const;
  bool results_have(int c) const {
    return std::ranges::any_of(program->out, [&](Atom y) { return place(y.index, c) >= 0; });
  }
};

struct EqualAxes::Equations {
  struct Key {
    const Op* op;
    AnyParams params;
    std::string_view implementation;
    Types in;
    friend bool operator==(const Key& a, const Key& b) {
      return a.op == b.op && a.implementation == b.implementation && a.in == b.in &&
             equal(a.params, b.params);
    }
  };
  struct Hash {
    size_t operator()(const Key& k) const {
      return hash_fields(k.op, k.params->hash(), k.implementation, k.in);
    }
  };
  std::unordered_map<Key, std::unique_ptr<Equation>, Hash> known;

  Equation& of(const Op& op, const Types& in, const AnyParams& params, const Types& out) {
    auto& e = known[{&op, params, ImplementationScope::of(op), in}];
    if (!e) e = std::make_unique<Equation>(program_of(op, in, params, out));
    return *e;
  }
};

EqualAxes::EqualAxes(JaxprTrace* record)
    : record_(record), equations_(std::make_unique<Equations>()) {}
EqualAxes::~EqualAxes() = default;

Arrays EqualAxes::results(const Op& op, const Arrays& x, const AnyParams& params,
                          FunctionRef<Arrays()> whole) {
  static const Op& broadcast_op = *find_op("broadcast_in_dim");
  if (&op == &broadcast_op) {
    const Arrays y = whole();
    note(y[0], {x[0], *param_field<std::vector<int64_t>>(params, "broadcast_dimensions")});
    return y;
  }
  const std::optional<Smaller> s = smaller(op, x, params);
  if (!s) return whole();
  if (s->pays) {
    const Types out = op.type(types_of(x), params);
    Arrays y = s->results;
    for (size_t k = 0; k < y.size(); ++k)
      if (y[k].type() != out[k])
        y[k] = base::broadcast(y[k], out[k].shape(), all_axes(out[k].shape()));
    return y;
  }
  const Arrays y = whole();
  for (size_t k = 0; k < y.size(); ++k)
    if (y[k].type() != s->results[k].type()) note(y[k], {s->results[k], all_axes(y[k].shape())});
  return y;
}

// A broadcast of a broadcast is one broadcast.
void EqualAxes::note(const Array& y, Broadcast b) {
  if (const Broadcast* inner = known(b.from)) {
    std::vector<int64_t> axes;
    for (const int64_t a : inner->axes) axes.push_back(b.axes[a]);
    b.from = inner->from;
    b.axes = std::move(axes);
  }
  if (const Atom a = record_->atom(y); !a.is_literal()) broadcasts_.emplace(a.index, std::move(b));
}

const EqualAxes::Broadcast* EqualAxes::known(const Array& x) const {
  if (x.ndim() == 0) return nullptr;
  const auto it = broadcasts_.find(record_->atom(x).index);
  return it == broadcasts_.end() ? nullptr : &it->second;
}

bool EqualAxes::equal_along(const Array& x, int axis) const {
  const Broadcast* b = known(x);
  if (!b || x.shape()[axis] < 2) return false;
  const auto own = std::ranges::find(b->axes, axis);
  return own == b->axes.end() || b->from.shape()[own - b->axes.begin()] == 1;
}

// The analysis of an equation with programs takes long. An axis of another operand that is as long
// probably is the same one.
bool EqualAxes::may_have_equal_axis(const Op& op, const Arrays& x) const {
  std::vector<int64_t> equal, other;  // extents
  for (const Array& a : x)
    for (int k = 0; k < a.ndim(); ++k) (equal_along(a, k) ? equal : other).push_back(a.shape()[k]);
  return std::ranges::any_of(equal, [&](int64_t n) {
    return !op.compile_eagerly() || std::ranges::find(other, n) == other.end();
  });
}

bool EqualAxes::equal_along(const Equation& e, int axis_class, const Arrays& x) const {
  for (size_t k = 0; k < x.size(); ++k) {
    const int at = e.place(static_cast<int32_t>(k), axis_class);
    if (at >= 0 && !equal_along(x[k], at)) return false;
  }
  return true;
}

std::optional<EqualAxes::Smaller> EqualAxes::smaller(const Op& op, const Arrays& x,
                                                     const AnyParams& params) {
  if (!may_have_equal_axis(op, x) || effect_of(op, params) != Effect::none) return {};
  const Types in = types_of(x);
  Equation& e = equations_->of(op, in, params, op.type(in, params));
  if (!e.free) return {};
  for (size_t k = 0; k < x.size(); ++k) {
    for (int a = 0; a < x[k].ndim(); ++a) {
      if (!equal_along(x[k], a)) continue;
      const int c = e.axis_class(static_cast<int32_t>(k), a);
      if (!e.results_have(c) || !equal_along(e, c, x)) continue;
      if (auto s = bind_one(e, c, x)) return s;
    }
  }
  return {};
}

// An elementwise equation is computed where it is read. If it takes few instructions at an index
// that is known, the compiler takes it out of the loop over the axis.
bool EqualAxes::Equation::pays(const JaxprData& one) const {
  const Eqn& e = program->eqns[0];
  const Lowering& l = axes.top().lowering[0];
  double bytes = 0;
  for (const Atom y : one.out) bytes += static_cast<double>(one.type(y).bytes());
  const double most = kernel_cost + byte_cost * bytes;
  if (l.form != Lowering::Form::pull) return ProgramWork(*program).of(0) > most;
  const auto costs = [&](int64_t n) {
    return n > max_recomputed_cost && static_cast<double>(n * result_elements(*program, e)) > most;
  };
  return costs(axes.top().access[0].cost) &&
         costs(instructions_at_constant(l, program->in_types(e), program->out_types(e)));
}

const EqualAxes::Equation::One& EqualAxes::Equation::one(int axis_class) {
  const auto [it, fresh] = ones.try_emplace(axis_class);
  if (fresh && axes.runs_apart(axis_class)) it->second.program = resized(axes, axis_class, 1);
  if (fresh && it->second.program) it->second.pays = pays(**it->second.program);
  return it->second;
}

// Binds the equation with one index of the axes of this class, if there is such an equation.
std::optional<EqualAxes::Smaller> EqualAxes::bind_one(Equation& e, int axis_class,
                                                      const Arrays& x) {
  const auto& [one, pays] = e.one(axis_class);
  const Op& op = *e.program->eqns[0].op;
  // Readers do not repeat a loop.
  if (!one || (!pays && op.compile_eagerly())) return {};
  Arrays operands;
  for (size_t k = 0; k < x.size(); ++k) {
    const int at = e.place(static_cast<int32_t>(k), axis_class);
    const Broadcast* b = known(x[k]);
    operands.push_back(at < 0 ? x[k] : base::broadcast(b->from, x[k].shape().with(at, 1), b->axes));
  }
  return Smaller{bind_op(op, operands, (*one)->eqns[0].params), pays};
}

}  // namespace weft::compiler
