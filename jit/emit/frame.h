// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/frame.h: how much memory a kernel needs besides its buffers, and where it is.
#pragma once
#include <cstdint>

namespace weft::compiler {

// Local arrays are in the frame up to arrays_in_frame. It is a page less than half of the
// smallest stack that a C library commonly gives to threads (128 KB, musl). Larger arrays are in
// scratch memory of the call, up to arrays_in_scratch. Anything larger is refused.
inline constexpr int64_t arrays_in_frame = 48 << 10, arrays_in_scratch = 64 << 20;
// A whole frame also holds spilled registers. Up to frame_on_any_stack it is on the caller's stack.
// A larger frame is there too if the stack has that much left, else it has a separate stack. Below
// the frame, below_frame bytes are left for functions that kernels call.
inline constexpr int64_t frame_on_any_stack = 16 << 10, below_frame = 32 << 10;
// A thread of a GPU has at most 512 KB of local memory (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability"). Half of it is left for spilled registers.
inline constexpr int64_t arrays_of_thread = 256 << 10;

}  // namespace weft::compiler
