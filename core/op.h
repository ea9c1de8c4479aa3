// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/op.h: the definition of an op, one block with a named slot for each rule, and the registry.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/loops/implementation.h"
#include "core/loops/lower.h"
#include "core/param.h"
#include "weft/detail/jaxpr.h"
#include "weft/type.h"

namespace weft {

class Array;  // include/weft/array.h
using Arrays = std::vector<Array>;
template <class P>
class Primitive;                       // tracer/trace.h
class BatchTrace;                      // batching/batch_trace.h
class PartialEvalTrace;                // autodiff/partial_eval.h
using MaybeAxis = std::optional<int>;  // the mapped axis of a value, if it is mapped
using MaybeAxes = std::vector<MaybeAxis>;

// ---- the arguments of each rule: the op that it belongs to, operands, parameters
// An empty Array handle represents a symbolic zero among tangents and cotangents.

// For the rule that computes the tangents of the outputs. `out` are the primal outputs; dx[i] is
// the tangent of x[i].
template <class P>
struct JvpArgs {
  const Primitive<P>& op;
  const Arrays& x;
  const Arrays& dx;
  const Arrays& out;
  const P& params;
};
// For the rule that computes primal outputs and tangents together. Ops whose tangent program is
// another op (loops, calls) have it.
struct Dual;  // {Arrays out, tangent}, tracer/trace.h
template <class P>
struct DualArgs {
  const Primitive<P>& op;
  const Arrays& x;
  const Arrays& dx;
  const P& params;
};
// For the rule that computes the cotangents of the operands that are `linear`. x holds the other
// operands, with an empty handle where an operand is linear.
template <class P>
struct TransposeArgs {
  const Primitive<P>& op;
  const Arrays& ct;
  const Arrays& x;
  const std::vector<bool>& linear;
  const Types& in;   // types of all operands
  const Types& out;  // types of all outputs
  const P& params;
};
struct Batched;  // {Arrays out, MaybeAxes axis}, tracer/trace.h
template <class P>
struct BatchArgs {
  const Primitive<P>& op;
  const Arrays& x;
  const MaybeAxes& axis;
  int64_t size;
  const P& params;
  BatchTrace& trace;  // the axis name and the active mask
  bool mapped(size_t i) const { return axis[i].has_value(); }
};
// Known operands are in x unchanged; unknown operands are tracers of `level`.
template <class P>
struct PartialArgs {
  const Primitive<P>& op;
  const Arrays& x;
  const std::vector<bool>& unknown;
  const P& params;
  PartialEvalTrace& trace;
};
template <class P>
struct LowerArgs {
  const Types& in;
  const Types& out;
  const P& params;
};
template <class P>
struct SimplifyArgs {
  const Arrays& x;
  const P& params;
};
template <class P>
struct ExpandArgs {
  const Primitive<P>& op;
  const Arrays& x;
  const P& params;
};
template <class P>
struct SplitArgs {
  const Primitive<P>& op;
  const Arrays& x;
  const P& params;
};
struct Producer;  // how an operand was made, tracer/trace.h
template <class P>
struct FuseArgs {
  const Arrays& x;
  const std::vector<const Producer*>& producers;  // by operand
  const P& params;
};

// For operands and results of these types, which differ from those of the equation only in the
// extents of axes that the op neither combines nor indexes.
template <class P>
struct ResizeArgs {
  const Types& in;
  const Types& out;
  const P& params;
};

// The part of an equation that a program needs: which operands and results remain, and the
// parameters for those.
struct Pruned {
  std::vector<bool> operands, results;
  AnyParams params;
};
// read: which results the program reads.
template <class P>
struct PruneArgs {
  const std::vector<bool>& read;
  const P& params;
};

// The side effect of an op; core/effects.h defines what each kind permits.
enum class Effect { none, pure, ordered };

// The modes in which a derivative exists (core/derivatives.h).
struct Derivatives {
  bool forward = true, reverse = true;
};

template <class P>
struct Sample {
  std::vector<Type> in;
  P params = {};
  double lo = -2, hi = 2;  // the range from which floats are drawn
  // The operands for a seed, for ops that do not accept arbitrary numbers (loops that must end). If
  // it is empty, operands are drawn from the range above.
  std::function<Arrays(uint64_t seed)> values = {};
  // The named maps around the op, outermost first; a collective lists the maps that it names. A
  // test maps either every operand over them or no operand.
  std::vector<std::pair<std::string, int64_t>> maps = {};
};
template <class P>
struct Reject {
  std::vector<Type> in;
  P params;
  std::string text;  // part of the error text
};

template <class P>
struct Def {
  std::string name;
  std::string doc;
  // The StableHLO op that has the same meaning for all dtypes that this op accepts, such as
  // "stablehlo.sine". The writer uses it, and so does the reader, unless it has a rule of its own.
  std::string stablehlo = {};
  std::function<Types(const Types&, const P&)> type = {};
  std::function<Arrays(const Arrays&, const P&)> reference = {};
  std::function<Arrays(const JvpArgs<P>&)> jvp = {};
  std::function<Dual(const DualArgs<P>&)> dual = {};  // instead of jvp
  std::function<Arrays(const TransposeArgs<P>&)> transpose = {};
  std::function<Batched(const BatchArgs<P>&)> batch = {};
  std::function<Arrays(const PartialArgs<P>&)> partial = {};  // default: one equation

