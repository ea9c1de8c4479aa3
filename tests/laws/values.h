// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/values.h: draws random arrays and compares arrays.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/op.h"
#include "ops/kit/sample_numbers.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"

namespace weft::laws {

using Random = SampleNumbers;

template <class T>
inline constexpr bool floats = is_floating(dtype_of_v<T>);

template <class T>
T draw(Random& r, double lo, double hi, bool special) {
  using Lim = std::numeric_limits<float>;
  if constexpr (is_complex(dtype_of_v<T>)) {
    using R = decltype(T{}.re);
    return {draw<R>(r, lo, hi, special), draw<R>(r, lo, hi, special)};
  } else if constexpr (floats<T>) {
    if (special && r.word() % 2) {
      const float values[] = {0.0f,
                              -0.0f,
                              1.0f,
                              -1.0f,
                              0.5f,
                              2.5f,
                              -3.5f,
                              Lim::infinity(),
                              -Lim::infinity(),
                              Lim::quiet_NaN(),
                              Lim::min(),
                              Lim::denorm_min(),
                              Lim::max(),
                              -Lim::max(),
                              1e10f,
                              -1e-10f,
                              88.7f,
                              -104.0f,
                              3.14159265f};
      return T(values[r.word() % std::size(values)]);
    }
    if (special && r.word() % 4 == 0) {
      T x;
      uint64_t w = r.word();
      // Kernels compute with f16 as float, and processors make signaling NaNs quiet in the
      // conversion.
      if constexpr (std::is_same_v<T, float16_t>) w |= (w & 0x7c00u) == 0x7c00u ? 0x200u : 0u;
      std::memcpy(static_cast<void*>(&x), &w, sizeof x);
      return x;
    }
    return T(static_cast<float>(r.uniform(lo, hi)));
  } else if constexpr (std::is_same_v<T, bool>) {
    return r.word() % 2;
  } else {
    if (special && r.word() % 2) return static_cast<T>(r.word());
    using L = std::numeric_limits<T>;
    if (special && r.word() % 4 == 0) return r.word() % 2 ? L::min() : L::max();
    const double a = std::max(lo, static_cast<double>(L::min())),
                 b = std::min(hi, static_cast<double>(L::max()));
    return static_cast<T>(std::floor(r.uniform(a, b + 1)));
  }
}
inline Array random_array(const Type& t, double lo, double hi, Random& r, bool special = false) {
  Fresh f = fresh_array(t);
  const int64_t n = t.elements();
  if (is_key(t.dtype())) {
    for (int64_t i = 0; i < n; ++i) static_cast<uint64_t*>(f.data)[i] = r.word();
    return f.array;
  }
  with_dtype(t.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_same_v<T, double>)
        static_cast<T*>(f.data)[i] = special ? draw<T>(r, lo, hi, true) : r.uniform(lo, hi);
      else
        static_cast<T*>(f.data)[i] = draw<T>(r, lo, hi, special);
    }
  });
  return f.array;
}
inline Arrays random_arrays(const Types& in, double lo, double hi, Random& r,
                            bool special = false) {
  Arrays x;
  for (const Type& t : in) x.push_back(random_array(t, lo, hi, r, special));
  return x;
}

// Returns real numbers. A complex number becomes two.
inline std::vector<double> numbers(const Array& a) {
  std::vector<double> out;
  if (is_complex(a.dtype())) {
    for (const complex128_t& z : a.to_vector<complex128_t>()) out.insert(out.end(), {z.re, z.im});
    return out;
  }
  return a.to_vector<double>();
}

// Compares to the bit, except that any NaN equals any other. Returns the first difference.
inline std::string difference(const Array& a, const Array& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype())
    return fmt::format("{} against {}", to_string(a.type()), to_string(b.type()));
  if (a.size() == 0) return {};
  const auto size = static_cast<size_t>(itemsize(a.dtype()));
  const auto* p = static_cast<const std::byte*>(concrete(a).data());
  const auto* q = static_cast<const std::byte*>(concrete(b).data());
  const std::vector<double> x = is_inexact(a.dtype()) ? numbers(a) : std::vector<double>{},
                            y = is_inexact(a.dtype()) ? numbers(b) : x;
  const size_t parts = is_complex(a.dtype()) ? 2 : 1, step = size / parts;
  for (size_t i = 0; i < static_cast<size_t>(a.size()) * parts; ++i) {
    if (std::memcmp(p + i * step, q + i * step, step) == 0) continue;
    if (!x.empty() && std::isnan(x[i]) && std::isnan(y[i])) continue;
    return x.empty() ? fmt::format("element {}", i)
                     : fmt::format("element {}: {:.17g} against {:.17g}", i, x[i], y[i]);
  }
  return {};
}

// Returns the first difference that is larger than another order of sums can explain, or "".
inline std::string far_apart(const Array& a, const Array& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return difference(a, b);
  const std::vector<double> x = numbers(a), y = numbers(b);
  for (size_t i = 0; i < x.size(); ++i)
    if (!(std::fabs(x[i] - y[i]) <= 1e-10 * (1 + std::fabs(y[i])) ||
          (std::isnan(x[i]) && std::isnan(y[i])) || x[i] == y[i]))
      return fmt::format("element {}: {:.17g} against {:.17g}", i, x[i], y[i]);
  return {};
}

// Returns row `i` of x along an axis.
inline Array lane(const Array& x, int axis, int64_t i) {
  return base::reshape(base::slice_axis(x, axis, i, i + 1), x.shape().erased(axis));
}

// Returns a + h*b in a's dtype.
inline Array moved(const Array& a, double h, const Array& b) {
  if (b.empty_handle()) return a;
  std::vector<double> x = numbers(a);
  const std::vector<double> y = numbers(b);
  for (size_t i = 0; i < x.size(); ++i) x[i] += h * y[i];
  const Array sum = array_of_bytes(Type(is_complex(a.dtype()) ? C128 : F64, a.shape()), x.data());
  Fresh f = fresh_array(a.type());
  detail::convert_elements(sum, f.data, a.dtype());
  return f.array;
}

// Returns the real part of the sum of products. Cotangents pair without conjugation.
inline double pairing(const Arrays& a, const Arrays& b, double* magnitude) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    if (a[k].empty_handle() || !is_inexact(a[k].dtype()) || a[k].size() == 0) continue;
    const std::vector<double> x = numbers(a[k]), y = numbers(b[k]);
    const bool z = is_complex(a[k].dtype());
    for (size_t i = 0; i < x.size(); ++i) {
      const double term = x[i] * y[i] * (z && i % 2 ? -1 : 1);
      sum += term;
      *magnitude += std::fabs(term);
    }
  }
  return sum;
}

}  // namespace weft::laws
