// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/program.h: a random program as a value. It consists of functions made of steps:
// calls of ops, constants, control flow, functions with custom rules, and transforms of functions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/op.h"
#include "laws/values.h"
#include "weft/grad/checkpoint_policy.h"

namespace weft::programs {

using laws::Random;

enum class Kind {
  op,           // an op of the registry
  constant,     // a concrete array, captured
  number,       // operand OP a C++ number
  function,     // composed of ops: one of composed()
  collective,   // over a named axis
  call,         // jit(body)(in…)
  cond,         // in: the predicate (two bodies) or the index, then the operands
  while_loop,   // bodies: condition, step; in: the carry
  fori,         // in[0], in[1]: bounds; body: (i, carry…)
  scan,         // in: carry of `count`, rows; body: (carry…, rows…) -> (carry…, ys…)
  custom_jvp,   // body with a rule: its own derivative
  custom_vjp,   // the same in reverse mode
  custom_vmap,  // body with a rule: its own map
  sequential,   // sequential_vmap(body)
  checkpoint,   // checkpoint(body) with the policy that `variant` selects
  checked_end,  // a loop that ends if in[0] <= 0.5, and never otherwise
  effect,       // uses the first number of in[0]; one of Effects
  vmap,
  grad,       // body returns a scalar; gradients of the first `count` operands
  vjp,        // in: primals, cotangents of all results; out: results, cotangents of `count` primals
  jvp,        // in: primals, tangents of `count` primals; out: results, tangents
  linearize,  // as jvp
  jacobian    // of one result with respect to in[0]; variant: 0 forward, 1 reverse, 2 hessian
};
constexpr size_t kinds_of_steps = static_cast<size_t>(Kind::jacobian) + 1;

struct Step;
// Values are numbered: first the inputs, then the results of the steps in order.
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
  std::vector<int> captured;  // further values that the bodies read, as their last inputs
  Types out;
  const Op* op = nullptr;  // Kind::op
  AnyParams params;
  std::vector<Fn> bodies;
  // For vmap.
  MaybeAxes in_axes, out_axes;
  int64_t size = 0, chunk = 0, budget = 0;
  // The name of the axis that vmap maps or that a collective uses; +, -, * or / for Kind::number.
  std::string name;
  // See Kind and Collective. For while_loop the maximal number of trips (0: no bound), for scan the
  // number of carries, for effect its number.
  int64_t count = 0;
  int64_t length = 0;  // for scan
  int64_t unroll = 1;  // for scan
  // For cond 1 means switch_. For collective and function it selects one of them. See jacobian.
  int variant = 0;
  bool reverse = false;  // for scan
  double number = 0;     // for Kind::number and for a check
  Ints order;            // for collective
  uint64_t seed = 0;     // for constant
  double lo = -2, hi = 2;
};

// The variants of Kind::checkpoint, written as in C++ after checkpoint_policies::.
struct NamedPolicy {
  const char* text;
  CheckpointPolicy policy;
};
const std::vector<NamedPolicy>& checkpoint_policies_drawn();

// The variants of Kind::effect. `calls` returns the number, and `checks` checks that it is less
// than `number`. `prints_anywhere` is for programs whose vmap rules print, too, in their own order.
enum Effects { prints, calls, checks, prints_anywhere };

// The variants of Kind::collective. psum_scatter and pswapaxes use axis 0, which has one entry per
// lane. pbroadcast reads lane `count`. The last three use `order`. For permuted it is the lane that
// each lane reads, or -1 for no lane. For the others it lists the lanes of groups of `count`, one
// group after another. The last group of grouped_sum may be smaller.
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

// Returns numbers with few digits, so that the text of a program holds them exactly.
Array made(const Type& t, uint64_t seed, double lo, double hi);
Arrays made(const Types& t, uint64_t seed);

// Sets the types of a step's results and of its bodies' inputs, from the types of its operands and
// captured values. Throws an Error if the step is not well typed.
void complete(Step& s, const Types& in, const Types& captured);
// Does the same for all steps of a function whose inputs have types.
void retype(Fn& f);

// Returns f without its prints and checks.
Fn without_effects(Fn f);
int64_t count_steps(const Fn& f);
bool holds(const Fn& f, Kind k);
// Visits all steps, including those of bodies.
void for_each_step(const Fn& f, FunctionRef<void(const Step&)> visit);

// ---- the results of a program

// Runs f with the public functions of Weft, under the current interpreter.
Arrays run(const Fn& f, const Arrays& x);
// Runs f by definition. Maps are loops over lanes, loops and branches are those of C++, and calls
// and functions with rules run their bodies. With `noise`, each result of an inexact operation is
// changed by some ulps. `done` gets the effects.
struct EffectRecords;
Arrays defined(const Fn& f, const Arrays& x, Random* noise = nullptr,
               EffectRecords* done = nullptr);
// Thrown by `defined` if a loop does not end although the generator promised it.
struct Endless {};

// Returns a C++ program that runs f on these arguments, compiled and eagerly, and prints the
// results.
std::string cpp_text(const Fn& f, const Arrays& x);
std::string dtype_text(DType d);

// ---- lists of values
inline Arrays filter_list(const Arrays& x, const std::vector<int>& which) {
  Arrays r;
  for (int v : which) r.push_back(x[static_cast<size_t>(v)]);
  return r;
}
inline Arrays sublist(const Arrays& x, size_t from, size_t to) {
  return {x.begin() + static_cast<std::ptrdiff_t>(from),
          x.begin() + static_cast<std::ptrdiff_t>(to)};
}
inline void append(Arrays& a, const Arrays& b) { a.insert(a.end(), b.begin(), b.end()); }
inline Arrays concat_lists(Arrays a, const Arrays& b) {
  append(a, b);
  return a;
}

// ---- the ops
Arrays call_op(const Op& op, const Arrays& x, const AnyParams& p);
// Returns an expression. Its type is Array for one result, otherwise Arrays.
std::string call_text(const Op& op, const std::vector<std::string>& x, const AnyParams& p,
                      size_t results);

// ---- functions composed of ops
struct Composed {
  enum Slopes { everywhere, almost, nowhere } slopes;  // where it has a derivative that is tested
  const char* text;                                    // in terms of x[0] and perhaps x[1]
  Array (*run)(const Arrays& x);
  bool binary() const { return std::string(text).find("x[1]") != std::string::npos; }
};
const std::vector<Composed>& composed();

// ---- making programs

// The program with that number. It is the same on every machine.
struct Program {
  uint64_t seed = 0;
  int stack = -1;  // -1: its own
  Fn f;
  bool smooth = false;  // all values are F64 and it is differentiable almost everywhere
  Arrays arguments() const { return made(f.in, seed); }
};
Program generate(uint64_t seed);
// Returns the same function under another stack of transforms, which `stack` selects by its number.
Program generate(uint64_t seed, int stack);

}  // namespace weft::programs
