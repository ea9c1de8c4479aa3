// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/program.h: a random program as a value: functions made of steps, which are calls
// of ops, constants, control flow, functions with rules of their own, and transforms of functions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "laws/values.h"
#include "weft/core/op.h"
#include "weft/ops/control/remat/policy.h"

namespace weft::programs {

using laws::Random;

enum class Kind {
  op,           // of the registry
  constant,     // a concrete array, captured
  number,       // operand OP a C++ number
  function,     // composed of ops: one of composed()
  collective,   // over a named axis
  call,         // jit(body)(in…)
  cond,         // in[0] the predicate (two bodies) or the index, operands
  while_loop,   // bodies: condition, step; in: the carry
  fori,         // in[0], in[1]: bounds; body: (i, carry…)
  scan,         // in: carry of `count`, rows; body: (carry…, rows…) -> (carry…, ys…)
  custom_jvp,   // body with a rule: its own derivative
  custom_vjp,   // likewise, in reverse
  custom_vmap,  // body with a rule: its own map
  sequential,   // sequential_vmap(body)
  checkpoint,   // checkpoint(body) with the policy of that variant
  checked_end,  // a loop that ends where in[0] <= 0.5, and never elsewhere
  effect,       // of the first number of in[0]: one of Effects
  vmap,
  grad,       // body gives a scalar; gradients of the first `count` operands
  vjp,        // in: primals, cotangents of all results; out: results, cotangents of `count` primals
  jvp,        // in: primals, tangents of `count` primals; out: results, tangents
  linearize,  // as jvp
  jacobian    // of one result with respect to in[0]; variant: 0 forward, 1 reverse, 2 hessian
};
constexpr size_t kinds_of_steps = static_cast<size_t>(Kind::jacobian) + 1;

struct Step;
// Values are numbered: inputs first, then the results of the steps as they come.
struct Fn {
  Types in;
  std::vector<Step> steps;
  std::vector<int> out;
  Types values() const;  // of all values
  Types out_types() const;
};

struct Step {
  Kind kind = Kind::op;
  std::vector<int> in;        // operands
  std::vector<int> captured;  // values that the bodies read besides; their last inputs
  Types out;
  const Op* op = nullptr;  // Kind::op
  AnyParams params;
  std::vector<Fn> bodies;
  // Of vmap.
  MaybeAxes in_axes, out_axes;
  int64_t size = 0, chunk = 0, budget = 0;
  std::string name;    // of the mapped axis, or of that of the collective; +, -, *, / of number
  int64_t count = 0;   // see Kind, Collective; of while_loop the most trips, 0: any number; of scan
                       // the carry; of effect its number
  int64_t length = 0;  // of scan
  int64_t unroll = 1;  // of scan
  int variant = 0;     // of cond: 1: switch_; of collective and function: which; see jacobian
  bool reverse = false;  // of scan
  double number = 0;     // of Kind::number and of a check
  Ints order;            // of a collective
  uint64_t seed = 0;     // of constant
  double lo = -2, hi = 2;
};

// Kind::checkpoint's variants, as C++ writes them behind checkpoint_policies::.
struct NamedPolicy {
  const char* text;
  CheckpointPolicy policy;
};
const std::vector<NamedPolicy>& checkpoint_policies_drawn();

// Kind::effect's variants. `calls` gives the number back; `checks` that it is less than `number`.
// `prints_anywhere` prints in a program with rules for maps that do so, too, in their own order.
enum Effects { prints, calls, checks, prints_anywhere };

// Kind::collective's variants. psum_scatter and pswapaxes are those of axis 0, which has an entry a
// lane; pbroadcast reads lane `count`. The last three have `order`: the lane that each lane reads,
// -1 for none (permuted), or the lanes of groups of `count`, one after another; the last group of
// grouped_sum may be smaller.
enum Collective {
  psum,
  pmean,
  pmax,
  pmin,
  all_gather,
  axis_index,
  psum_scatter,
  pswapaxes,
  pbroadcast,
  permuted,
  grouped_sum,
  grouped_gather
};
constexpr int collectives = grouped_gather + 1;
std::vector<Ints> groups_of(const Step& s);

// Numbers with few digits, so that the text of a program holds them exactly.
Array made(const Type& t, uint64_t seed, double lo, double hi);
Arrays made(const Types& t, uint64_t seed);

// Gives a step the types of its results, and its bodies those of their inputs, from the types of
// its operands and of what it captures. Raises an Error if there are none.
void complete(Step& s, const Types& in, const Types& captured);
// The same for all steps of a function, whose inputs have types.
void retype(Fn& f);

// f but for its prints and checks.
Fn without_effects(Fn f);
int64_t count_steps(const Fn& f);
bool holds(const Fn& f, Kind k);
// Visits all steps, inner ones too.
void for_each_step(const Fn& f, FunctionRef<void(const Step&)> visit);

// ---- what a program computes

// By the public functions of Weft, under the current interpreter.
Arrays run(const Fn& f, const Arrays& x);
// By definition: maps are loops over lanes, loops and branches those of C++, calls and functions
// with rules their bodies.
// `noise`: each result of an inexact operation is off by some ulps. `done`: gets its effects.
struct Deeds;
Arrays defined(const Fn& f, const Arrays& x, Random* noise = nullptr, Deeds* done = nullptr);
// Thrown by `defined` where a loop that the generator promised to end does not.
struct Endless {};

// As a C++ program that runs it on these arguments, compiled and not, and prints what comes out.
std::string cpp_text(const Fn& f, const Arrays& x);
std::string dtype_text(DType d);

// ---- lists of values
inline Arrays chosen(const Arrays& x, const std::vector<int>& which) {
  Arrays r;
  for (int v : which) r.push_back(x[static_cast<size_t>(v)]);
  return r;
}
inline Arrays part(const Arrays& x, size_t from, size_t to) {
  return {x.begin() + static_cast<std::ptrdiff_t>(from),
          x.begin() + static_cast<std::ptrdiff_t>(to)};
}
inline void append(Arrays& a, const Arrays& b) { a.insert(a.end(), b.begin(), b.end()); }
inline Arrays joined(Arrays a, const Arrays& b) {
  append(a, b);
  return a;
}

// ---- the ops
Arrays call_op(const Op& op, const Arrays& x, const AnyParams& p);
// An expression: an Array, or Arrays unless there is one result.
std::string call_text(const Op& op, const std::vector<std::string>& x, const AnyParams& p,
                      size_t results);

// ---- functions composed of ops
struct Composed {
  enum Slopes { everywhere, almost, nowhere } slopes;  // where it has a derivative that is tested
  const char* text;                                    // of x[0] and perhaps x[1]
  Array (*run)(const Arrays& x);
  bool binary() const { return std::string(text).find("x[1]") != std::string::npos; }
};
const std::vector<Composed>& composed();

// ---- making programs

// The program of that number, the same on every machine.
struct Program {
  uint64_t seed = 0;
  int stack = -1;  // -1: its own
  Fn f;
  bool smooth = false;  // F64 all through and differentiable almost everywhere
  Arrays arguments() const { return made(f.in, seed); }
};
Program generate(uint64_t seed);
// The same function under several stacks of transforms, by their number.
Program generate(uint64_t seed, int stack);

}  // namespace weft::programs
