// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/simplify.cpp: replays the equations of a program into a new one in a single pass.
#include "jit/rewrite/simplify.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/effects.h"
#include "core/hash.h"
#include "core/loops/axis_classes.h"
#include "jit/rewrite/equal_axes.h"
#include "jit/rewrite/op_rewrites.h"
#include "tracer/base_ops.h"
#include "tracer/prune.h"
#include "tracer/replay.h"
#include "tracer/types_of.h"
#include "weft/error.h"

namespace weft::compiler {
namespace {

using Rewrite = Jaxpr (*)(const Jaxpr&);

// The key of common subexpressions: equations with equal keys have equal results.
struct CseKey {
  const Op* op;
  AnyParams params;
  std::string_view implementation;
  std::vector<Atom> in;
  size_t hash;  // of the fields above
  friend bool operator==(const CseKey& a, const CseKey& b) {
    return a.hash == b.hash && a.op == b.op && a.implementation == b.implementation &&
           a.in == b.in && equal(a.params, b.params);
  }
};
struct CseHash {
  size_t operator()(const CseKey& k) const noexcept { return k.hash; }
};
CseKey cse_key(const Op& op, const AnyParams& params, std::vector<Atom> in) {
  const std::string_view implementation = ImplementationScope::of(op);
  size_t hash = hash_fields(&op, params->hash(), implementation);
  for (const Atom& a : in) hash = mix_hash(hash, hash_value(a.index));
  return {&op, params, implementation, std::move(in), hash};
}

// Records the equations that are bound. It reuses an equal equation that is already recorded, and
// applies an op's `simplify` rule, which may return a shorter form. The equations that a
// rule binds are simplified, too. So equal invariants of two loops are computed once. A result
// without elements becomes a constant, so that nothing is computed for it.
class Simplifier final : public Interpreter {
 public:
  Simplifier(Ref<Interpreter> parent, JaxprTrace* record)
      : Interpreter(std::move(parent)), record_(record), equal_axes_(record) {}
  const char* name() const override { return "simplify"; }
  Arrays process(const Op& op, const Arrays& x, const AnyParams& params) override {
    const bool ordered = effect_of(op, params) == Effect::ordered;
    // An equation with effects and no results is skipped: an empty answer of its rule would mean
    // that there is no shorter form.
    const bool asked =
        op.has(Op::Slot::simplify) && !(ordered && op.type(types_of(x), params).empty());
    if (asked) {
      Arrays shorter = op.simplify(x, params);
      if (!shorter.empty()) return shorter;
    }
    if (ordered) {
      const CurrentTraceScope running(parent());
      return bind_op(op, x, params);
    }
    std::vector<Atom> in;
    in.reserve(x.size());
    for (const Array& a : x) in.push_back(record_->atom(a));
    CseKey key = cse_key(op, params, std::move(in));
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    Arrays out = equal_axes_.results(op, x, params, [&] { return recorded(op, x, params); });
    known_.emplace(std::move(key), out);
    return out;
  }

 private:
  Arrays recorded(const Op& op, const Arrays& x, const AnyParams& params) {
    const CurrentTraceScope running(parent());
    Arrays out = bind_op(op, x, params);
    // Zeros have neither a weak type nor keys. An equation without operands is a constant already.
    for (Array& y : out)
      if (y.size() == 0 && !x.empty() && !ir::is_key(y.dtype()) && !y.type().weak())
        y = base::zeros(y.type());
    return out;
  }
  JaxprTrace* record_;
  std::unordered_map<CseKey, Arrays, CseHash> known_;
  EqualAxes equal_axes_;
};

// Returns the program that the equation calls, if it is a call that is inlined.
Jaxpr called_program(const JaxprData& j, const Eqn& e) {
  if (!e.op->compile_eagerly()) return {};
  const Lowering l = lower_equation(j, e);
  return l.form == Lowering::Form::inlined ? l.loop.bodies[0] : Jaxpr{};
}

// No current machine compiles more equations than this in one piece. Calls that call one another
// twice grow exponentially and can exceed any number.
constexpr int64_t max_equations = 10'000'000;

// Counts the equations of j after inlining; saturates.
int64_t inlined_equations(const Jaxpr& j, std::unordered_map<const JaxprData*, int64_t>& known) {
  if (const auto it = known.find(j.get()); it != known.end()) return it->second;
  int64_t n = 0;
  for (const Eqn& e : j->eqns) {
    const Jaxpr body = called_program(*j, e);
    n = std::min(max_equations + 1, n + (body ? inlined_equations(body, known) : 1));
  }
  return known[j.get()] = n;
}
void require_inlinable(const Jaxpr& j) {
  std::unordered_map<const JaxprData*, int64_t> known;
  if (inlined_equations(j, known) > max_equations)
    throw CompileError(fmt::format(
        "the program has more than {} equations once its calls are replaced by what they call; "
        "use weft::scan or weft::fori_loop for what repeats",
        max_equations));
}

// Replays j and inlines calls.
Arrays inlined(const Jaxpr& j, const Arrays& x, Rewrite simple) {
  return replay(j, x, [&](const Eqn& e, const Arrays& in) {
    const Jaxpr body = called_program(*j, e);
    return body ? inlined(body, in, simple) : bind_equation(e, in, with_programs(e, simple));
  });
}

}  // namespace

Jaxpr simplify(const Jaxpr& j, Rewrite body) {
  require_inlinable(j);
  TraceScope<JaxprTrace> record;
  Arrays args;
  for (int v = 0; v < j->n_in; ++v) args.push_back(record->input(j->types[v]));
  Arrays out;
  {
    TraceScope<Simplifier> level(&*record);
    out = inlined(j, args, body);
  }
  const ClosedJaxpr c = record->finish(out);
  if (!c.consts.empty()) throw InternalError("simplification left a constant");
  return prune(c.jaxpr, std::vector<bool>(c.jaxpr->out.size(), true));
}

}  // namespace weft::compiler
