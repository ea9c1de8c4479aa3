// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/write.h: from a jaxpr to the syntax tree. One table holds a rule for each
// op of ours that StableHLO says in its own way, a file a family of them; the ops that both have
// under two names are in the table of tr_elementwise.cpp, and any other op that computes one
// element from elements is written out in arithmetic (wr_nest.cpp).
//
// Random keys are one ui64 inside the text, the first word in its low half, and ui32[…, 2] where
// main takes and returns them.
#pragma once
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weft/core/jaxpr.h"
#include "weft/core/loops/lower.h"
#include "weft/core/param.h"
#include "weft/interop/stablehlo/read/syntax.h"
#include "weft/tracer/array.h"

namespace weft::hlo {

// A value of the text and its type there.
struct Val {
  int32_t id = -1;
  Type type;
  DType dtype() const { return type.dtype(); }
  const Shape& shape() const { return type.shape(); }
};
using Vals = std::vector<Val>;

// The type that values of type t have inside the text.
Type written(const Type& t);
Types written(const Types& types);
inline Types types_of(const Vals& x) {
  Types out;
  for (const Val& v : x) out.push_back(v.type);
  return out;
}

// For an op that holds one region.
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
Attr symbol_attr(const std::string& name);  // without '@'
Attr string_attr(std::string text);
// "[0, 2]", for the dialect's own attributes.
std::string list_text(const Ints& n);

class Writer {
 public:
  Writer() : types_(std::make_shared<TypeTable>()) {}
  // A module whose public function main is the program. CompileError where StableHLO cannot say it.
  Program program(const Jaxpr& j, const Arrays& consts);

  // ---- for the rules: each appends to the block being written
  Vals op(std::string_view name, const Vals& x, const Types& out, std::vector<NamedAttr> attrs = {},
          std::vector<Region> regions = {});
  // The only result.
  Val one(std::string_view name, const Vals& x, const Type& out, std::vector<NamedAttr> attrs = {},
          std::vector<Region> regions = {});
  // A region that takes values of these types and returns what f makes of them.
  Region region(const Types& args, FunctionRef<Vals(const Vals&)> f);
  // The results of a program written out here.
  Vals written_out(const Jaxpr& j, const Vals& args);
  // What f computes of values of these types, by ops of ours, written out here.
  Vals computed(const Types& in, FunctionRef<Arrays(const Arrays&)> f, const Vals& args);
  // The results of a private function that holds the program, of equal programs the same.
  Vals call(const Jaxpr& j, const std::string& name, const Vals& args);
  // The same as a composite of that name.
  Vals composite(const Jaxpr& j, const std::string& name, int64_t version, const Vals& args);
  // The symbol of a private function that holds what f writes; of one name and types one.
  std::string function(const std::string& name, const Types& args,
                       FunctionRef<Vals(const Vals&)> f);

  // Constants; of the same number in the same place one.
  Val number(const Type& t, double x);
  Val integer(const Type& t, int64_t x);
  // Of one element's bytes, repeated.
  Val repeated(const Type& t, const void* element);
  Val constant(const Array& x);
  Attr dense_attr(const Array& x);

  // The usual ops.
  Val binary(std::string_view name, const Val& a, const Val& b) {
    return one(name, {a, b}, a.type);
  }
  Val compare(std::string_view how, const Val& a, const Val& b, std::string_view kind = {});
  Val select(const Val& mask, const Val& a, const Val& b);
  Val convert(const Val& x, DType d);
  Val bitcast(const Val& x, const Type& t);
  Val reshape(const Val& x, const Shape& s);
  Val broadcast(const Val& x, const Shape& s, const Ints& dims);
  // A scalar to this shape; other values must have it.
  Val fit(const Val& x, const Shape& s);
  Val iota(const Type& t, int64_t axis);
  // x folded over axes by an op of two scalars, from a scalar `init` on; the region of such an op.
  Val reduce(std::string_view name, const Val& x, const Val& init, const Ints& axes);
  Region fold(std::string_view name, const Type& scalar);
  Val slice(const Val& x, const Ints& start, const Ints& limit, const Ints& stride);

 private:
  // By dtype, shape and bits of one element.
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
  std::vector<weft::hlo::Op>* ops_ = nullptr;  // of the block being written
  std::vector<Constants> constants_;           // of the blocks around, the outermost first
  std::vector<Jaxpr> calls_;                   // programs that became functions
  std::unordered_map<const JaxprData*, std::string> called_;  // their symbols
  std::unordered_map<std::string, int> symbols_;
  std::unordered_map<std::string, std::string> made_;  // by function(), from name and types
  std::vector<weft::hlo::Op> functions_;               // done, besides main and those of calls_
};

// An equation that is being written.
struct Equation {
  const Eqn& eqn;
  const Types& in;  // of the jaxpr
  const Types& out;
  const std::string& name() const;
  // Field `name` of its parameters.
  template <class T>
  T field(std::string_view name) const {
    if (auto v = param_field<T>(eqn.params, name)) return *std::move(v);
    no_field(name);
  }
  Ints ints(std::string_view name) const { return field<Ints>(name); }
  Type result(size_t i = 0) const { return written(out[i]); }
  // CompileError: what cannot be said, and the line that made the equation.
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  [[noreturn]] void no_field(std::string_view name) const;
};

// The attributes of a product, with the precision that was asked for, if one was.
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

// An op without parameters under its own name, for readers that have it, with what f writes for the
// others.
Vals write_composite(Writer& w, const Equation& e, const Vals& x, FunctionRef<Vals(const Vals&)> f);
// By what the lowering rule of the op says: one of the following two. Of an op without one by the
// program that stands for it.
Vals write_lowering(Writer& w, const Equation& e, const Vals& x);
// Loops, branches and calls.
Vals write_control(Writer& w, const Equation& e, const Lowering& l, const Vals& x);
// What a pull rule computes, as arithmetic on whole arrays.
Vals write_nest(Writer& w, const Equation& e, const Lowering& l, const Vals& x);

}  // namespace weft::hlo
