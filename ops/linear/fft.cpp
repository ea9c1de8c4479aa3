// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/fft.cpp: fft: small transforms by sums in the lane, large ones by native code
// (docs/decisions/0020).
#include "weft/lax/fft.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "ops/kit/axes.h"
#include "ops/kit/kit.h"
#include "ops/linear/device/calls.h"
#include "ops/structure/structure.h"
#include "runtime/native/fft/fft.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/dot.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/rounding.h"

namespace weft {
namespace {

using namespace lax;

struct Fft {
  FftType fft_type = FftType::fft;
  Ints fft_lengths;
  WEFT_FIELDS(fft_type, fft_lengths)

  bool inverse() const { return fft_type == FftType::ifft || fft_type == FftType::irfft; }
  int64_t last() const { return fft_lengths.back(); }
  // The size of the last axis on the complex side, if the other side is real.
  int64_t half() const { return last() / 2 + 1; }
  int axes() const { return static_cast<int>(fft_lengths.size()); }
};

// ---- the type rule

void require_dtype(const Type& t, const Fft& p) {
  const bool takes_real = p.fft_type == FftType::rfft;
  const bool right = takes_real ? t.dtype() == F32 || t.dtype() == F64 : is_complex(t.dtype());
  if (!right)
    reject_dtype("fft", takes_real ? "of type rfft takes f32 and f64" : "takes c64 and c128", {t});
}

Types fft_type_rule(const Types& in, const Fft& p) {
  require_operands("fft", in, 1);
  const Type& t = in[0];
  if (p.fft_type < FftType::fft || p.fft_type > FftType::irfft)
    reject_shape("fft", "has the types 0 to 3", in);
  if (p.axes() < 1 || p.axes() > 3)
    reject_shape("fft", fmt::format("takes 1 to 3 lengths, got {}", p.axes()), in);
  if (p.axes() > t.ndim())
    reject_shape("fft", fmt::format("needs an axis for each of the {} lengths", p.axes()), in);
  require_dtype(t, p);
  Ints sizes = t.shape().sizes();
  const size_t front = sizes.size() - p.fft_lengths.size();
  const bool to_real = p.fft_type == FftType::irfft, from_real = p.fft_type == FftType::rfft;
  for (size_t a = 0; a < p.fft_lengths.size(); ++a) {
    const int64_t n = p.fft_lengths[a];
    const bool last = a + 1 == p.fft_lengths.size();
    if (n < 0) reject_shape("fft", fmt::format("takes no length of {}", n), in);
    const int64_t needed = last && to_real ? p.half() : n;
    const bool nothing = last && to_real && n == 0 && sizes[front + a] <= 1;
    if (sizes[front + a] != needed && !nothing)
      reject_shape("fft",
                   fmt::format("needs {} elements along axis {} for the lengths ({})", needed,
                               front + a, fmt::join(p.fft_lengths, ", ")),
                   in);
  }
  if (from_real && p.last() == 0)
    reject_shape("fft", "of type rfft needs at least one element along the last axis", in);
  if (to_real) sizes.back() = p.last();
  if (from_real) sizes.back() = p.half();
  const DType d = to_real     ? real_part(t.dtype())
                  : from_real ? (t.dtype() == F32 ? C64 : C128)
                              : t.dtype();
  return {Type(d, Shape(sizes))};
}

// ---- the reference: in F64, one factor of the length after another

using Cx = num::Cx<double>;

int64_t smallest_factor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p)
    if (n % p == 0) return p;
  return n;
}
Cx root(int64_t k, int64_t n) {
  const double angle = -2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

// The transform of the n numbers x, `step` apart. It transforms the numbers of each remainder
// modulo the smallest factor of n, and then combines these transforms.
std::vector<Cx> transformed(const Cx* x, int64_t n, int64_t step) {
  if (n == 1) return {*x};
  const int64_t p = smallest_factor(n), m = n / p;
  std::vector<std::vector<Cx>> parts;
  for (int64_t r = 0; r < p; ++r) parts.push_back(transformed(x + r * step, m, p * step));
  std::vector<Cx> out(n, Cx(0));
  for (int64_t k = 0; k < n; ++k)
    for (int64_t r = 0; r < p; ++r) out[k] = out[k] + parts[r][k % m] * root(r * k, n);
  return out;
}

// Transforms all numbers of x along an axis with n elements, which are `inner` apart.
void transform_axis(std::vector<Cx>& x, int64_t n, int64_t inner, bool inverse) {
  for (size_t at = 0; at < x.size(); ++at) {
    const auto i = static_cast<int64_t>(at);
    if (i / inner % n != 0) continue;
    for (int64_t j = 0; inverse && j < n; ++j) {
      Cx& z = x[i + j * inner];
      z = {z.re, -z.im};
    }
    const std::vector<Cx> row = transformed(&x[at], n, inner);
    for (int64_t j = 0; j < n; ++j) {
      const Cx z = row[j];
      const auto by = static_cast<double>(n);
      x[i + j * inner] = inverse ? Cx{z.re / by, -z.im / by} : z;
    }
  }
}

// Extends rows of `half` numbers to n. The added numbers are the conjugates of their mirror images.
std::vector<Cx> completed(const std::vector<Cx>& x, int64_t n, int64_t half) {
  std::vector<Cx> out;
  for (size_t row = 0; row < x.size(); row += static_cast<size_t>(half))
    for (int64_t k = 0; k < n; ++k) {
      const Cx z = x[row + static_cast<size_t>(k < half ? k : n - k)];
      const bool real = k == 0 || 2 * k == n;
      out.push_back({z.re, real ? 0 : k < half ? z.im : -z.im});
    }
  return out;
}

// In the transform of n real numbers, the first number is real, and for even n the middle one, even
// if the row contains NaN.
void make_ends_real(std::vector<Cx>& x, int64_t n) {
  for (size_t i = 0; i < x.size(); ++i) {
    const auto k = static_cast<int64_t>(i) % n;
    if (k == 0 || 2 * k == n) x[i].im = 0;
  }
}

Arrays fft_reference(const Arrays& x, const Fft& p) {
  const Type in = x[0].type(), t = fft_type_rule({in}, p)[0];
  const Fresh r = fresh_array(t);
  if (t.elements() == 0) return {r.array};
  std::vector<Cx> z;
  with_class<DTypes::wide_floats | DTypes::complexes>(in.dtype(), [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    for (int64_t i = 0; i < in.elements(); ++i) {
      const T v = data_of<T>(x[0])[i];
      if constexpr (is_complex(dtype_of_v<T>))
        z.push_back({v.re, v.im});
      else
        z.push_back(Cx(v));
    }
  });
  // The last axis is first if its numbers are real, otherwise last.
  const bool to_real = p.fft_type == FftType::irfft, from_real = p.fft_type == FftType::rfft;
  if (from_real) {
    transform_axis(z, p.last(), 1, false);
    make_ends_real(z, p.last());
  }
  int64_t inner = to_real ? p.half() : p.last();
  for (int a = p.axes() - 2; a >= 0; inner *= p.fft_lengths[a], --a)
    transform_axis(z, p.fft_lengths[a], inner, p.inverse());
  if (to_real) z = completed(z, p.last(), p.half());
  if (!from_real) transform_axis(z, p.last(), 1, p.inverse());
  with_class<DTypes::wide_floats | DTypes::complexes>(t.dtype(), [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    T* to = static_cast<T*>(r.data);
    for (size_t i = 0; i < z.size(); ++i) {
      if (from_real && static_cast<int64_t>(i) % p.last() >= p.half()) continue;
      if constexpr (is_complex(dtype_of_v<T>)) {
        using R = decltype(T{}.re);
        *to++ = {static_cast<R>(z[i].re), static_cast<R>(z[i].im)};
      } else {
        *to++ = static_cast<T>(z[i].re);
      }
    }
  });
  return {r.array};
}

// ---- as a program: sums of products with roots of unity, for each factor of a length

// exp(-2 pi i j k / n) for j < rows, k < columns, computed in F64.
Array roots(int64_t rows, int64_t columns, int64_t n, DType d) {
  const DType index = n < 1 << 15 ? I32 : I64;
  const Shape shape{rows, columns};
  const Array j = iota(index, shape, 0), k = iota(index, shape, 1);
  const Array turns = base::convert(rem(mul(j, k), like(j, static_cast<double>(n))), F64);
  const Array angle = mul(turns, like(turns, -2 * std::numbers::pi / static_cast<double>(n)));
  return base::convert(complex(cos(angle), sin(angle)), d);
}

// The largest factor that is at most the square root of n.
int64_t middle_factor(int64_t n) {
  int64_t best = 1;
  for (int64_t p = 2; p * p <= n; ++p)
    if (n % p == 0) best = p;
  return best;
}

Ints exchanged(int rank) {
  Ints order = axis_range(rank);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return order;
}

// The transform along the last axis.
Array dft(const Array& x) {
  const int rank = x.ndim();
  const int64_t n = x.shape()[rank - 1];
  if (n == 1) return x;
  const int64_t rows = middle_factor(n), columns = n / rows;
  if (rows == 1 || n <= 8) return dot_general(x, roots(n, n, n, x.dtype()), {{rank - 1}, {0}});
  Ints split = x.shape().sizes();
  split.back() = rows;
  split.push_back(columns);
  const Ints turn = exchanged(rank + 1);
  const Array inner = dft(transpose_axes(reshape_to(x, Shape(split)), turn));
  const Array twiddles =
      broadcast_in_dim(roots(columns, rows, n, x.dtype()), inner.shape(), {rank - 1, rank});
  const Array outer = dft(transpose_axes(mul(inner, twiddles), turn));
  return reshape_to(transpose_axes(outer, turn), x.shape());
}
Array dft_along(const Array& x, int axis, bool inverse) {
  const int last = x.ndim() - 1;
  const Array row = move_axis(inverse ? conj(x) : x, axis, last);
  Array y = dft(row);
  if (inverse) y = mul(conj(y), like(y, 1 / static_cast<double>(x.shape()[axis])));
  return move_axis(y, last, axis);
}

Array last_sliced(const Array& x, int64_t lo, int64_t hi) {
  return base::slice_axis(x, x.ndim() - 1, lo, hi);
}
Array without_imaginary(const Array& x) {
  const Array re = real(x);
  return complex(re, base::zeros(re.type().strong()));
}
// Half of the spectrum of n real numbers. Its first number is real, and for even n also its last
// one.
Arrays real_ends(const Array& x, int64_t n) {
  const int64_t half = n / 2 + 1, inside = (n + 1) / 2;
  Arrays parts{without_imaginary(last_sliced(x, 0, 1))};
  if (inside > 1) parts.push_back(last_sliced(x, 1, inside));
  if (n % 2 == 0) parts.push_back(without_imaginary(last_sliced(x, half - 1, half)));
  return parts;
}
Array join_parts(const Arrays& parts) {
  return parts.size() == 1 ? parts[0] : base::concatenate(parts, parts[0].ndim() - 1);
}
// Extends half of a spectrum to all n elements.
Array hermitian(const Array& x, int64_t n) {
  Arrays parts = real_ends(x, n);
  const int64_t inside = (n + 1) / 2;
  if (inside > 1) parts.push_back(conj(base::flip(last_sliced(x, 1, inside), x.ndim() - 1)));
  return join_parts(parts);
}

Arrays fft_expand(const ExpandArgs<Fft>& e) {
  const Fft& p = e.params;
  const Type t = fft_type_rule({e.x[0].type()}, p)[0];
  if (t.elements() == 0) return {base::zeros(t)};
  Array x = e.x[0];
  const int rank = x.ndim();
  const bool from_real = p.fft_type == FftType::rfft, to_real = p.fft_type == FftType::irfft;
  if (from_real) {
    x = dft_along(complex(x, base::zeros(x.type().strong())), rank - 1, false);
    x = join_parts(real_ends(last_sliced(x, 0, p.half()), p.last()));
  }
  for (int a = rank - p.axes(); a < rank - 1; ++a) x = dft_along(x, a, p.inverse());
  if (to_real) x = hermitian(x, p.last());
  if (!from_real) x = dft_along(x, rank - 1, p.inverse());
  return {to_real ? real(x) : x};
}

// ---- native code

int64_t transformed_elements(const Fft& p) {
  int64_t n = 1;
  for (int64_t k : p.fft_lengths) n *= k;
  return n;
}

NativeCall fft_call(const Use<Fft>& u) {
  const Fft& p = u.params;
  const Type& t = p.fft_type == FftType::rfft ? u.in[0] : u.out[0];
  native::FftShape shape;
  shape.kind = static_cast<native::FftKind>(p.fft_type);
  shape.parts = is_complex(t.dtype()) ? real_part(t.dtype()) : t.dtype();
  for (int a = 0; a < t.ndim() - p.axes(); ++a) shape.batch *= t.shape()[a];
  shape.lengths = p.fft_lengths;
  const auto made = native::make_fft(shape);
  NativeCall call;
  call.run = [made](const NativeArgs& args) { made->run(args); };
  call.workspace = [made] { return made->workspace(); };
  const int n = t.ndim();
  call.axis_map = axis_map_without(1, n, axis_range(n - p.axes(), n), false);
  return call;
}

// ---- by a GPU library

// The library may reject axes of one element.
bool device_applies(const Use<Fft>& u) {
  for (const int64_t n : u.params.fft_lengths)
    if (n < 2) return false;
  return u.in[0].elements() > 0 && u.out[0].elements() > 0;
}
NativeCall device_call(const Use<Fft>& u) {
  const Fft& p = u.params;
  constexpr cuda::Transform::Kind kinds[] = {
      cuda::Transform::Kind::forward, cuda::Transform::Kind::inverse,
      cuda::Transform::Kind::from_real, cuda::Transform::Kind::to_real};
  cuda::Transform t{kinds[static_cast<int>(p.fft_type)], real_part(u.in[0].dtype()), 1,
                    p.fft_lengths};
  const int n = u.in[0].ndim();
  for (int a = 0; a < n - p.axes(); ++a) t.batch *= u.in[0].shape()[a];
  NativeCall c = device_calls::fft(u.in[0], t);
  c.axis_map = axis_map_without(1, n, axis_range(n - p.axes(), n), false);
  return c;
}

std::vector<Implementation<Fft>> fft_implementations() {
  // Nanoseconds per transform among 20,000 (AVX-512, C64, two threads), in the lane and by native
  // code: 5 and 18 for 2 elements, 17 and 20 for 4, 25 and 20 for 5, 63 and 19 for 8, 480 and 19
  // for 32. The cost model below has its crossover at the measured one.
  constexpr int64_t largest_in_lane = 64;
  const Implementation<Fft> program{
      .name = std::string(expanded),
      .applies =
          [](const Use<Fft>& u) {
            return u.target.gpu || transformed_elements(u.params) <= largest_in_lane;
          },
      .cost =
          [](const Use<Fft>& u) {
            const auto n = static_cast<double>(transformed_elements(u.params));
            return 1.5 * n * std::sqrt(n);
          }};
  const Implementation<Fft> native_code{
      .name = "library",
      .applies = [](const Use<Fft>& u) { return !u.target.gpu; },
      .cost =
          [](const Use<Fft>& u) {
            const auto n = static_cast<double>(transformed_elements(u.params));
            const double smooth = native::fft_is_smooth(u.params.last()) ? 1 : 6;
            return 10 + 0.3 * smooth * n * std::log2(n + 1);
          },
      .make = fft_call};
  // The cost is not measured. A thread can hold transforms that a lane of the host can hold. For
  // larger ones the cost grows with the steps, where the program makes one product for each factor.
  const Implementation<Fft> device{
      .name = "cufft",
      .applies = device_applies,
      .cost =
          [](const Use<Fft>& u) {
            const auto n = static_cast<double>(transformed_elements(u.params));
            return n <= largest_in_lane ? 1e12 : 0.05 * n * std::log2(n);
          },
      .make = device_call,
      .library = "cuFFT"};
  return {program, native_code, device};
}

// ---- derivatives: a transform of the cotangent

// 1 where an element of a half spectrum occurs once, and 2 where its conjugate occurs, too. The row
// is broadcast.
Array multiplicity(const Type& t, int64_t n) {
  const int last = t.ndim() - 1;
  const Array k = iota(I32, t.shape(), last);
  const Type one(t.dtype(), t.shape());
  const int64_t inside = (n + 1) / 2;  // elements 1 … inside - 1 occur twice
  const Array two = mul(base::ones(one), like(base::ones(one), 2));
  const Array pairs = bitwise_and(gt(k, like(k, 0)), lt(k, like(k, static_cast<double>(inside))));
  return select(pairs, two, base::ones(one));
}

Arrays fft_transpose(const TransposeArgs<Fft>& t) {
  const Fft& p = t.params;
  const Array& ct = t.ct[0];
  if (t.out[0].elements() == 0 || t.in[0].elements() == 0) return {base::zeros(t.in[0].strong())};
  const auto all = static_cast<double>(transformed_elements(p));
  if (p.fft_type == FftType::rfft) {
    const Array halves = div(conj(ct), multiplicity(ct.type(), p.last()));
    const Array y = t.op(Arrays{halves}, Fft{FftType::irfft, p.fft_lengths});
    return {mul(y, like(y, all))};
  }
  if (p.fft_type == FftType::irfft) {
    const Array y = t.op(Arrays{ct}, Fft{FftType::rfft, p.fft_lengths});
    return {conj(mul(mul(y, like(y, 1 / all)), multiplicity(y.type(), p.last())))};
  }
  return {t.op(Arrays{ct}, p)};
}

// ---- samples

std::vector<Sample<Fft>> fft_samples() {
  std::vector<Sample<Fft>> s;
  const auto add = [&](DType d, const Shape& shape, FftType type, const Ints& lengths) {
    s.push_back({{Type(d, shape)}, {type, lengths}});
  };
  for (DType d : {C128, C64})
    for (FftType type : {FftType::fft, FftType::ifft}) {
      for (int64_t n : {1, 5, 6}) add(d, {2, n}, type, {n});
      add(d, {2, 3, 4}, type, {3, 4});
    }
  for (DType d : {F64, F32})
    for (int64_t n : {1, 4, 5}) add(d, {2, n}, FftType::rfft, {n});
  for (DType d : {C128, C64})
    for (int64_t n : {1, 4, 5}) add(d, {2, n / 2 + 1}, FftType::irfft, {n});
  add(F64, {2, 3, 4}, FftType::rfft, {2, 3, 4});
  add(C128, {2, 3, 3}, FftType::irfft, {2, 3, 4});
  add(C128, {0, 3}, FftType::fft, {3});
  add(C128, {2, 0}, FftType::ifft, {0});
  add(C128, {2, 1}, FftType::irfft, {0});
  // A square length, a prime length (by convolution), and real numbers by a square of half the
  // length.
  add(C128, {80}, FftType::fft, {80});
  add(C128, {67}, FftType::ifft, {67});
  add(F64, {160}, FftType::rfft, {160});
  return s;
}

std::vector<Reject<Fft>> fft_rejects() {
  const Type z(C64, {2, 4}), x(F32, {2, 4});
  return {{{x}, {FftType::fft, {4}}, "takes c64 and c128"},
          {{z}, {FftType::rfft, {4}}, "takes f32 and f64"},
          {{Type(I32, {4})}, {FftType::ifft, {4}}, "takes c64 and c128"},
          {{z}, {FftType::fft, {3}}, "needs 3 elements along axis 1"},
          {{z}, {FftType::irfft, {8}}, "needs 5 elements along axis 1"},
          {{z}, {FftType::fft, {}}, "takes 1 to 3 lengths, got 0"},
          {{z}, {FftType::fft, {1, 2, 4}}, "needs an axis for each of the 3 lengths"},
          {{z}, {FftType::fft, {-4}}, "takes no length of -4"},
          {{Type(F32, {0})}, {FftType::rfft, {0}}, "needs at least one element"},
          {{z}, {static_cast<FftType>(9), {4}}, "has the types 0 to 3"}};
}

const Primitive<Fft>& fft_op = define<Fft>({
    .name = "fft",
    .doc = "Computes discrete Fourier transforms of the last one to three axes. `fft_type` selects "
           "fft, ifft, rfft (of real numbers) or irfft (back to real numbers).",
    .type = fft_type_rule,
    .reference = fft_reference,
    .jvp =
        [](const JvpArgs<Fft>& j) {
          return Arrays{j.dx[0].empty_handle() ? Array() : j.op(Arrays{j.dx[0]}, j.params)};
        },
    .transpose = fft_transpose,
    .batch = batch_in_front<Fft>,
    .expand = fft_expand,
    .implementations = fft_implementations,
    // The transform of one element is the element. A product with 1 would make another NaN.
    .simplify =
        [](const SimplifyArgs<Fft>& s) {
          const bool complex =
              s.params.fft_type == FftType::fft || s.params.fft_type == FftType::ifft;
          return complex && transformed_elements(s.params) == 1 ? Arrays{s.x[0]} : Arrays();
        },
    .tolerance = 64,
    .samples = fft_samples,
    .rejects = fft_rejects,
});

// For at least this many real numbers, half of the spectrum is computed and the other half copied
// from it.
constexpr int64_t worth_halving = 64;

Array spectrum_of_real(const Array& x, bool inverse, int64_t n) {
  const int last = x.ndim() - 1;
  const Array half = fft_op({x}, {FftType::rfft, {n}});
  const Array whole =
      base::concatenate({half, conj(base::flip(last_sliced(half, 1, (n + 1) / 2), last))}, last);
  return inverse ? mul(conj(whole), like(whole, 1 / static_cast<double>(n))) : whole;
}

}  // namespace

