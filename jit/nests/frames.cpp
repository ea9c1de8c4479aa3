// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/frames.cpp: the bodies of a kernel, and the places of their values.
#include "jit/nests/frames.h"

namespace weft::compiler {

ValueLocation& ValueLocations::operator[](int32_t v) {
  const auto [it, fresh] = locations_.try_emplace(v);
  if (fresh) it->second = initial(v);
  return it->second;
}

const ValueLocation* ValueLocations::find(int32_t v) const {
  const auto it = locations_.find(v);
  return it == locations_.end() ? nullptr : &it->second;
}

ValueLocation::Kind ValueLocations::kind(int32_t v) const {
  const ValueLocation* p = find(v);
  return p ? p->kind : initial(v).kind;
}

ValueLocation ValueLocations::initial(int32_t v) const {
  if (in_memory && (*in_memory)[v]) return {.kind = ValueLocation::Kind::memory};
  if ((*defining_eqn)[v] == Program::none) return {};
  return {.kind = ValueLocation::Kind::pull, .eqn = (*defining_eqn)[v]};
}

LaneType Frame::lane_type(int32_t var) const {
  const Type& t = type(var);
  std::vector<int> axes(static_cast<size_t>(t.ndim()), -1);
  if (!analysis) {
    const auto it = kernel->grid_axes.find(var);
    if (it != kernel->grid_axes.end()) axes = it->second;
    return {t, std::move(axes)};
  }
  for (int a = 0; a < t.ndim(); ++a) {
    const auto it = classes->find(analysis->find(s->axis(var, a)));
    if (it != classes->end()) axes[a] = it->second;
  }
  return {t, std::move(axes)};
}

bool Frame::is_large(int32_t var) const { return lane_type(var).inner_elements() > kernel->small; }

bool Frame::is_stored_in_array(int32_t var) const {
  return is_large(var) || kernel->in_arrays.contains({number, var});
}

bool Frame::is_stored_by_step(int32_t var) const {
  return !analysis && kernel->stored_by_step.contains(var);
}

bool Frame::is_updated_in_memory(int32_t var) const {
  return !analysis && kernel->updated.contains(var);
}

Frames::Frames(const Program& program, const KernelShape& kernel, const VarMap<bool>& in_memory)
    : program_(program), kernel_(kernel), in_memory_(in_memory) {
  Frame& f = frames_.emplace_back();
  f.kernel = &kernel;
  f.s = &program.scope;
  f.location.defining_eqn = &program.defining_eqn;
  f.location.in_memory = &in_memory_;
}

Frame& Frames::body(const Frame& f, size_t eqn, size_t body) {
  static const std::map<int, int> no_classes;
  const AxisClasses* analysis = f.analysis ? f.analysis : program_.analysis[eqn].get();
  const Scope& s = f.analysis ? *f.s->bodies[eqn][body] : *analysis->top().bodies[0][body];
  const auto of_loop = kernel_.classes.find(eqn);
  Frame& g = frames_.emplace_back();
  g.number = frames_.size();
  g.kernel = &kernel_;
  g.s = &s;
  g.analysis = analysis;
  g.classes = f.classes                          ? f.classes
              : of_loop == kernel_.classes.end() ? &no_classes
                                                 : &of_loop->second;
  g.defining_eqn = defining_eqns(*s.j);
  g.location.defining_eqn = &g.defining_eqn;
  return g;
}

}  // namespace weft::compiler
