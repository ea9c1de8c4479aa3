// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/convert.cpp: convert_element_type, bitcast_convert_type, real, imag, complex,
// conj.
#include "weft/lax/convert.h"

#include <fmt/format.h>

#include "ops/kit/arith.h"
#include "ops/kit/bits.h"
#include "ops/kit/kit.h"
#include "tracer/weak_numbers.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using namespace lax;

// ---- convert_element_type

struct Convert {
  DType new_dtype = F32;
  bool weak_type = false;
  WEFT_FIELDS(new_dtype, weak_type)
};

// Converts the number x to dtype To.
template <class To, class R>
auto converted(R x) {
  if constexpr (arith::is_cx<R>) {
    if constexpr (is_complex(dtype_of_v<To>)) {
      using S = decltype(To{}.re);
      using Part = num::rebind<decltype(x.re), S>;
      return num::Cx<Part>(num::convert<S>(x.re), num::convert<S>(x.im));
    } else {
      return converted<To>(x.re);
    }
  } else if constexpr (is_complex(dtype_of_v<To>)) {
    using S = decltype(To{}.re);
    using Part = num::rebind<R, S>;
    return num::Cx<Part>(num::convert<S>(x));
  } else if constexpr (std::is_same_v<To, bfloat16_t> || std::is_same_v<To, float16_t>) {
    if constexpr (std::is_same_v<num::scalar_t<R>, double>)
      return float_odd(x);
    else
      return num::rebind<R, float>(num::convert<float>(x));
  } else {
    return num::rebind<R, To>(num::convert<To>(x));
  }
}

Arrays convert_reference(const Arrays& given, const Convert& p) {
  const Arrays x{conversion_operand(given[0], p.new_dtype)};
  const Fresh r = fresh_array(Type(p.new_dtype, x[0].shape(), p.weak_type));
  const int64_t n = x[0].size();
  with_dtype(x[0].dtype(), [&](auto* from) {
    using T = std::remove_pointer_t<decltype(from)>;
    const T* in = data_of<T>(x[0]);
    with_dtype(p.new_dtype, [&](auto* to) {
      using U = std::remove_pointer_t<decltype(to)>;
      U* out = static_cast<U*>(r.data);
      for (int64_t i = 0; i < n; ++i)
        out[i] = Element<U>::store(converted<U>(Element<T>::load(in[i])));
    });
  });
  return {r.array};
}

Elem convert_elem(DType from, DType to, const Elem& e) {
  Elem out;
  with_dtype(from, [&](auto* f) {
    using T = std::remove_pointer_t<decltype(f)>;
    with_dtype(to, [&](auto* t) {
      using U = std::remove_pointer_t<decltype(t)>;
      out = Element<U>::out(converted<U>(Element<T>::in(e)));
    });
  });
  return out;
}

std::vector<Sample<Convert>> convert_samples() {
  std::vector<Sample<Convert>> s;
  for (int a = 0; a <= static_cast<int>(C128); ++a)
    for (int b = 0; b <= static_cast<int>(C128); ++b)
      s.push_back({{Type(static_cast<DType>(a), {5})}, {static_cast<DType>(b), false}, -300, 300});
  s.push_back({{Type(F32, {2, 3})}, {F64, true}});
  return s;
}

// Simplifies the conversion of a literal that keeps a double. The result is a literal, because
// kernels would read only the float.
Arrays converted_number(const Array& x, const Convert& p) {
  const Array number = conversion_operand(x, p.new_dtype);
  if (number.dtype() == x.dtype()) return {};
  return {number_as(number, p.new_dtype, p.weak_type)};
}

const Primitive<Convert>& convert_op = define_elementwise<Convert>({
    .name = "convert_element_type",
    .doc = "Converts each element to `new_dtype`. Floats become integers by truncation and "
           "saturate, and NaN becomes 0. Integers wrap around, and a bool is `x != 0`.",
    .type =
        [](const Types& in, const Convert& p) {
          require_operands("convert_element_type", in, 1);
          if (is_key(in[0].dtype()) || is_key(p.new_dtype))
            reject_dtype("convert_element_type", "random keys are not numbers", in);
          if (beyond_i32(in[0].dtype(), in[0].weak()) &&
              !takes_beyond_i32(in[0].dtype(), p.new_dtype))
            reject_dtype("convert_element_type",
                         fmt::format("the number does not fit I32, the type of C++ integers, and "
                                     "becomes {}; {}",
                                     short_name(p.new_dtype), beyond_i32_advice()),
                         in);
          return Types{Type(p.new_dtype, in[0].shape(), p.weak_type)};
        },
    .reference = convert_reference,
    .jvp =
        [](const JvpArgs<Convert>& j) {
          if (!is_inexact(j.params.new_dtype)) return Arrays(1);
          return Arrays{base::convert(j.dx[0], j.params.new_dtype)};
        },
    .transpose =
        [](const TransposeArgs<Convert>& t) {
          return Arrays{base::convert(t.ct[0], t.in[0].dtype())};
        },
    .lower =
        [](const LowerArgs<Convert>& l) {
          Lowering r;
          r.element = [from = l.in[0].dtype(), to = l.params.new_dtype](Reader& x, int,
                                                                        const Coords& at) {
            return convert_elem(from, to, x.read(0, at));
          };
          return r;
        },
    .simplify =
        [](const SimplifyArgs<Convert>& s) {
          if (s.x[0].dtype() == s.params.new_dtype) return Arrays{s.x[0]};
          return converted_number(s.x[0], s.params);
        },
    .samples = convert_samples,
    .rejects =
        [] {
          return std::vector<Reject<Convert>>{
              {{Type(Key, {2})}, {I32, false}, "random keys"},
              {{Type(I64, {}, true)}, {F32, false}, "does not fit I32"}};
        },
    .reads_weak_f64 = [](const Convert& p) { return exceeds_f32(p.new_dtype); },
});

