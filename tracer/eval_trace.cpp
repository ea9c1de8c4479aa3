// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/eval_trace.cpp: eager evaluation: ops on small values use reference rules, other ops are
// compiled.
#include "tracer/eval_trace.h"

#include <fmt/format.h>

#include "core/effects.h"
#include "runtime/backend.h"
#include "runtime/float_state.h"
#include "runtime/ordered_output.h"
#include "tracer/concrete.h"
#include "tracer/placement.h"
#include "tracer/record_trace.h"
#include "tracer/weak_numbers.h"
#include "weft/stop.h"

namespace weft {
namespace {

constexpr int64_t small_bytes = 4096;
thread_local bool reference_only = false;

// A program of a single op, so that all uses share the compiler's cache.
Jaxpr program_of(const Op& op, const Types& in, const AnyParams& params) {
  const Types out = op.type(in, params);
  auto j = make_ref<JaxprData>();
  j->types = in;
  j->n_in = static_cast<int>(in.size());
  Eqn e{&op, params, {}, j->n_in, static_cast<int32_t>(out.size()), SourceScope::current()};
  for (int i = 0; i < j->n_in; ++i) e.in.push_back({i});
  for (size_t i = 0; i < out.size(); ++i) j->out.push_back({j->n_in + static_cast<int32_t>(i)});
  j->types.insert(j->types.end(), out.begin(), out.end());
  j->eqns.push_back(std::move(e));
  return intern(j);
}

// Returns true if the program may contain an op that puts a value on a device. Only a single op
// without inner programs that is not such an op is excluded.
bool may_put(const JaxprData& j) {
  if (j.eqns.size() != 1) return true;
  const Eqn& e = j.eqns[0];
  return e.op->compile_eagerly() || !e.op->result_device(e.params).empty();
}

Arrays run_on(detail::Device* device, const Jaxpr& j, const Arrays& x) {
  if (may_put(*j)) require_one_device(j, device ? *device : detail::host());
  if (device) return run_elsewhere(*device, j, *device->compile(j), x);
  const Ref<const Executable> exe = backend()(j);
  std::vector<const void*> in;
  in.reserve(x.size());
  for (const Array& a : x) in.push_back(concrete(a).data());
  Arrays result;
  std::vector<void*> out;
  for (Atom a : j->out) {
    if (!a.is_literal() && a.index < j->n_in) {
      result.push_back(x[a.index]);
      out.push_back(nullptr);
    } else if (a.is_literal()) {
      result.push_back(literal_array(j->literals[a.literal()]));
      out.push_back(nullptr);
    } else {
      const int32_t input = exe->aliased_input(out.size());
      Ref<Buffer> mine = input < 0 ? nullptr : take_donated(x[input], x);
      auto* node = mine ? new Concrete(j->type(a), SourceScope::current(), std::move(mine))
                        : new Concrete(j->type(a), SourceScope::current());
      result.push_back(Array{Ref<const Node>(node)});
      out.push_back(node->mutable_data());
    }
  }
  exe->run(in.data(), out.data());
  return result;
}

class EvalTrace final : public Interpreter {
 public:
  EvalTrace() : Interpreter(nullptr) {}
  const char* name() const override { return "eval"; }
  Arrays process(const Op& op, const Arrays& x, const AnyParams& params) override {
    int64_t bytes = 0;
    Types in;
    bool here = !elsewhere();
    for (const Array& a : x) {
      const Concrete* c = concrete_or_null(a);
      if (!c) escaped(op, a);
      here = here && !c->elsewhere();
      bytes += a.type().bytes();
      in.push_back(a.type());
    }
    const Types out = op.type(in, params);
    if (returns_number(op, x, out)) return x;
    for (const Type& t : out) bytes += t.bytes();
    detail::Device* const device = here ? nullptr : elsewhere(x);
    const bool calls_back = op.effects(params) != Effect::none;  // host code, which is not compiled
    const bool compile =
        !reference_only && op.result_device(params).empty() &&
        (device || (backend() && (op.compile_eagerly() || (bytes > small_bytes && !calls_back))));
    if (compile) return run_on(device, program_of(op, in, params), x);
    StopToken::check_scope("running");
    if (effect_of(op, params) != Effect::ordered) return run_reference(op, x, params);
    OrderedOutput output;
    Arrays results = run_reference(op, x, params);
    output.finish();
    return results;
  }

 private:
  static Arrays run_reference(const Op& op, const Arrays& x, const AnyParams& params) {
    const FloatState state;
    return op.reference(x, params);
  }
  [[noreturn]] static void escaped(const Op& op, const Array& x) {
    const Tracer& t = static_cast<const Tracer&>(x.node());
    throw LeakedTracerError(fmt::format(
        "{}: a traced value {}{} is used outside the {} that made it. Pass it as an argument or "
        "return it.",
        op.name(), to_string(x.type()), made_at(t), t.trace->name()));
  }
};

}  // namespace

const Ref<Interpreter>& eval_interpreter() {
  static const auto* eval = new Ref<Interpreter>(new EvalTrace);
  return *eval;
}

Arrays run_compiled(const Jaxpr& j, const Arrays& x) { return run_on(elsewhere(x), j, x); }

ReferenceMode::ReferenceMode() : before_(std::exchange(reference_only, true)) {}
ReferenceMode::~ReferenceMode() { reference_only = before_; }

}  // namespace weft
