// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/cold_path.h: long paths of elementary functions that few arguments take. Kernels
// contain no code for them. They call functions of the library (runtime/native/cold_paths.h). These
// are compiled from the same templates (core/scalar/math) and so give the same bits. See
// docs/decisions/0003.
#pragma once
#include <cstddef>
#include <cstdint>

namespace weft {

// Angles too large for the short reduction (core/scalar/math/trig.h), by unit and number type.
enum class ColdPathId : int64_t {
  none,
  angle_pi_f32,
  angle_pi_f64,
  angle_pi_less_half_f32,
  angle_pi_less_half_f64,
  angle_half_pi_f32,
  angle_half_pi_f64,
};
inline constexpr size_t cold_path_count = static_cast<size_t>(ColdPathId::angle_half_pi_f64);
}  // namespace weft
