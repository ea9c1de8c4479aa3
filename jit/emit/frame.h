// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/frame.h: how much memory a kernel takes besides its buffers, and where.
#pragma once
#include <cstdint>

namespace weft::compiler {

// Arrays of the lanes lie in the frame up to here: a page less than half of the smallest stack that
// threads of a C library commonly have (128 KB, musl). What is more lies in scratch memory of the
// call, and what is more than that is refused.
inline constexpr int64_t arrays_in_frame = 48 << 10, arrays_in_scratch = 64 << 20;
// A whole frame, which holds besides what registers have no room for, is on the caller's stack up
// to here, and beyond where as much is left; else on a stack of its own. Below it there is so much
// for what kernels call.
inline constexpr int64_t frame_on_any_stack = 16 << 10, below_frame = 32 << 10;
// A thread of a GPU has at most 512 KB of memory of its own (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability"); half is left to registers that spill.
inline constexpr int64_t arrays_of_thread = 256 << 10;

}  // namespace weft::compiler
