// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/jaxpr.h: the program representation: typed variables and equations in SSA
// form, interned.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/detail/any_params.h"
#include "weft/detail/literal.h"
#include "weft/detail/ref.h"
#include "weft/error.h"
#include "weft/type.h"

namespace weft {

namespace ir {
class Op;

// An operand of an equation: variable `index`, or literal number ~index.
struct Atom {
  int32_t index = 0;
  bool is_literal() const { return index < 0; }
  int32_t literal() const { return ~index; }
  friend bool operator==(const Atom&, const Atom&) = default;
};

struct Eqn {
  const Op* op = nullptr;
  AnyParams params;
  std::vector<Atom> in;
  int32_t out = 0;  // the first output; the outputs have consecutive numbers
  int32_t n_out = 1;
  typing::Location source;
  // The name of the implementation that runs it (core/loops/implementation.h); the name lives as
  // long as the op. It is empty until the compiler has chosen, and for ops without a choice.
  std::string_view implementation = {};
};

// A closed program. The inputs are the variables 0 … n_in-1; the first n_const of them are
// constants, bound once when the program is made. Equations define their variables in order.
class JaxprData : public RefCounted {
 public:
  std::vector<typing::Type> types;  // of all variables
  int n_in = 0;
  int n_const = 0;
  std::vector<Literal> literals;
  std::vector<Eqn> eqns;
  std::vector<Atom> out;
  size_t hash = 0;
  bool interned = false;
  // The first interned program that equals this one up to source locations, or null if this program
  // is the first. Both compare equal by ==, and are compiled once.
  Ref<const JaxprData> first = {};

  JaxprData() = default;
  JaxprData(const JaxprData&) = default;
  JaxprData(JaxprData&&) = default;
  JaxprData& operator=(const JaxprData&) = default;
  JaxprData& operator=(JaxprData&&) = default;
  ~JaxprData() override;
  typing::Type type(Atom a) const {
    return a.is_literal() ? literals[static_cast<size_t>(a.literal())].type()
                          : types[static_cast<size_t>(a.index)];
  }
  typing::Types in_types() const;
  typing::Types out_types() const;
  // The types of the operands and results of an equation.
  typing::Types in_types(const Eqn& e) const;
  typing::Types out_types(const Eqn& e) const;

 protected:
  void dispose() const override;  // removes it from the table of interned programs first
};
}  // namespace ir

using Jaxpr = ir::Ref<const ir::JaxprData>;

namespace ir {
// Equal programs with the same source locations become the same object. With other locations they
// become distinct objects that compare equal, so that errors name the right location. Literals are
// first renumbered in order of use, so that programs with equal text are equal.
Jaxpr intern(Ref<JaxprData> j);

// The jaxpr text as JAX prints it: "{ lambda ; a:f32[3]. let b:f32[3] = sin a in (b,) }".
// docs/ir.md has the grammar.
std::string to_string(const Jaxpr& j);
// The inverse of to_string. Raises ParseError with line and column. (The public parse_jaxpr also
// accepts constants.)
Jaxpr read_jaxpr(const std::string& text);
// Raises InternalError naming the violated rule (docs/ir.md) if the program is not well formed.
// Debug builds verify every interned program.
void verify(const Jaxpr& j);
// Verifies the equations without descending into inner programs.
void verify_equations(const JaxprData& j);

// For each input, true if an equation or a result reads it.
std::vector<bool> inputs_read(const JaxprData& j);
// The programs that an equation holds, in the order of its fields.
void for_inner(const Eqn& e, FunctionRef<void(const Jaxpr&)> f);
std::vector<Jaxpr> inner_programs(const AnyParams& p);
// Visits these programs and the programs nested in them, each of them once.
void for_each_program(std::vector<Jaxpr> programs, FunctionRef<void(const JaxprData&)> visit);
// Returns true if `holds` returns true for an equation of these programs or of their nested
// programs.
bool any_equation(std::vector<Jaxpr> programs,
                  FunctionRef<bool(const JaxprData&, const Eqn&)> holds);
// The number of equations, including those of inner programs; a program that is held twice counts
// twice. The count saturates.
int64_t count_equations(const Jaxpr& j);
}  // namespace ir
using ir::to_string;

}  // namespace weft
