// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/device/calls.cpp: systems, products and transforms by GPU libraries, and the parts
// that are generated because a library does not compute them.
#include "ops/linear/device/calls.h"

#include "ops/kit/axes.h"
#include "ops/kit/kit.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "weft/error.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/fft.h"

namespace weft::device_calls {

using namespace lax;

Jaxpr program(const Types& in, FunctionRef<Arrays(const Arrays&)> f) {
  const ClosedJaxpr c = record(in, f);
  if (!c.consts.empty()) throw InternalError("a program around a call has constants");
  return c.jaxpr;
}

NativeCall triangular_solve(const Type& given, const Type& right, const native::Triangular& t) {
  const Type a = given.strong(), b = right.strong();
  // BLAS conjugates only a matrix that it also transposes.
  const bool conjugated = t.copies();
  const cuda::TriangularSystem system{
      t.a.type,       t.a.batch, t.a.n,       t.columns,
      t.left,         t.lower,   t.transpose, t.conjugate && !conjugated,
      t.unit_diagonal};
  NativeCall c;
  c.function = name_of_triangular(system);
  c.run = [system](const NativeArgs& args) { cuda::solve_triangular(system, args); };
  if (!conjugated) return c;
  c.adapters = [a, b] {
    const auto before = [](const Arrays& in) { return Arrays{matrix::conj(in[0]), in[1]}; };
    const auto after = [](const Arrays& in) { return Arrays{in[1]}; };
    return LayoutAdapters{program({a, b}, before), {}, program({a, b}, after)};
  };
  return c;
}

NativeCall product(const cuda::MatrixProduct& p) {
  NativeCall c;
  c.function = cuda::name_of_matmul;
  c.run = [made = cuda::make_multiplier(p)](const NativeArgs& args) { made->run(args); };
  return c;
}

// ---- transforms.
// The library reads imaginary parts of elements that must be real. If the result is real, the axes
// before the last are therefore transformed here, so that these elements can be made real.

namespace {

using Kind = cuda::Transform::Kind;

double elements_of(const cuda::Transform& t) {
  double n = 1;
  for (const int64_t k : t.lengths) n *= static_cast<double>(k);
  return n;
}
Array divided(const Array& x, double by) { return mul(x, like(x, 1 / by)); }

// Half of the spectrum of n real numbers, with the imaginary parts of its ends set to zero.
Array with_real_ends(const Array& x, int64_t n) {
  const int last = x.ndim() - 1;
  const Array re = real(x), i = iota(I32, x.shape(), last);
  const int64_t middle = n / 2;
  Array end = eq(i, matrix::zeros_like(i));
  if (n == 2 * middle) end = bitwise_or(end, eq(i, like(i, static_cast<double>(middle))));
  return select(end, lax::complex(re, matrix::zeros_like(re)), x);
}

// Inverse transforms of all transformed axes except the last, which is temporarily moved before
// them.
Array others_transformed(const Array& x, const Ints& lengths) {
  const int rank = x.ndim(), first = rank - static_cast<int>(lengths.size());
  if (lengths.size() == 1) return x;
  const Array y = base::move_axis(x, rank - 1, first);
  const Array z = lax::fft(y, FftType::ifft, {lengths.begin(), lengths.end() - 1});
  return base::move_axis(z, first, rank - 1);
}

LayoutAdapters around_inverse(const Type& x, const cuda::Transform& t) {
  const double n = elements_of(t);
  return {{}, {x}, program({x, x}, [&](const Arrays& in) { return Arrays{divided(in[1], n)}; })};
}
// The call transforms only the last axis.
LayoutAdapters around_to_real(const Type& x, const Ints& lengths) {
  const int64_t n = lengths.back();
  const Type real_type(real_part(x.dtype()), x.shape().with(x.ndim() - 1, n));
  const auto before = [&](const Arrays& in) {
    return Arrays{with_real_ends(others_transformed(in[0], lengths), n)};
  };
  const auto after = [&](const Arrays& in) {
    return Arrays{divided(in[1], static_cast<double>(n))};
  };
  return {program({x}, before), {real_type}, program({x, real_type}, after)};
}

}  // namespace

NativeCall fft(const Type& given, const cuda::Transform& t) {
  const Type x = given.strong();
  cuda::Transform called = t;
  if (t.kind == Kind::to_real) {
    called.lengths = {t.lengths.back()};
    for (size_t a = 0; a + 1 < t.lengths.size(); ++a) called.batch *= t.lengths[a];
  }
  NativeCall c;
  c.function = cuda::name_of_transform(called);
  c.run = [made = cuda::make_transformer(called)](const NativeArgs& args) { made->run(args); };
  if (t.kind == Kind::inverse) c.adapters = [=] { return around_inverse(x, t); };
  if (t.kind == Kind::to_real) c.adapters = [=] { return around_to_real(x, t.lengths); };
  return c;
}

}  // namespace weft::device_calls
