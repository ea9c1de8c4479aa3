// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/float_state.h: the floating-point environment that programs run in, independent of the
// caller's settings.
#pragma once
#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace weft {

// While it exists, this thread rounds to nearest, keeps subnormals and traps no exceptions. The
// destructor restores the caller's state, including the flags.
class FloatState {
 public:
  FloatState() : before_(read()) {
    if ((before_ & ~flags) != standard) write(standard);
  }
  ~FloatState() {
    if (read() != before_) write(before_);  // reading is several times as fast as writing
  }
  FloatState(const FloatState&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr uint64_t standard = 0x1f80, flags = 0x3f;
  static uint64_t read() { return _mm_getcsr(); }
  static void write(uint64_t v) { _mm_setcsr(static_cast<unsigned>(v)); }
#elif defined(__aarch64__)
  // The control register is in the lower half, the flags are in the upper half.
  static constexpr uint64_t standard = 0, flags = ~uint64_t{0} << 32;
  static uint64_t read() {
    uint64_t control, status;
    asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(status));
    return (control & 0xffffffff) | status << 32;
  }
  static void write(uint64_t v) {
    asm volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(v & 0xffffffff), "r"(v >> 32) : "memory");
  }
#else
#error "weft: this processor's floating-point state is not known"
#endif
  uint64_t before_;
};

}  // namespace weft
