// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/resize.cpp: changes the types of a program, and the parameters that hold extents.
#include "core/loops/resize.h"

#include "core/effects.h"
#include "weft/error.h"

namespace weft {
namespace {

class Resizer {
 public:
  Resizer(const AxisClasses& an, int axis_class, int64_t extent)
      : an_(an), class_(an.find(axis_class)), extent_(extent) {}
  std::optional<Jaxpr> program(const Scope& s) const;

 private:
  Type type(const Scope& s, int32_t v) const;
  bool equation(const Scope& s, size_t i, JaxprData* r) const;
  std::optional<AnyParams> with_bodies(const Eqn& e, const Scope& s, size_t i) const;

  const AxisClasses& an_;
  const int class_;
  const int64_t extent_;
};

Type Resizer::type(const Scope& s, int32_t v) const {
  const Type& t = s.j->types[v];
  std::vector<int64_t> sizes = t.shape().sizes();
  for (int a = 0; a < t.ndim(); ++a)
    if (an_.find(s.axis(v, a)) == class_) sizes[a] = extent_;
  return t.with_shape(Shape(sizes));
}

// Returns the parameters with resized programs, or nothing if the analysis does not follow them.
std::optional<AnyParams> Resizer::with_bodies(const Eqn& e, const Scope& s, size_t i) const {
  if (inner_programs(e.params).size() != s.bodies[i].size()) return std::nullopt;
  bool fits = true;
  size_t next = 0;
  AnyParams r = with_programs(e, [&](const Jaxpr& body) {
    const std::optional<Jaxpr> small = fits ? program(*s.bodies[i][next++]) : std::nullopt;
    fits = small.has_value();
    return fits ? *small : body;
  });
  if (!fits) return std::nullopt;
  return r;
}

// The type rule of the op decides whether the parameters fit the new types.
bool Resizer::equation(const Scope& s, size_t i, JaxprData* r) const {
  Eqn& e = r->eqns[i];
  if (e.op->compile_eagerly()) {
    std::optional<AnyParams> params = with_bodies(e, s, i);
    if (!params) return false;
    e.params = std::move(*params);
  }
  const Types in = r->in_types(e), out = r->out_types(e);
  if (in == s.j->in_types(e) && out == s.j->out_types(e)) return true;
  try {
    e.params = e.op->resize(in, out, e.params);
    return e.op->type(in, e.params) == out;
  } catch (const Error&) {
    return false;
  }
}

std::optional<Jaxpr> Resizer::program(const Scope& s) const {
  auto r = make_ref<JaxprData>(*s.j);
  r->interned = false;
  r->first = {};
  for (int32_t v = 0; v < static_cast<int32_t>(r->types.size()); ++v) {
    r->types[v] = type(s, v);
    if (v < r->n_const && r->types[v] != s.j->types[v]) return std::nullopt;
  }
  for (size_t i = 0; i < r->eqns.size(); ++i)
    if (!equation(s, i, r.get())) return std::nullopt;
  return intern(std::move(r));
}

}  // namespace

std::optional<Jaxpr> resized(const AxisClasses& an, int axis_class, int64_t extent) {
  return Resizer(an, axis_class, extent).program(an.top());
}

std::optional<Jaxpr> program_of_block(const Jaxpr& j, const Bools& in_blocks, int64_t block) {
  if (j->out.empty() || j->out[0].is_literal()) return std::nullopt;
  const AxisClasses an(j);
  const int lane = an.top().axis(j->out[0].index, 0);
  if (!an.runs_apart(lane)) return std::nullopt;
  std::optional<Jaxpr> r = resized(an, lane, block);
  const auto rows = [&](const Type& t) { return t.with_shape(t.shape().with(0, block)); };
  bool fits = r.has_value();
  for (size_t k = 0; fits && k < in_blocks.size(); ++k) {
    const Type& t = j->types[k];
    fits = (*r)->types[k] == (in_blocks[k] ? rows(t) : t);
  }
  for (size_t k = 0; fits && k < j->out.size(); ++k)
    fits = (*r)->type((*r)->out[k]) == rows(j->type(j->out[k]));
  return fits ? r : std::nullopt;
}

}  // namespace weft
