// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/work.cpp: estimates work from the lowering of each equation.
#include "core/loops/work.h"

#include <algorithm>

namespace weft {
namespace {

using Form = Lowering::Form;

constexpr int cost_of_term = 4;        // of a fold or update: its loads, and what combines it
constexpr double cost_of_native = 32;  // of an element that native code reads or writes

}  // namespace

double trips_of(const LoopForm& v) {
  if (v.kind == LoopForm::Kind::scan) return static_cast<double>(v.length);
  return v.kind == LoopForm::Kind::loop_while ? trips_of_while : 1;
}

int64_t result_elements(const JaxprData& j, const Eqn& e) {
  int64_t n = 0;
  for (int32_t v = e.out; v < e.out + e.n_out; ++v) n += j.types[v].elements();
  return n;
}

const ProgramWork::Known& ProgramWork::known(size_t i) {
  if (!known_[i]) {
    const Eqn& e = j_.eqns[i];
    Lowering l = lower_equation(j_, e);
    const bool folds = l.form == Form::pull || l.form == Form::reduce || l.form == Form::prefix ||
                       l.form == Form::contract;
    Access a = folds ? access_of(l, j_.in_types(e), j_.out_types(e)) : Access();
    known_[i] = Known{std::move(l), std::move(a)};
  }
  return *known_[i];
}

double ProgramWork::of(size_t i) {
  const Eqn& e = j_.eqns[i];
  const auto& [l, a] = known(i);
  switch (l.form) {
    case Form::pull: return static_cast<double>(result_elements(j_, e)) * std::max(a.cost, 1);
    case Form::reduce:
    case Form::contract:
    case Form::prefix:
      return static_cast<double>(l.space.elements()) * std::max(a.cost, cost_of_term);
    case Form::scatter:
      return static_cast<double>(j_.type(e.in[0]).elements() +
                                 cost_of_term * j_.type(e.in[1]).elements());
    case Form::loop:
    case Form::branch:
    case Form::inlined:
    case Form::opaque: break;
  }
  double all = 0;
  for (const Jaxpr& body : l.loop.bodies) all += trips_of(l.loop) * ProgramWork(*body).of_all();
  if (!l.loop.bodies.empty()) return all;
  int64_t elements = result_elements(j_, e);
  for (Atom x : e.in) elements += j_.type(x).elements();
  return cost_of_native * static_cast<double>(elements);
}

double ProgramWork::of_all() {
  double all = 0;
  for (size_t i = 0; i < j_.eqns.size(); ++i) all += of(i);
  return all;
}

bool ProgramWork::calls(size_t i) {
  const Lowering& l = lowering(i);
  if (l.form == Form::opaque || l.form == Form::scatter) return true;
  for (const Jaxpr& body : l.loop.bodies) {
    ProgramWork inner(*body);
    for (size_t q = 0; q < body->eqns.size(); ++q)
      if (inner.calls(q)) return true;
  }
  return false;
}

}  // namespace weft