// ---- bitcast_convert_type

struct Bitcast {
  DType new_dtype = I32;
  WEFT_FIELDS(new_dtype)
};

Types bitcast_type(const Types& in, const Bitcast& p) {
  const char* op = "bitcast_convert_type";
  require_operands(op, in, 1);
  const DType from = in[0].dtype(), to = p.new_dtype;
  const auto plain = [](DType d) { return is_integer(d) || is_floating(d); };
  if (from != to && !(plain(from) && plain(to)))
    reject_dtype(op, fmt::format("bits of {} cannot become {}", short_name(from), short_name(to)),
                 in);
  const int a = itemsize(from), b = itemsize(to);
  if (a == b) return {Type(to, in[0].shape())};
  if (a > b) return {Type(to, in[0].shape().inserted(in[0].ndim(), a / b))};
  if (in[0].ndim() == 0 || in[0].shape()[-1] != b / a)
    reject_shape(
        op, fmt::format("the last axis must have size {} to become {}", b / a, short_name(to)), in);
  return {Type(to, in[0].shape().erased(in[0].ndim() - 1))};
}

using Word = num::Ir<uint64_t>;
Word word_of(DType d, const Elem& e) {
  Word w;
  if (d == BF16) return num::convert<uint64_t>(bf16_bits(num::Ir<float>::at(e.re)));
  if (d == F16) return num::convert<uint64_t>(f16_bits(num::Ir<float>::at(e.re)));
  with_class<DTypes::ints | DTypes::wide_floats>(d, [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    using U = std::make_unsigned_t<typename num::detail::SameWidth<T>::s>;
    w = num::convert<uint64_t>(num::bitcast<U>(num::Ir<T>::at(e.re)));
  });
  return w;
}
Elem elem_of(DType d, Word w) {
  Elem e;
  if (d == BF16) return {bf16_from_bits(num::convert<uint32_t>(w)).id, nest::no_id};
  if (d == F16) return {f16_from_bits(num::convert<uint32_t>(w)).id, nest::no_id};
  with_class<DTypes::ints | DTypes::wide_floats>(d, [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    using U = std::make_unsigned_t<typename num::detail::SameWidth<T>::s>;
    e.re = num::bitcast<T>(num::convert<U>(w)).id;
  });
  return e;
}

Elem bitcast_elem(Reader& x, const Coords& at, DType from, DType to) {
  if (from == to) return x.read(0, at);
  const int a = itemsize(from), b = itemsize(to);
  if (a == b) return elem_of(to, word_of(from, x.read(0, at)));
  Coords c = at;
  if (a > b) {
    const Word k = num::convert<uint64_t>(num::Ir<int64_t>::at(at.back()));
    c.pop_back();
    return elem_of(to, num::shift_right_logical(word_of(from, x.read(0, c)),
                                                k * Word(static_cast<uint64_t>(b) * 8)));
  }
  Word w(uint64_t{0});
  c.push_back(nest::no_id);
  for (int64_t k = 0; k < b / a; ++k) {
    c.back() = num::Ir<int64_t>(k).id;
    w = w | num::shift_left(word_of(from, x.read(0, c)), Word(static_cast<uint64_t>(k * a) * 8));
  }
  return elem_of(to, w);
}

