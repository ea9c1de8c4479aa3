// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/optim/steps.cpp: code shared by all optimizers: chains, states, and applying updates.
#include <fmt/format.h>

#include <cmath>

#include "functions/kit.h"
#include "functions/optim/kit.h"
#include "ops/structure/structure.h"
#include "tracer/types_of.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/optim.h"

namespace weft::optim {

namespace detail {

PartsRef parts_of(std::vector<Part> list) {
  auto p = make_ref<Parts>();
  for (const Part& part : list) {
    p->counts += part.counts;
    p->moments += part.moments;
  }
  p->list = std::move(list);
  return p;
}
namespace {
const Parts& of(const PartsRef& p) { return static_cast<const Parts&>(*p); }
}  // namespace
PartsRef joined(const std::vector<PartsRef>& all) {
  std::vector<Part> list;
  for (const PartsRef& p : all) list.insert(list.end(), of(p).list.begin(), of(p).list.end());
  return parts_of(std::move(list));
}

FlatState init(const PartsRef& parts, const Arrays& params) {
  FlatState s;
  for (const Part& p : of(parts).list) {
    for (size_t i = 0; i < p.counts; ++i) s.counts.push_back(zeros({}, I32));
    const size_t first = s.moments.size();
    s.moments.resize(first + p.moments);
    if (p.init) p.init(params, s.moments.data() + first);
  }
  return s;
}

void update(const PartsRef& parts, Arrays* updates, const Arrays* params, FlatState* state,
            Paths paths) {
  Step s{std::move(*updates), params, paths};
  Array* counts = state->counts.data();
  Arrays* moments = state->moments.data();
  for (const Part& p : of(parts).list) {
    p.update(s, counts, moments);
    counts += p.counts;
    moments += p.moments;
  }
  *updates = std::move(s.updates);
}

void require_own_state(const PartsRef& parts, size_t counts, size_t moments) {
  if (counts == of(parts).counts && moments == of(parts).moments) return;
  std::string names;
  for (const Part& p : of(parts).list) names += (names.empty() ? "" : ", ") + p.name;
  fn::fail_shape(
      fmt::format("optim: update: the state has {} counts and {} trees of moments, and this "
                  "optimizer ({}) keeps "
                  "{} and {}; it is the state of another one: take init of this optimizer",
                  counts, moments, names, of(parts).counts, of(parts).moments));
}

void require_shapes(const char* who, const Arrays& a, const Arrays& b, const char* what,
                    Paths paths) {
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].shape() != b[i].shape())
      fn::fail_shape(fmt::format("{}: {} has shape {}, and the {} in its place {}", who,
                                 paths("updates")[i], to_string(b[i].shape()), what,
                                 to_string(a[i].shape())));
}

Arrays apply_updates(const Arrays& params, const Arrays& updates, Paths paths) {
  Arrays out;
  for (size_t i = 0; i < params.size(); ++i) {
    const Array &p = params[i], &u = updates[i];
    if (p.shape() != u.shape())
      fn::fail_shape(fmt::format("apply_updates: {} has shape {}, and its update {}",
                                 paths("params")[i], to_string(p.shape()), to_string(u.shape())));
    out.push_back(fn::as_dtype(p + u, p.dtype(), p.weak_type()));
  }
  return out;
}

Array wide_global_norm(const Arrays& x) {
  Array total;
  for (const Array& a : x) {
    const Array s = sum(square_norm(a));
    total = total.empty_handle() ? s : total + s;
  }
  return total.empty_handle() ? zeros({}) : sqrt(total);
}
Array global_norm(const Arrays& x) {
  const Array norm = wide_global_norm(x);
  if (x.empty()) return norm;
  return fn::as_dtype(norm, to_inexact(real_part(common_type(types_of(x)).dtype)),
                      norm.weak_type());
}

}  // namespace detail

std::vector<bool> LeafMask::of(const char* who, const Arrays& leaves, detail::Paths paths) const {
  std::vector<bool> r;
  if (given_ && bits_.size() != leaves.size())
    fn::fail_shape(
        fmt::format("{}: the mask has {} bools, and the tree {} leaves; it takes one a leaf", who,
                    bits_.size(), leaves.size()));
  const auto names = by_path_ ? paths("") : std::vector<std::string>{};
  for (size_t i = 0; i < leaves.size(); ++i)
    r.push_back(given_ ? bits_[i] : !f_ || f_(leaves[i], by_path_ ? names[i] : std::string()));
  return r;
}

GradientTransformation chain(const std::vector<GradientTransformation>& parts) {
  std::vector<detail::PartsRef> all;
  for (const GradientTransformation& p : parts) all.push_back(p.init.parts());
  return GradientTransformation(detail::joined(all));
}

}  // namespace weft::optim
