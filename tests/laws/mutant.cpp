// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/mutant.cpp: replaces one operation of a rule. It is an op that a jvp or batching rule
// binds, or an instruction or combiner that a lowering writes.
#include "mutant.h"

#include <algorithm>
#include <deque>
#include <map>

#include "core/scalar/number.h"
#include "tracer/trace.h"
#include "values.h"

namespace weft::laws {
namespace {

// ---- ops

const std::map<std::string, std::string> other_op = {{"add", "sub"},
                                                     {"sub", "add"},
                                                     {"mul", "add"},
                                                     {"div", "mul"},
                                                     {"max", "min"},
                                                     {"min", "max"},
                                                     {"and", "or"},
                                                     {"or", "and"},
                                                     {"eq", "ne"},
                                                     {"ne", "eq"},
                                                     {"lt", "ge"},
                                                     {"ge", "lt"},
                                                     {"gt", "le"},
                                                     {"le", "gt"},
                                                     {"sin", "cos"},
                                                     {"cos", "sin"},
                                                     {"exp", "log"},
                                                     {"log", "exp"},
                                                     {"neg", "copy"},
                                                     {"sqrt", "rsqrt"},
                                                     {"rsqrt", "sqrt"},
                                                     {"reduce_max", "reduce_min"},
                                                     {"reduce_sum", "reduce_max"},
                                                     {"cumsum", "cumprod"}};

// Returns the result reversed along its last axis of more than one element.
Array turned(const Array& x) {
  for (int a = x.ndim() - 1; a >= 0; --a) {
    if (x.shape()[a] < 2) continue;
    const Op& rev = *find_op("rev");
    return bind_op(rev, {x}, rev.parse_params({{"dimensions", Ints{a}}}))[0];
  }
  return x;
}

// Forwards ops to its parent, which runs them immediately, and replaces one of them.
class Flip final : public Interpreter {
 public:
  Flip(Ref<Interpreter> parent, int which) : Interpreter(std::move(parent)), which_(which) {}
  const char* name() const override { return "flip"; }
  Arrays process(const Op& op, const Arrays& x, const AnyParams& params) override {
    const CurrentTraceScope run(parent());
    Arrays right = bind_op(op, x, params);
    if (count_++ != which_) return right;
    Arrays wrong = other(op, x, params, right);
    for (size_t i = 0; i < right.size(); ++i)
      if (!difference(wrong[i], right[i]).empty()) changed_ = true;
    return wrong;
  }
  int count() const { return count_; }
  const std::string& flipped() const { return flipped_; }
  bool changed() const { return changed_; }

 private:
  Arrays other(const Op& op, const Arrays& x, const AnyParams& params, const Arrays& right) {
    if (op.name() == "select_n" && x.size() == 3) {
      flipped_ = "select_n into one with its cases exchanged";
      return bind_op(op, {x[0], x[2], x[1]}, params);
    }
    if (const auto it = other_op.find(op.name()); it != other_op.end()) {
      flipped_ = op.name() + " into " + it->second;
      return bind_op(*find_op(it->second), x, params);
    }
    flipped_ = op.name() + " turned round";
    Arrays out;
    for (const Array& a : right) out.push_back(turned(a));
    return out;
  }
  const int which_;
  int count_ = 0;
  bool changed_ = false;
  std::string flipped_;
};

// ---- nests

using nest::Combine;
using nest::Kind;
using nest::Opcode;

const std::map<Opcode, Opcode> other_opcode = {
    {Opcode::Add, Opcode::Sub},   {Opcode::Sub, Opcode::Add},   {Opcode::Mul, Opcode::Add},
    {Opcode::Div, Opcode::Mul},   {Opcode::FMin, Opcode::FMax}, {Opcode::FMax, Opcode::FMin},
    {Opcode::SMin, Opcode::SMax}, {Opcode::SMax, Opcode::SMin}, {Opcode::UMin, Opcode::UMax},
    {Opcode::UMax, Opcode::UMin}, {Opcode::And, Opcode::Or},    {Opcode::Or, Opcode::And},
    {Opcode::Xor, Opcode::And},   {Opcode::Eq, Opcode::Ne},     {Opcode::Ne, Opcode::Eq},
    {Opcode::Lt, Opcode::Le},     {Opcode::SLt, Opcode::SLe},   {Opcode::ULt, Opcode::ULe}};
const std::map<Combine, Combine> other_combine = {
    {Combine::Add, Combine::Mul},   {Combine::Mul, Combine::Add},   {Combine::FMin, Combine::FMax},
    {Combine::FMax, Combine::FMin}, {Combine::SMin, Combine::SMax}, {Combine::SMax, Combine::SMin},
    {Combine::UMin, Combine::UMax}, {Combine::UMax, Combine::UMin}, {Combine::And, Combine::Or},
    {Combine::Or, Combine::And},    {Combine::Xor, Combine::Or}};

bool is_real(Kind k) { return k == Kind::F32 || k == Kind::F64; }

// Returns the value of another operation on the same operands.
nest::Id other_value(nest::Id v, std::string* what) {
  nest::Builder& b = num::builder();
  const nest::Inst i = b.inst(v);
  if (const auto it = other_opcode.find(i.op); it != other_opcode.end() && i.args.size() == 2) {
    *what = "an instruction";
    return b.pure(it->second, i.kind, {i.args[0], i.args[1]}, i.imm);
  }
  if (i.op == Opcode::Select) {
    *what = "a select";
    return b.pure(Opcode::Select, i.kind, {i.args[0], i.args[2], i.args[1]});
  }
  *what = "a value into its opposite";
  return b.pure(is_real(i.kind) ? Opcode::Neg : Opcode::Not, i.kind, {v});
}

class Forward final : public MutantOp {
 public:
  Forward(const Op& op, Where where, int which) : op_(op), where_(where), which_(which) {}
  int operations() const override { return operations_; }
  std::string flipped() const override { return flipped_; }
  bool changed() const override { return changed_; }