const Primitive<Bitcast>& bitcast_op = define<Bitcast>({
    .name = "bitcast_convert_type",
    .doc = "Reinterprets the bits of the operand as `new_dtype`. If the widths differ, a last axis "
           "for the parts of each element, lowest bits first, is added or removed.",
    .type = bitcast_type,
    .reference =
        [](const Arrays& x, const Bitcast& p) {
          return Arrays{array_of_bytes(bitcast_type({x[0].type()}, p)[0], concrete(x[0]).data())};
        },
    .jvp = zero_jvp,
    .batch =
        [](const BatchArgs<Bitcast>& b) {
          // The last axis must not be the mapped axis.
          const int at = b.x[0].ndim() > 1 && *b.axis[0] == b.x[0].ndim() - 1 ? 0 : *b.axis[0];
          return Batched{bitcast_op.bind({move_mapped(b.x[0], b.axis[0], at, b.size)}, b.params),
                         {at}};
        },
    .lower =
        [](const LowerArgs<Bitcast>& l) {
          Lowering r;
          r.element = [from = l.in[0].dtype(), to = l.params.new_dtype](Reader& x, int,
                                                                        const Coords& at) {
            return bitcast_elem(x, at, from, to);
          };
          return r;
        },
    .simplify =
        [](const SimplifyArgs<Bitcast>& s) {
          return s.x[0].dtype() == s.params.new_dtype ? Arrays{s.x[0]} : Arrays{};
        },
    .samples =
        [] {
          std::vector<Sample<Bitcast>> s;
          for (DType a : {I8, U8, I16, U16, I32, U32, I64, U64, BF16, F16, F32, F64})
            for (DType b : {I8, U8, I16, U16, I32, U32, I64, U64, BF16, F16, F32, F64}) {
              const int wider = itemsize(b) / itemsize(a);
              s.push_back({{Type(a, wider > 1 ? Shape{3, wider} : Shape{3})}, {b}});
            }
          return s;
        },
    .rejects =
        [] {
          return std::vector<Reject<Bitcast>>{{{Type(C64, {2})}, {F32}, "cannot become f32"},
                                              {{Type(U8, {3})}, {U32}, "must have size 4"},
                                              {{Type(U8, {})}, {U16}, "must have size 2"}};
        },
});

// ---- parts of complex numbers. Cotangents pair without conjugation: <ct, z> = Re(ct * z).

Array zero_of(const Array& x) { return base::zeros(x.type().strong()); }

const Primitive<None>& real_op = define_elementwise([] {
  auto d = elementwise<DTypes::complexes, 1, RealPart>(
      "real", "Returns the real part of each element.", [](auto x) { return x.re; });
  d.stablehlo = "stablehlo.real";
  d.jvp = unary_jvp([](Array dx, Array, Array) { return real(dx); });
  d.transpose = unary_transpose([](Array ct) { return complex(ct, zero_of(ct)); });
  return d;
}());
const Primitive<None>& imag_op = define_elementwise([] {
  auto d = elementwise<DTypes::complexes, 1, RealPart>(
      "imag", "Returns the imaginary part of each element.", [](auto x) { return x.im; });
  d.stablehlo = "stablehlo.imag";
  d.jvp = unary_jvp([](Array dx, Array, Array) { return imag(dx); });
  d.transpose = unary_transpose([](Array ct) { return complex(zero_of(ct), neg(ct)); });
  return d;
}());
const Primitive<None>& conj_op = define_elementwise([] {
  auto d =
      elementwise<DTypes::complexes, 1>("conj", "Computes the complex conjugate of each element.",
                                        [](auto x) { return num::conj(x); });
  d.stablehlo = "chlo.conj";
  d.jvp = unary_jvp([](Array dx, Array, Array) { return conj(dx); });
  d.transpose = unary_transpose([](Array ct) { return conj(ct); });
  return d;
}());
const Primitive<None>& complex_op = define_elementwise([] {
  auto d = elementwise<DTypes::wide_floats, 2, MadeComplex>(
      "complex", "Makes complex numbers from their real and imaginary parts.",
      [](auto re, auto im) { return num::Cx<decltype(re)>(re, im); });
  d.stablehlo = "stablehlo.complex";
  d.jvp = [](const JvpArgs<None>& j) {
    const auto part = [&](size_t i) { return j.dx[i].empty_handle() ? zero_of(j.x[i]) : j.dx[i]; };
    return Arrays{broadcast_like(complex(part(0), part(1)), j.out[0].type())};
  };
  d.transpose = binary_transpose([](Array ct, Array) { return real(ct); },
                                 [](Array ct, Array) { return neg(imag(ct)); });
  return d;
}());

}  // namespace

namespace lax {
Array convert_element_type(const Arg& x, DType d, bool weak) {
  const SourceScope s(x.at());
  return base::convert(x, d, weak);
}
Array bitcast_convert_type(const Arg& x, DType d) {
  const SourceScope s(x.at());
  return bitcast_op({x}, {d});
}
Array real(const Arg& x) { return bind_at(real_op, x); }
Array imag(const Arg& x) { return bind_at(imag_op, x); }
Array complex(const Arg& re, const Arg& im) {
  const SourceScope s(re.at());
  return complex_op({re, im});
}
Array conj(const Arg& x) {
  const SourceScope s(x.at());
  return is_complex(x->dtype()) ? conj_op({x}) : complex(x, zero_of(x));
}
}  // namespace lax

namespace base {
Array convert(const Array& x, DType d, bool weak) {
  return x.dtype() == d && x.weak_type() == weak ? x : convert_op({x}, {d, weak});
}
}  // namespace base

}  // namespace weft