namespace lax {
Array fft(const Arg& x, FftType fft_type, const std::vector<int64_t>& fft_lengths) {
  const SourceScope s(x.at());
  const DType d = to_inexact(x->dtype());
  if (fft_type == FftType::rfft && is_complex(d))
    throw DTypeError(
        fmt::format("fft: of type rfft takes real numbers, got {}", to_string(x->type())));
  const bool real_numbers = !is_complex(d);
  const bool narrow = real_numbers && d != F64 && fft_type != FftType::rfft;
  const DType part = narrow ? F32 : d;
  const Array y = base::convert(x, part);
  if (fft_lengths.empty()) {
    if (!real_numbers || fft_type == FftType::rfft) return y;
    return base::convert(y, part == F64 ? C128 : C64);
  }
  if (!real_numbers || fft_type == FftType::rfft) return fft_op({y}, {fft_type, fft_lengths});
  const bool one = fft_lengths.size() == 1 && fft_type != FftType::irfft && y.ndim() > 0;
  if (one && fft_lengths[0] >= worth_halving && y.shape()[y.ndim() - 1] == fft_lengths[0])
    return spectrum_of_real(y, fft_type == FftType::ifft, fft_lengths[0]);
  return fft_op({base::convert(y, part == F64 ? C128 : C64)}, {fft_type, fft_lengths});
}
}  // namespace lax

}  // namespace weft
