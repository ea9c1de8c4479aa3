// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/cold_paths.cpp: the cold paths as scalar functions, also built for processors with
// FMA. The arithmetic is exactly defined, so every build returns the same bits.
#include "runtime/native/cold_paths.h"

#include "core/scalar/math.h"
#include "runtime/native/cpu.h"

namespace weft::native {
namespace {

using math::detail::Unit;

template <Unit unit, class T>
[[gnu::always_inline]] inline void angles(const void* in, void* out, int64_t count) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  for (int64_t l = 0; l < count; ++l) {
    const auto r = math::detail::HardAngle<unit>::run(x[l]);
    for (size_t i = 0; i < r.size(); ++i) y[static_cast<int64_t>(i) * count + l] = r[i];
  }
}

template <Unit unit, class T>
[[gnu::flatten]] void plain(const void* in, void* out, int64_t count) {
  angles<unit, T>(in, out, count);
}
template <Unit unit, class T>
[[gnu::flatten]] WEFT_FOR_V3 void v3(const void* in, void* out, int64_t count) {
  angles<unit, T>(in, out, count);
}
template <Unit unit, class T>
ColdPathFn angles_for_cpu() {
  return for_cpu<ColdPathFn>(plain<unit, T>, v3<unit, T>, v3<unit, T>);
}

}  // namespace

const std::array<ColdPath, cold_path_count>& cold_paths() {
  static const std::array<ColdPath, cold_path_count> all{{
      {"weft_angle_pi_f32", angles_for_cpu<Unit::pi, float>()},
      {"weft_angle_pi_f64", angles_for_cpu<Unit::pi, double>()},
      {"weft_angle_pi_less_half_f32", angles_for_cpu<Unit::pi_less_half, float>()},
      {"weft_angle_pi_less_half_f64", angles_for_cpu<Unit::pi_less_half, double>()},
      {"weft_angle_half_pi_f32", angles_for_cpu<Unit::half_pi, float>()},
      {"weft_angle_half_pi_f64", angles_for_cpu<Unit::half_pi, double>()},
  }};
  return all;
}

}  // namespace weft::native
