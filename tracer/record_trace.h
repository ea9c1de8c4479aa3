// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/record_trace.h: the interpreter that writes ops down: a function becomes a program.
#pragma once
#include <unordered_map>

#include "weft/core/ir.h"
#include "weft/tracer/trace.h"

namespace weft {

namespace ir {
struct Closed;
}
// A program and what its constants are bound to.
struct ir::Closed {
  Jaxpr jaxpr;
  Arrays consts;
};

// Collects equations. Values from outside become constants, each once.
class Recorder {
 public:
  int32_t add_input(const Type& t);
  // The atom of a value from outside: a literal if it is a C++ number, else a constant.
  Atom capture(const Array& x);
  // Appends an equation; returns its first output.
  int32_t add(const Op& op, const AnyParams& params, std::vector<Atom> in, const Types& out);
  // Appends op with these operands, whose atoms and results' values the interpreter knows.
  Arrays record(const Op& op, const Arrays& x, const AnyParams& params,
                FunctionRef<Atom(const Array&)> atom,
                FunctionRef<Node*(const Type&, int32_t var)> value);
  Closed finish(const std::vector<Atom>& out) const;
  const Type& type(int32_t var) const { return types_[static_cast<size_t>(var)]; }
  Type type(Atom a) const {
    return a.is_literal() ? literals_[static_cast<size_t>(a.literal())].type() : type(a.index);
  }
  const std::vector<Eqn>& eqns() const { return eqns_; }
  const Arrays& captured() const { return captured_; }

 private:
  Types types_;
  std::vector<int32_t> inputs_, constants_;
  Arrays captured_;
  std::unordered_map<const Node*, int32_t> known_;
  std::vector<Literal> literals_;
  std::vector<Eqn> eqns_;
};

class Record final : public Interpreter {
 public:
  explicit Record(Ref<Interpreter> parent, const char* who = "jit")
      : Interpreter(std::move(parent)), who_(who) {}
  const char* name() const override { return who_; }
  Arrays process(const Op& op, const Arrays& x, const AnyParams& params) override;
  // An input that stands for a value of the enclosing interpreters, where one is given, in every
  // run of the program (an operand of cond, a carry that is handed on as it is).
  Array input(const Type& t, const Array& stands_for = {});
  Atom atom(const Array& x);
  Closed finish(const Arrays& out);
  Recorder& recorder() { return recorder_; }

 private:
  Array where_written(const Array& x) const;
  bool may_be_written(const Array& x) const;
  const char* who_;
  Recorder recorder_;
};

class RecordTracer final : public Tracer {
 public:
  // Where its number comes from: it is an input, which may stand for a value from outside; or that
  // value as an op hands it on; or it is computed.
  struct Origin {
    bool input = false;
    Array value = {};
    const Op* handed_on_by = nullptr;
    AnyParams params = {};
  };
  RecordTracer(Type t, Ref<Interpreter> level, int32_t var, Origin origin)
      : Tracer(t, std::move(level)), var(var), origin(std::move(origin)) {}
  const int32_t var;
  const Origin origin;
  mutable bool read = false;  // whether a conversion asked how it was written
};

// The program of f on arguments of these types. Constants are values of the enclosing interpreters.
// `who` is what errors call the transform that calls f: it outlives the program's tracers.
Closed record(const Types& in, FunctionRef<Arrays(const Arrays&)> f, const char* who = "jit");
// The same where inputs stand for values from outside (an empty handle: not that one), which are
// read in their place where the program alone would not know how they were written
// (docs/decisions/0010).
Closed record(const Types& in, const Arrays& stand_for, FunctionRef<Arrays(const Arrays&)> f,
              const char* who = "jit");
// How many programs were recorded so far, on all threads: what tests of the cost of transforms
// count.
int64_t programs_recorded();
// Binds the equations of j one after another under the current interpreter.
Arrays eval_jaxpr(const Jaxpr& j, const Arrays& x);
// The program without the equations that no kept output needs. Inputs stay, and so does what has an
// ordered effect, unless `effects` is false.
Jaxpr dce(const Jaxpr& j, const std::vector<bool>& keep, bool effects = true);
Jaxpr dce(const Jaxpr& j);  // all outputs are kept
// Constants turned into ordinary inputs (they come first).
Jaxpr open_constants(const Jaxpr& j);

}  // namespace weft
