// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/write.h: converts a jaxpr to the syntax tree. One table has a rule for
// each op that StableHLO expresses in its own way; each family of ops has its own file. Ops that
// both have, under two names, say so in their block (Def::stablehlo). Any other op that computes
// one element from elements is written as arithmetic (wr_nest.cpp).
//
// Inside the text a random key is one ui64, with the first word in its low half. As an argument or
// result of main it is ui32[…, 2].
#pragma once
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/loops/lower.h"
#include "core/param.h"
#include "interop/stablehlo/read/syntax.h"
#include "weft/array.h"
#include "weft/detail/jaxpr.h"

namespace weft::hlo {

// A value of the text, and its type there.
struct Val {
  int32_t id = -1;
  Type type;
  DType dtype() const { return type.dtype(); }
  const Shape& shape() const { return type.shape(); }
};
using Vals = std::vector<Val>;

// The type inside the text of values of type t.
Type written(const Type& t);
Types written(const Types& types);
inline Types types_of(const Vals& x) {
  Types out;
  for (const Val& v : x) out.push_back(v.type);
  return out;
}

// The region list of an op with one region.
inline std::vector<Region> only(Region r) {
  std::vector<Region> all;
  all.push_back(std::move(r));
  return all;
}

// ---- attributes
Attr integer_attr(int64_t n, DType d = I64);
Attr bool_attr(bool b);
Attr ints_attr(const Ints& n);
Attr text_attr(std::string text);
Attr symbol_attr(const std::string& name);  // name without '@'
Attr string_attr(std::string text);
// Formats numbers as "[0, 2]", for attributes of the dialect.
std::string list_text(const Ints& n);

class Writer {
 public:
  Writer() : types_(std::make_shared<TypeTable>()) {}
  // Returns a module whose public function main is the program. Raises CompileError if StableHLO
  // cannot express it.
  Program program(const Jaxpr& j, const Arrays& consts);

  // ---- functions for the rules. Each appends ops to the block being written.
  Vals op(std::string_view name, const Vals& x, const Types& out, std::vector<NamedAttr> attrs = {},
          std::vector<Region> regions = {});
  // The same for an op with one result.
  Val one(std::string_view name, const Vals& x, const Type& out, std::vector<NamedAttr> attrs = {},
          std::vector<Region> regions = {});
  // Returns a region that takes values of these types and returns the results of f.
  Region region(const Types& args, FunctionRef<Vals(const Vals&)> f);
  // Writes the equations of a program in place and returns its results.
  Vals written_out(const Jaxpr& j, const Vals& args);
  // Writes the ops that f binds for values of these types in place, and returns their results.
  Vals computed(const Types& in, FunctionRef<Arrays(const Arrays&)> f, const Vals& args);
  // Calls a private function that contains the program. Equal programs share one function.
  Vals call(const Jaxpr& j, const std::string& name, const Vals& args);
  // The same as a composite of that name.
  Vals composite(const Jaxpr& j, const std::string& name, int64_t version, const Vals& args);
  // Returns the symbol of a private function that contains what f writes. Functions of equal name
  // and types are shared.
  std::string function(const std::string& name, const Types& args,
                       FunctionRef<Vals(const Vals&)> f);

  // Constants. Equal constants of a block are shared.
  Val number(const Type& t, double x);
  Val integer(const Type& t, int64_t x);
  // A constant in which all elements have these bytes.
  Val repeated(const Type& t, const void* element);
  Val constant(const Array& x);
  Attr dense_attr(const Array& x);

