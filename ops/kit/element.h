// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/element.h: maps each dtype to the number type that templates compute with: host values
// for reference rules, loop-nest values for lowering rules.
#pragma once
#include "core/loops/lower.h"
#include "core/scalar/number.h"
#include "weft/dtype.h"

namespace weft {

// `plain` is the host type for computing; load and store convert it from and to memory. `ir` is the
// loop-nest type; `in` and `out` convert it.
template <class T>
struct Element {
  using plain = T;
  using ir = num::Ir<T>;
  static plain load(const T& x) { return x; }
  static T store(const plain& x) { return x; }
  static ir in(const Elem& e) { return ir::at(e.re); }
  static Elem out(const ir& x) { return {x.id, nest::no_id}; }
};
// Narrow floats are computed in F32, and each op rounds its result, as in JAX.
template <>
struct Element<bfloat16_t> {
  using plain = float;
  using ir = num::Ir<float>;
  static plain load(const bfloat16_t& x) { return x; }
  static bfloat16_t store(plain x) { return x; }
  static ir in(const Elem& e) { return ir::at(e.re); }
  static Elem out(const ir& x) { return {num::round_to_bf16(x).id, nest::no_id}; }
};
template <>
struct Element<float16_t> {
  using plain = float;
  using ir = num::Ir<float>;
  static plain load(const float16_t& x) { return x; }
  static float16_t store(plain x) { return x; }
  static ir in(const Elem& e) { return ir::at(e.re); }
  static Elem out(const ir& x) { return {num::round_to_f16(x).id, nest::no_id}; }
};
template <class R>
struct Element<Complex<R>> {
  using plain = num::Cx<R>;
  using ir = num::Cx<num::Ir<R>>;
  static plain load(const Complex<R>& x) { return {x.re, x.im}; }
  static Complex<R> store(const plain& x) { return {x.re, x.im}; }
  static ir in(const Elem& e) { return {num::Ir<R>::at(e.re), num::Ir<R>::at(e.im)}; }
  static Elem out(const ir& x) { return {x.re.id, x.im.id}; }
};

// A set of dtypes that an op accepts.
struct DTypes {
  static constexpr unsigned bools = 1, ints = 2, floats = 4, complexes = 8;
  static constexpr unsigned signeds = 16, unsigneds = 32;  // subsets of ints
  // F32 and F64, the types of the parts of complex numbers
  static constexpr unsigned wide_floats = 64;
  static constexpr unsigned inexact = floats | complexes;
  static constexpr unsigned real_numbers = ints | floats;
  static constexpr unsigned numbers = ints | floats | complexes;
  static constexpr unsigned any = bools | numbers;
};
template <class T>
constexpr bool in_class(unsigned c) {
  constexpr DType d = dtype_of_v<T>;
  return ((c & DTypes::wide_floats) && (d == F32 || d == F64)) ||
         ((c & DTypes::bools) && is_bool(d)) || ((c & DTypes::ints) && is_integer(d)) ||
         ((c & DTypes::floats) && is_floating(d)) || ((c & DTypes::complexes) && is_complex(d)) ||
         ((c & DTypes::signeds) && is_signed(d)) || ((c & DTypes::unsigneds) && is_unsigned(d));
}
bool dtype_in(DType d, unsigned classes);
std::string class_names(unsigned classes);  // For example "floating-point or complex".

// Calls f(T*) if the dtype is in the class. The type rule has already rejected other dtypes.
template <unsigned classes, class F>
void with_class(DType d, F&& f) {
  with_dtype(d, [&](auto* p) {
    if constexpr (in_class<std::remove_pointer_t<decltype(p)>>(classes)) f(p);
  });
}

// A constant as a value of a loop nest.
Elem constant_elem(DType d, double value);

}  // namespace weft
