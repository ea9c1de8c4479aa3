// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/record_trace.h: the interpreter that records ops: it converts a function to a program.
#pragma once
#include <unordered_map>

#include "core/ir.h"
#include "tracer/trace.h"
#include "weft/closed_jaxpr.h"

namespace weft {

// Collects equations. Values from outside the program become constants, each of them once.
class Recorder {
 public:
  int32_t add_input(const Type& t);
  // The atom of a value from outside: a literal if it is a C++ number, else a constant.
  Atom capture(const Array& x);
  // Appends an equation; returns its first output.
  int32_t add(const Op& op, const AnyParams& params, std::vector<Atom> in, const Types& out);
  // Appends op with these operands. The interpreter provides the atoms of operands and the nodes of
  // results.
  Arrays record(const Op& op, const Arrays& x, const AnyParams& params,
                FunctionRef<Atom(const Array&)> atom,
                FunctionRef<Node*(const Type&, int32_t var)> value);
  ClosedJaxpr finish(const std::vector<Atom>& out) const;

 private:
  int32_t next() const { return static_cast<int32_t>(recorded_->types.size()); }
  // The equations with variables in the order in which they appear; it has no inputs yet.
  Ref<JaxprData> recorded_ = make_ref<JaxprData>();
  std::vector<int32_t> inputs_, constants_;
  Arrays captured_;
  std::unordered_map<const Node*, int32_t> known_;
};

class JaxprTrace final : public Interpreter {
 public:
  explicit JaxprTrace(Ref<Interpreter> parent, const char* who = "jit")
      : Interpreter(std::move(parent)), who_(who) {}
  const char* name() const override { return who_; }
  Arrays process(const Op& op, const Arrays& x, const AnyParams& params) override;
  // Adds an input. If stands_for is given, the input has the value of that Array in every run.
  // Examples are an operand of cond and a carry that is passed through unchanged.
  Array input(const Type& t, const Array& stands_for = {});
  Atom atom(const Array& x);
  ClosedJaxpr finish(const Arrays& out);
  Recorder& recorder() { return recorder_; }

 private:
  const char* who_;
  Recorder recorder_;
};

class JaxprTracer final : public Tracer {
 public:
  // The origin of its value: a computation, an input, or an op that forwards its operand.
  struct Origin {
    enum { computed, input, forwarded } kind = computed;
    Array value = {};  // what the input represents (may be an empty handle), or the op's operand
    const Op* op = nullptr;
    AnyParams params = {};
  };
  JaxprTracer(Type t, Ref<Interpreter> trace, int32_t var, Origin origin)
      : Tracer(t, std::move(trace)), var(var), origin(std::move(origin)) {}
  const int32_t var;
  const Origin origin;
  mutable bool double_read = false;  // true if a conversion has read the double of this input
};

// The program of f for arguments of these types. Constants are values of the enclosing
// interpreters. `who` is the name in errors of the transform that calls f; the string outlives the
// program's tracers.
ClosedJaxpr record(const Types& in, FunctionRef<Arrays(const Arrays&)> f, const char* who = "jit");
// The same with inputs that represent values from outside (empty handles represent none). The
// outside value is used where the program alone does not know the double from which an input was
// made (docs/decisions/0010).
ClosedJaxpr record(const Types& in, const Arrays& stand_for, FunctionRef<Arrays(const Arrays&)> f,
                   const char* who = "jit");
// The number of programs recorded so far, on all threads. Tests of the cost of transforms count it.
int64_t programs_recorded();
// Binds the equations of j in order under the current interpreter.
Arrays eval_jaxpr(const Jaxpr& j, const Arrays& x);
// The program without the equations that no kept output needs. Inputs stay, and so do equations
// with ordered effects unless `effects` is false.
Jaxpr dce(const Jaxpr& j, const std::vector<bool>& keep, bool effects = true);
Jaxpr dce(const Jaxpr& j);  // keeps all outputs
// Converts constants to ordinary inputs, which are the first ones.
Jaxpr open_constants(const Jaxpr& j);

}  // namespace weft