  // Common ops.
  Val binary(std::string_view name, const Val& a, const Val& b) {
    return one(name, {a, b}, a.type);
  }
  Val compare(std::string_view how, const Val& a, const Val& b, std::string_view kind = {});
  Val select(const Val& mask, const Val& a, const Val& b);
  Val convert(const Val& x, DType d);
  Val bitcast(const Val& x, const Type& t);
  Val reshape(const Val& x, const Shape& s);
  Val broadcast(const Val& x, const Shape& s, const Ints& dims);
  // Broadcasts a scalar to this shape. Other values must already have it.
  Val fit(const Val& x, const Shape& s);
  Val iota(const Type& t, int64_t axis);
  // Reduces x over axes by an op of two scalars, starting with the scalar `init`. fold returns the
  // region of such an op.
  Val reduce(std::string_view name, const Val& x, const Val& init, const Ints& axes);
  Region fold(std::string_view name, const Type& scalar);
  Val slice(const Val& x, const Ints& start, const Ints& limit, const Ints& stride);

 private:
  // Constants by dtype, shape and the bytes of one element.
  using Constants = std::unordered_map<std::string, Val>;
  Attr dense_attr(const Type& t, Dense d);
  Typ typ(const Type& t);
  std::string fresh_symbol(const std::string& wanted);
  const std::string& symbol_of(const Jaxpr& j, const std::string& wanted);
  Op function_op(const std::string& symbol, bool is_private, const Types& args,
                 FunctionRef<Vals(const Vals&)> f);
  Region block(const Types& args, std::string_view terminator, FunctionRef<Vals(const Vals&)> f,
               Types* out);

  std::shared_ptr<TypeTable> types_;
  int32_t next_ = 0;
  std::vector<weft::hlo::Op>* ops_ = nullptr;  // ops of the block being written
  std::vector<Constants> constants_;           // constants of the enclosing blocks, outermost first
  std::vector<Jaxpr> calls_;                   // programs that became functions
  std::unordered_map<const JaxprData*, std::string> called_;  // their symbols
  std::unordered_map<std::string, int> symbols_;
  // functions made by function(), by name and types
  std::unordered_map<std::string, std::string> made_;
  // finished functions, except main and those of calls_
  std::vector<weft::hlo::Op> functions_;
};

// An equation being written.
struct Equation {
  const Eqn& eqn;
  const Types& in;  // types in the jaxpr
  const Types& out;
  const std::string& name() const;
  // Returns field `name` of the parameters.
  template <class T>
  T field(std::string_view name) const {
    if (auto v = param_field<T>(eqn.params, name)) return *std::move(v);
    no_field(name);
  }
  Ints ints(std::string_view name) const { return field<Ints>(name); }
  Type result(size_t i = 0) const { return written(out[i]); }
  // Raises CompileError with the reason, and with the line that created the equation.
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  [[noreturn]] void no_field(std::string_view name) const;
};

// Adds to the attributes of a product its precision, if the equation has one.
std::vector<NamedAttr> with_precision(const Equation& e, std::vector<NamedAttr> attrs);

using WriteRule = Vals (*)(Writer& w, const Equation& e, const Vals& x);
using WriteRules = std::unordered_map<std::string_view, WriteRule>;
void write_effects(WriteRules& r);
void write_elementwise(WriteRules& r);
void write_shapes(WriteRules& r);
void write_reductions(WriteRules& r);
void write_convolutions(WriteRules& r);
void write_indexing(WriteRules& r);
void write_sorting(WriteRules& r);
void write_linalg(WriteRules& r);
void write_spectral(WriteRules& r);
void write_fourier(WriteRules& r);

// Writes an op without parameters as a composite with its own name, for readers that have the op.
// The decomposition for other readers is what f writes.
Vals write_composite(Writer& w, const Equation& e, const Vals& x, FunctionRef<Vals(const Vals&)> f);
// Writes an op by its lowering rule, with one of the two functions below. An op without such a rule
// is written as its expansion.
Vals write_lowering(Writer& w, const Equation& e, const Vals& x);
// Writes loops, branches and calls.
Vals write_control(Writer& w, const Equation& e, const Lowering& l, const Vals& x);
// Writes the result of a pull rule as arithmetic on whole arrays.
Vals write_nest(Writer& w, const Equation& e, const Lowering& l, const Vals& x);

}  // namespace weft::hlo
