// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// autodiff/partial_eval.h: partial evaluation: computes known values and records the others.
#pragma once
#include "tracer/record_trace.h"
#include "tracer/trace.h"

namespace weft {

// Known values belong to the parent. Ops with unknown operands are recorded. The known values that
// they read become constants of the record: the residuals.
class PartialEvalTrace final : public Interpreter {
 public:
  explicit PartialEvalTrace(Ref<Interpreter> parent) : Interpreter(std::move(parent)) {}
  const char* name() const override { return "grad"; }
  Arrays process(const Op& op, const Arrays& x, const AnyParams& params) override;
  Array unknown(const Type& t);
  bool is_unknown(const Array& x) const;
  // Records op with these operands; known operands become residuals.
  Arrays record(const Op& op, const Arrays& x, const AnyParams& params);
  ClosedJaxpr finish(const Arrays& out);

 private:
  Atom atom(const Array& x);
  Recorder recorder_;
};

class UnknownTracer final : public Tracer {
 public:
  UnknownTracer(Type t, Ref<Interpreter> trace, int32_t var)
      : Tracer(t, std::move(trace)), var(var) {}
  const int32_t var;
};

// j split by which inputs are unknown. known: (known inputs) -> (known outputs, residuals). rest:
// (residuals, unknown inputs) -> (unknown outputs).
struct Split {
  Jaxpr known;
  Jaxpr rest;
  std::vector<bool> out_unknown;
  int residuals = 0;
  // For the cache (tracer/transform_cache.h).
  std::vector<Jaxpr> programs() const { return {known, rest}; }
  bool closed() const { return true; }
};
// `ask`: outputs that must be unknown.
Split partial_eval_jaxpr(const Jaxpr& j, const std::vector<bool>& unknown,
                         const std::vector<bool>& ask);

}  // namespace weft
