// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/jaxpr_builder.cpp: numbers the variables of a new program.
#include "core/jaxpr_builder.h"

#include <utility>

namespace weft {

JaxprBuilder::JaxprBuilder(const JaxprData& from) : from_(from), replaced_by_(from, unknown) {
  made_->literals = from.literals;
}

void JaxprBuilder::define(int32_t old) {
  replaced_by_[old] = {next()};
  made_->types.push_back(from_.types[old]);
}

Atom JaxprBuilder::add_input(const Type& t) {
  made_->types.push_back(t);
  return {made_->n_in++};
}

void JaxprBuilder::copy_input(int32_t old) {
  define(old);
  ++made_->n_in;
}

void JaxprBuilder::copy_constant(int32_t old) {
  copy_input(old);
  ++made_->n_const;
}

void JaxprBuilder::copy_inputs() {
  for (int32_t v = 0; v < from_.n_in; ++v) v < from_.n_const ? copy_constant(v) : copy_input(v);
}

Eqn& JaxprBuilder::copy(const Eqn& e) {
  Eqn n = e;
  for (Atom& a : n.in) a = replacement(a);
  n.out = next();
  for (int32_t v = e.out; v < e.out + e.n_out; ++v) define(v);
  return made_->eqns.emplace_back(std::move(n));
}

Eqn& JaxprBuilder::add(Eqn e, const std::vector<Atom>& results) {
  for (Atom& a : e.in) a = replacement(a);
  return append(std::move(e), results);
}

Eqn& JaxprBuilder::append(Eqn e, const std::vector<Atom>& results) {
  e.out = next();
  for (Atom old : results) define(old.index);
  return made_->eqns.emplace_back(std::move(e));
}

Ref<JaxprData> JaxprBuilder::finish_uninterned(const std::vector<Atom>& out) {
  for (Atom a : out) made_->out.push_back(replacement(a));
  return std::move(made_);
}

std::vector<Atom> results_of(const Eqn& e) {
  std::vector<Atom> r;
  for (int32_t v = e.out; v < e.out + e.n_out; ++v) r.push_back({v});
  return r;
}

}  // namespace weft
