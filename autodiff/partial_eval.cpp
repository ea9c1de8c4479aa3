// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// autodiff/partial_eval.cpp: splits a computation into its known and unknown parts.
#include "autodiff/partial_eval.h"

#include "autodiff/autodiff.h"
#include "core/hash.h"
#include "tracer/base_ops.h"
#include "tracer/transform_cache.h"

namespace weft {

Array PartialEvalTrace::unknown(const Type& t) {
  return Array(
      Ref<const Node>(new UnknownTracer(t, Ref<Interpreter>(this), recorder_.add_input(t))));
}

bool PartialEvalTrace::is_unknown(const Array& x) const {
  return tracer_of<UnknownTracer>(x, *this) != nullptr;
}

Atom PartialEvalTrace::atom(const Array& x) {
  if (const auto* t = tracer_of<UnknownTracer>(x, *this)) return {t->var};
  return recorder_.capture(x);
}

Arrays PartialEvalTrace::record(const Op& op, const Arrays& x, const AnyParams& params) {
  return recorder_.record(
      op, x, params, [&](const Array& a) { return atom(a); },
      [&](const Type& t, int32_t var) {
        return new UnknownTracer(t, Ref<Interpreter>(this), var);
      });
}

Arrays PartialEvalTrace::process(const Op& op, const Arrays& x, const AnyParams& params) {
  std::vector<bool> unknown;
  bool any = false;
  for (const Array& a : x) {
    unknown.push_back(is_unknown(a));
    any = any || unknown.back();
  }
  const CurrentTraceScope running(parent());
  if (!any) return bind_op(op, x, params);
  return op.has(Op::Slot::partial) ? op.partial(x, unknown, params, *this) : record(op, x, params);
}

ClosedJaxpr PartialEvalTrace::finish(const Arrays& out) {
  std::vector<Atom> atoms;
  for (const Array& a : out) atoms.push_back(atom(a));
  return recorder_.finish(atoms);
}

namespace {
struct SplitKey {
  using Result = Split;
  std::vector<bool> unknown, ask;
  size_t hash() const { return hash_fields(unknown, ask); }
  friend bool operator==(const SplitKey&, const SplitKey&) = default;
};

Split make_split(const Jaxpr& j, const std::vector<bool>& unknown, const std::vector<bool>& ask) {
  Types known_in;
  for (int i = 0; i < j->n_in; ++i)
    if (!unknown[i]) known_in.push_back(j->types[i]);
  Split s;
  ClosedJaxpr rest;
  ClosedJaxpr known = record(known_in, [&](const Arrays& args) {
    TraceScope<PartialEvalTrace> pe;
    Arrays x;
    size_t next = 0;
    for (int i = 0; i < j->n_in; ++i)
      x.push_back(unknown[i] ? pe->unknown(j->types[i]) : args[next++]);
    const Arrays out = eval_jaxpr(j, x);
    Arrays known_out, unknown_out;
    for (size_t k = 0; k < out.size(); ++k) {
      s.out_unknown.push_back(ask[k] || pe->is_unknown(out[k]));
      (s.out_unknown.back() ? unknown_out : known_out).push_back(out[k]);
    }
    rest = pe->finish(unknown_out);
    s.residuals = static_cast<int>(rest.consts.size());
    known_out.insert(known_out.end(), rest.consts.begin(), rest.consts.end());
    return known_out;
  });
  s.known = known.jaxpr;
  s.rest = open_constants(rest.jaxpr);
  return s;
}
}  // namespace

Split partial_eval_jaxpr(const Jaxpr& j, const std::vector<bool>& unknown,
                         const std::vector<bool>& ask) {
  return cached_transform(j, SplitKey{unknown, ask}, [&] { return make_split(j, unknown, ask); });
}

}  // namespace weft