  std::function<Lowering(const LowerArgs<P>&)> lower = {};
  // The op as a program of other ops, which the compiler substitutes for it.
  std::function<Arrays(const ExpandArgs<P>&)> expand = {};
  // Implementations besides those two, or properties of those two (core/loops/implementation.h).
  // The compiler chooses the cheapest one that applies (jit/rewrite/implementations.h).
  std::function<std::vector<Implementation<P>>()> implementations = {};
  // Rewrites of jit, each by its own pass (jit/pipeline.cpp). An empty result means that nothing
  // changes, so the passes skip ops without results. `simplify` gives an equivalent shorter form,
  // which is simplified again, so repeated use must end. `split` gives several steps that more
  // threads can share. `fuse` merges the op with the ops that made its operands.
  std::function<Arrays(const SimplifyArgs<P>&)> simplify = {};
  std::function<Arrays(const SplitArgs<P>&)> split = {};
  std::function<Arrays(const FuseArgs<P>&)> fuse = {};
  // For ops with several results: the part that the results that are read need. Empty, or without
  // a value: all of it.
  std::function<std::optional<Pruned>(const PruneArgs<P>&)> prune = {};
  // By result: the operand that the result equals whatever the operands are, or -1. Empty: none.
  std::function<std::vector<int>(const P&)> forwards = {};
  // The parameters for fewer lanes (core/loops/resize.h). Empty: they contain no extents.
  std::function<P(const ResizeArgs<P>&)> resize = {};
  // The largest difference between the results of two implementations, in roundings of the largest
  // result; 0 means that they must be equal.
  double tolerance = 0;
  bool is_product = false;        // the product of its operands, or the square of its only operand
  bool forwards_operand = false;  // its result is its only operand, reshaped or broadcast
  // True if the op, as a linear part, evaluates functions of its residuals (a second time, or by a
  // user's rule). Otherwise it only multiplies by them. Empty: false.
  std::function<bool(const P&)> nonlinear_in_residuals = {};
  std::function<Effect(const P&)> effects = {};
  // Empty: the derivatives of the programs that the op holds.
  std::function<Derivatives(const P&)> derivatives = {};
  std::function<std::vector<Sample<P>>()> samples = {};
  std::function<std::vector<Reject<P>>()> rejects = {};
  // True if the op reads its only operand, a weak F32, as the double from which it was made
  // (docs/decisions/0010). Conversions to types that are more precise than F32 do so.
  std::function<bool(const P&)> reads_weak_f64 = {};
  // The device of the result. Empty: the device of the operands.
  std::function<std::string(const P&)> result_device = {};
  bool compile_eagerly = false;  // holds a jaxpr: eager calls are compiled, not interpreted
  bool collective = false;       // names axes: its batching rule also sees unmapped operands
};

// A test case of an op with its types erased.
struct AnySample {
  Types in;
  AnyParams params;
  double lo, hi;
  std::function<Arrays(uint64_t seed)> values = {};
  std::vector<std::pair<std::string, int64_t>> maps = {};
};
struct AnyReject {
  Types in;
  AnyParams params;
  std::string text;
};

namespace ir {
// A primitive with type-erased parameters. This is the only access to its rules.
class Op {
 public:
  virtual ~Op() = default;
  virtual const std::string& name() const = 0;
  virtual const std::string& doc() const = 0;
  virtual const std::string& stablehlo() const = 0;  // empty: none
  virtual Types type(const Types& in, const AnyParams& p) const = 0;
  virtual Arrays reference(const Arrays& x, const AnyParams& p) const = 0;
  virtual Dual dual(const Arrays& x, const Arrays& dx, const AnyParams& p) const = 0;
  virtual Arrays transpose(const Arrays& ct, const Arrays& x, const std::vector<bool>& linear,
                           const Types& in, const Types& out, const AnyParams& p) const = 0;
  virtual Batched batch(const Arrays& x, const MaybeAxes& axis, int64_t size, const AnyParams& p,
                        BatchTrace& trace) const = 0;
  virtual Arrays partial(const Arrays& x, const std::vector<bool>& unknown, const AnyParams& p,
                         PartialEvalTrace& trace) const = 0;
  virtual Lowering lower(const Types& in, const Types& out, const AnyParams& p) const = 0;
  virtual Arrays expand(const Arrays& x, const AnyParams& p) const = 0;
  // All implementations, including those of `lower` and `expand`. An op without any never runs
  // itself.
  virtual const std::vector<AnyImplementation>& implementations() const = 0;
  virtual double tolerance() const = 0;
  virtual Arrays simplify(const Arrays& x, const AnyParams& p) const = 0;
  virtual Arrays split(const Arrays& x, const AnyParams& p) const = 0;
  virtual Arrays fuse(const Arrays& x, const std::vector<const Producer*>& producers,
                      const AnyParams& p) const = 0;
  virtual std::optional<Pruned> prune(const std::vector<bool>& read, const AnyParams& p) const = 0;
  virtual std::vector<int> forwards(const AnyParams& p) const = 0;
  virtual AnyParams resize(const Types& in, const Types& out, const AnyParams& p) const = 0;
  virtual bool is_product() const = 0;
  virtual bool forwards_operand() const = 0;
  virtual bool nonlinear_in_residuals(const AnyParams& p) const = 0;
  virtual Effect effects(const AnyParams& p) const = 0;
  virtual std::optional<Derivatives> derivatives(const AnyParams& p) const = 0;
  virtual bool reads_weak_f64(const AnyParams& p) const = 0;
  virtual std::string result_device(const AnyParams& p) const = 0;
  virtual std::vector<AnySample> samples() const = 0;
  virtual std::vector<AnyReject> rejects() const = 0;
  // The parameters parsed from their printed fields; raises ParseError.
  virtual AnyParams parse_params(
      const std::vector<std::pair<std::string, ParamValue>>& fields) const = 0;
  enum class Slot {
    reference,
    jvp,
    transpose,
    batch,
    partial,
    lower,
    expand,
    simplify,
    split,
    fuse
  };
  virtual bool has(Slot s) const = 0;
  virtual bool compile_eagerly() const = 0;
  virtual bool collective() const = 0;
};
}  // namespace ir

// All ops by name. The registry does not change after static initialization.
const std::vector<const Op*>& all_ops();
const Op* find_op(const std::string& name);
// Null if the op has no implementation with that name.
const AnyImplementation* find_implementation(const Op& op, std::string_view name);
// "generated, library": the names of the op's implementations, or only of those that apply to
// `use`.
std::string implementation_names(const Op& op, const AnyUse* use = nullptr);
namespace detail {
void register_op(const Op* op);
[[noreturn]] void missing_rule(const Op& op, Op::Slot s);
[[noreturn]] void bad_field(const Op& op, const std::string& why);
}  // namespace detail

}  // namespace weft
