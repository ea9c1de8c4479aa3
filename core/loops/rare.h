// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/rare.h: paths of elementary functions that arguments hardly ever take and that are
// long. Kernels hold no code for them: they call these functions of the library, which are made of
// the same templates (core/scalar/math) and so give the same bits. See docs/decisions/0003-rare-paths.md.
#pragma once
#include <cstddef>
#include <cstdint>

namespace weft {

// Angles too large for the short reduction (core/scalar/math/trig.h), by unit and type of number.
enum class Rare : int64_t {
  none,
  angle_pi_f32,
  angle_pi_f64,
  angle_pi_less_half_f32,
  angle_pi_less_half_f64,
  angle_half_pi_f32,
  angle_half_pi_f64,
};

// Of `lanes` numbers at `in`; result r of lane l is out[r * lanes + l], of the same type.
using RareFn = void (*)(const void* in, void* out, int64_t lanes);
struct RareFunction {
  const char* name;  // of the symbol that kernels refer to
  RareFn run;
};
inline constexpr size_t rare_count = static_cast<size_t>(Rare::angle_half_pi_f64);
// rare_count of them, that of Rare(1) first; chosen for the processor at the first call.
const RareFunction* rare_functions();

}  // namespace weft
