// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/rare.cpp: the rare paths over plain numbers, built for processors with FMA besides.
// The arithmetic is exactly defined, so the bits are the same.
#include "weft/core/loops/rare.h"

#include <array>

#include "weft/core/scalar/math.h"

namespace weft {
namespace {

template <math::detail::Unit unit, class T>
[[gnu::always_inline]] inline void angles(const void* in, void* out, int64_t lanes) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  for (int64_t l = 0; l < lanes; ++l) {
    const auto r = math::detail::HardAngle<unit>::run(x[l]);
    for (size_t i = 0; i < r.size(); ++i) y[static_cast<int64_t>(i) * lanes + l] = r[i];
  }
}

template <math::detail::Unit unit, class T>
[[gnu::flatten]] void plain(const void* in, void* out, int64_t lanes) {
  angles<unit, T>(in, out, lanes);
}

// What the table is made of: the function that suits the processor.
template <math::detail::Unit unit, class T>
RareFn chosen();

#if defined(__x86_64__) && defined(__GNUC__)
template <math::detail::Unit unit, class T>
[[gnu::flatten, gnu::target("avx2,fma")]] void v3(const void* in, void* out, int64_t lanes) {
  angles<unit, T>(in, out, lanes);
}
template <math::detail::Unit unit, class T>
RareFn chosen() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? v3<unit, T>
                                                                         : plain<unit, T>;
}
#else
template <math::detail::Unit unit, class T>
RareFn chosen() {
  return plain<unit, T>;
}
#endif

}  // namespace

const RareFunction* rare_functions() {
  using math::detail::Unit;
  static const std::array<RareFunction, rare_count> all{{
      {"weft_angle_pi_f32", chosen<Unit::pi, float>()},
      {"weft_angle_pi_f64", chosen<Unit::pi, double>()},
      {"weft_angle_pi_less_half_f32", chosen<Unit::pi_less_half, float>()},
      {"weft_angle_pi_less_half_f64", chosen<Unit::pi_less_half, double>()},
      {"weft_angle_half_pi_f32", chosen<Unit::half_pi, float>()},
      {"weft_angle_half_pi_f64", chosen<Unit::half_pi, double>()},
  }};
  return all.data();
}

}  // namespace weft
