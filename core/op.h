// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/op.h: the definition of an op: one block with a named slot a rule, and the registry.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/core/jaxpr.h"
#include "weft/core/loops/implementation.h"
#include "weft/core/loops/lower.h"
#include "weft/core/param.h"
#include "weft/core/type.h"

namespace weft {

class Array;  // tracer/array.h
using Arrays = std::vector<Array>;
template <class P>
class Primitive;                       // tracer/trace.h
class BatchLevel;                      // batching/batch_trace.h
class PartialEval;                     // autodiff/partial_eval.h
using MaybeAxis = std::optional<int>;  // where a value carries the mapped axis, if it does
using MaybeAxes = std::vector<MaybeAxis>;

// ---- what each rule is given: the op that it belongs to, operands, parameters. An empty Array
// handle stands for a symbolic zero (tangents,
// cotangents).

// The tangents of the outputs; `out` are the primal outputs. The tangent of x[i] is dx[i].
template <class P>
struct JvpArgs {
  const Primitive<P>& op;
  const Arrays& x;
  const Arrays& dx;
  const Arrays& out;
  const P& params;
};
// Primal outputs and tangents at once, for ops whose tangent program is another op (loops, calls).
struct Dual;  // {Arrays out, tangent}, tracer/trace.h
template <class P>
struct DualArgs {
  const Primitive<P>& op;
  const Arrays& x;
  const Arrays& dx;
  const P& params;
};
// Cotangents of the operands that are `linear`; x holds the others (an empty handle where linear).
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
  BatchLevel& level;  // the name of the axis, the active mask
  bool mapped(size_t i) const { return axis[i].has_value(); }
};
// Known operands stand in x as they are; unknown ones are tracers of `level`.
template <class P>
struct PartialArgs {
  const Primitive<P>& op;
  const Arrays& x;
  const std::vector<bool>& unknown;
  const P& params;
  PartialEval& level;
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
struct Made;  // how an operand was made, tracer/trace.h
template <class P>
struct FuseArgs {
  const Arrays& x;
  const std::vector<const Made*>& made;  // by operand
  const P& params;
};

// Decided 18.
enum class Effect { none, pure, ordered };

// In which modes there is a derivative (core/programs/derivatives.h).
struct Derivatives {
  bool forward = true, reverse = true;
};

template <class P>
struct Sample {
  std::vector<Type> in;
  P params = {};
  double lo = -2, hi = 2;  // floats are drawn from here
  // Operands for a seed, where not any numbers will do (loops that must end); empty: drawn from the
  // above.
  std::function<Arrays(uint64_t seed)> values = {};
  // The named maps around the op, outermost first: of collectives those that they name. They map
  // each operand, or none.
  std::vector<std::pair<std::string, int64_t>> maps = {};
};
template <class P>
struct Reject {
  std::vector<Type> in;
  P params;
  std::string text;  // stands in the error
};

template <class P>
struct Def {
  std::string name;
  std::string doc;
  std::function<Types(const Types&, const P&)> type = {};
  std::function<Arrays(const Arrays&, const P&)> reference = {};
  std::function<Arrays(const JvpArgs<P>&)> jvp = {};
  std::function<Dual(const DualArgs<P>&)> dual = {};  // instead of jvp
  std::function<Arrays(const TransposeArgs<P>&)> transpose = {};
  std::function<Batched(const BatchArgs<P>&)> batch = {};
  std::function<Arrays(const PartialArgs<P>&)> partial = {};  // default: recorded whole
  std::function<Lowering(const LowerArgs<P>&)> lower = {};
  // The op as a program of others, which the compiler puts in its place.
  std::function<Arrays(const ExpandArgs<P>&)> expand = {};
  // Ways to run it besides these two, or what there is to say about these
  // (core/loops/implementation.h). The cheapest that applies is chosen (jit/rewrite/choose.h).
  std::function<std::vector<Implementation<P>>()> implementations = {};
  // Rewrites of jit, each by a pass of its own (jit/pipeline.cpp); {}: nothing to do, so what has
  // no results is not asked. Shorter ways to say the same; several steps that more threads share;
  // one op with those that made operands.
  std::function<Arrays(const SimplifyArgs<P>&)> simplify = {};
  std::function<Arrays(const SplitArgs<P>&)> split = {};
  std::function<Arrays(const FuseArgs<P>&)> fuse = {};
  // How far results of two implementations may be apart, in roundings of the largest of them; 0:
  // not at all.
  double tolerance = 0;
  bool is_product = false;  // of its operands, or of its only one with itself
  bool hands_on = false;    // its result is its only operand, in another shape or repeated
  // As a linear part it computes functions of what it is left (again, or by a rule of the user's),
  // not only products with that.
  bool computes_functions = false;
  std::function<Effect(const P&)> effects = {};
  // Empty: those of the programs that it holds.
  std::function<Derivatives(const P&)> derivatives = {};
  std::function<std::vector<Sample<P>>()> samples = {};
  std::function<std::vector<Reject<P>>()> rejects = {};
  // Whether the op reads a weak F32 operand, its only one, as the double it was written as
  // (docs/decisions/0010): conversions to types with more numbers than F32.
  std::function<bool(const P&)> reads_double = {};
  // The device that the result is put on; empty: where the operands are.
  std::function<std::string(const P&)> puts_on = {};
  bool compile_eagerly = false;  // carries a jaxpr: eager calls are compiled (Decided 22)
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
// A primitive, its parameters erased. Rules are reached through it only.
class Op {
 public:
  virtual ~Op() = default;
  virtual const std::string& name() const = 0;
  virtual const std::string& doc() const = 0;
  virtual Types type(const Types& in, const AnyParams& p) const = 0;
  virtual Arrays reference(const Arrays& x, const AnyParams& p) const = 0;
  virtual Dual dual(const Arrays& x, const Arrays& dx, const AnyParams& p) const = 0;
  virtual Arrays transpose(const Arrays& ct, const Arrays& x, const std::vector<bool>& linear,
                           const Types& in, const Types& out, const AnyParams& p) const = 0;
  virtual Batched batch(const Arrays& x, const MaybeAxes& axis, int64_t size, const AnyParams& p,
                        BatchLevel& level) const = 0;
  virtual Arrays partial(const Arrays& x, const std::vector<bool>& unknown, const AnyParams& p,
                         PartialEval& level) const = 0;
  virtual Lowering lower(const Types& in, const Types& out, const AnyParams& p) const = 0;
  virtual Arrays expand(const Arrays& x, const AnyParams& p) const = 0;
  // All ways to run it, those of `lower` and `expand` among them; none: it is never run itself.
  virtual const std::vector<AnyImplementation>& implementations() const = 0;
  virtual double tolerance() const = 0;
  virtual Arrays simplify(const Arrays& x, const AnyParams& p) const = 0;
  virtual Arrays split(const Arrays& x, const AnyParams& p) const = 0;
  virtual Arrays fuse(const Arrays& x, const std::vector<const Made*>& made,
                      const AnyParams& p) const = 0;
  virtual bool is_product() const = 0;
  virtual bool hands_on() const = 0;
  virtual bool computes_functions() const = 0;
  virtual Effect effects(const AnyParams& p) const = 0;
  virtual std::optional<Derivatives> derivatives(const AnyParams& p) const = 0;
  virtual bool reads_double(const AnyParams& p) const = 0;
  virtual std::string puts_on(const AnyParams& p) const = 0;
  virtual std::vector<AnySample> samples() const = 0;
  virtual std::vector<AnyReject> rejects() const = 0;
  // Parameters from their printed fields; raises ParseError.
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

// All ops by name; frozen once static initialisation is over.
const std::vector<const Op*>& all_ops();
const Op* find_op(const std::string& name);
// Null if the op has none of that name.
const AnyImplementation* find_implementation(const Op& op, std::string_view name);
// "generated, library": the names of the op's implementations, or of those that apply to a use.
std::string implementation_names(const Op& op, const AnyUse* use = nullptr);
namespace detail {
void register_op(const Op* op);
[[noreturn]] void missing_rule(const Op& op, Op::Slot s);
[[noreturn]] void bad_field(const Op& op, const std::string& why);
}  // namespace detail

}  // namespace weft