  Dual dual(const Arrays& x, const Arrays& dx, const AnyParams& p) const override {
    return flip(Where::jvp, [&] { return op_.dual(x, dx, p); });
  }
  Batched batch(const Arrays& x, const MaybeAxes& axis, int64_t size, const AnyParams& p,
                BatchTrace& level) const override {
    return flip(Where::batch, [&] { return op_.batch(x, axis, size, p, level); });
  }
  // Operation 0 is the combiner if there is one. The operations of the element follow.
  Lowering lower(const Types& in, const Types& out, const AnyParams& p) const override {
    Lowering l = op_.lower(in, out, p);
    if (where_ != Where::lower) return l;
    const bool combines = !l.combine.empty() && other_combine.count(l.combine[0]);
    operations_ = std::max(operations_, (combines ? 1 : 0) + (l.element ? 1 : 0));
    if (combines && which_ == 0) {
      flipped_ = "a combiner";
      changed_ = true;
      for (Combine& c : l.combine) c = other_combine.at(c);
    } else if (l.element && which_ == (combines ? 1 : 0)) {
      l.element = [this, element = l.element](Reader& r, int k, const Coords& at) {
        Elem e = element(r, k, at);
        e.re = other_value(e.re, &flipped_);
        changed_ = true;
        return e;
      };
    }
    return l;
  }

  const std::string& name() const override { return op_.name(); }
  const std::string& doc() const override { return op_.doc(); }
  const std::string& stablehlo() const override { return op_.stablehlo(); }
  Types type(const Types& in, const AnyParams& p) const override { return op_.type(in, p); }
  Arrays reference(const Arrays& x, const AnyParams& p) const override {
    return op_.reference(x, p);
  }
  Arrays transpose(const Arrays& ct, const Arrays& x, const std::vector<bool>& linear,
                   const Types& in, const Types& out, const AnyParams& p) const override {
    return op_.transpose(ct, x, linear, in, out, p);
  }
  Arrays partial(const Arrays& x, const std::vector<bool>& unknown, const AnyParams& p,
                 PartialEvalTrace& level) const override {
    return op_.partial(x, unknown, p, level);
  }
  Arrays expand(const Arrays& x, const AnyParams& p) const override { return op_.expand(x, p); }
  const std::vector<AnyImplementation>& implementations() const override {
    return op_.implementations();
  }
  double tolerance() const override { return op_.tolerance(); }
  Arrays simplify(const Arrays& x, const AnyParams& p) const override { return op_.simplify(x, p); }
  Arrays split(const Arrays& x, const AnyParams& p) const override { return op_.split(x, p); }
  Arrays fuse(const Arrays& x, const std::vector<const Producer*>& producers,
              const AnyParams& p) const override {
    return op_.fuse(x, producers, p);
  }
  std::optional<Pruned> prune(const std::vector<bool>& read, const AnyParams& p) const override {
    return op_.prune(read, p);
  }
  std::vector<int> forwards(const AnyParams& p) const override { return op_.forwards(p); }
  AnyParams resize(const Types& in, const Types& out, const AnyParams& p) const override {
    return op_.resize(in, out, p);
  }
  bool is_product() const override { return op_.is_product(); }
  bool nonlinear_in_residuals(const AnyParams& p) const override {
    return op_.nonlinear_in_residuals(p);
  }
  bool forwards_operand() const override { return op_.forwards_operand(); }
  Effect effects(const AnyParams& p) const override { return op_.effects(p); }
  std::optional<Derivatives> derivatives(const AnyParams& p) const override {
    return op_.derivatives(p);
  }
  bool reads_weak_f64(const AnyParams& p) const override { return op_.reads_weak_f64(p); }
  std::string result_device(const AnyParams& p) const override { return op_.result_device(p); }
  std::vector<AnySample> samples() const override { return op_.samples(); }
  std::vector<AnyReject> rejects() const override { return op_.rejects(); }
  AnyParams parse_params(
      const std::vector<std::pair<std::string, ParamValue>>& fields) const override {
    return op_.parse_params(fields);
  }
  bool has(Slot s) const override { return op_.has(s); }
  bool compile_eagerly() const override { return op_.compile_eagerly(); }
  bool collective() const override { return op_.collective(); }

 private:
  template <class F>
  std::invoke_result_t<F> flip(Where slot, F rule) const {
    if (where_ != slot) return rule();
    TraceScope<Flip> level(which_);
    auto r = rule();
    operations_ = std::max(operations_, level->count());
    if (!level->flipped().empty()) flipped_ = level->flipped();
    changed_ = changed_ || level->changed();
    return r;
  }
  const Op& op_;
  const Where where_;
  const int which_;
  mutable int operations_ = 0;
  mutable std::string flipped_;
  mutable bool changed_ = false;
};

}  // namespace

const MutantOp& mutant(const Op& op, Where where, int which) {
  static auto* const all = new std::deque<Forward>;  // programs outlive the test
  return all->emplace_back(op, where, which);
}

}  // namespace weft::laws
