// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/jaxpr.h: the program representation: typed variables, equations in SSA form, interned.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/any_params.h"
#include "weft/core/error.h"
#include "weft/core/literal.h"
#include "weft/core/ref.h"
#include "weft/core/type.h"

namespace weft {

namespace ir {
class Op;

// What an equation reads: variable `index`, or literal number ~index.
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
  int32_t out = 0;  // the first of its outputs; they are numbered in a row
  int32_t n_out = 1;
  typing::Location source;
  // How it is run: the name of an implementation (core/loops/implementation.h), which lives as long
  // as the op; empty before the compiler has chosen, and where there is nothing to choose.
  std::string_view implementation = {};
};

// A closed program: inputs are the variables 0 … n_in-1, of which the first n_const are constants
// (bound once, where the program is made). Equations define their variables in order.
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
  // The first interned program that this one equals in all but the places in the user's code, or
  // null if it is the first itself. They are equal by ==, and compiled once.
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

 protected:
  void dispose() const override;  // leaves the table of interned programs first
};
}  // namespace ir

using Jaxpr = ir::Ref<const ir::JaxprData>;

namespace ir {
// Equal programs of the same places in the user's code become the same object; of other places they
// become equal ones, so that errors name the right place. Literals are first numbered by first use,
// so that programs of equal text are equal.
Jaxpr intern(Ref<JaxprData> j);

// jaxpr text as JAX prints it: "{ lambda ; a:f32[3]. let b:f32[3] = sin a in (b,) }". docs/ir.md
// has the grammar.
std::string to_string(const Jaxpr& j);
// The inverse. Raises ParseError with line and column. (The public parse_jaxpr also takes
// constants.)
Jaxpr read_jaxpr(const std::string& text);
// Raises InternalError naming the violated rule (docs/ir.md) if the program is not well formed.
// Debug builds verify every program that is interned.
void verify(const Jaxpr& j);
// The same without descending into inner programs.
void verify_equations(const JaxprData& j);

// By input, whether an equation or a result reads it.
std::vector<bool> inputs_read(const JaxprData& j);
// The programs that an equation holds, in the order of its fields.
void for_inner(const Eqn& e, FunctionRef<void(const Jaxpr&)> f);
std::vector<Jaxpr> inner_programs(const AnyParams& p);
// Visits these programs and those within them, each once, however often it is held.
void for_each_program(std::vector<Jaxpr> programs, FunctionRef<void(const JaxprData&)> visit);
// Whether `holds` says so of an equation of these programs or of a program within them.
bool any_equation(std::vector<Jaxpr> programs,
                  FunctionRef<bool(const JaxprData&, const Eqn&)> holds);
// Number of equations, those of inner programs included (where a program is held twice, twice);
// saturates.
int64_t count_equations(const Jaxpr& j);
}  // namespace ir
using ir::to_string;

}  // namespace weft
