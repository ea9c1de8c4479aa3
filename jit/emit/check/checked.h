// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/check/checked.h: the interface between the host and kernels that test every access
// (TargetInfo::checked).
#pragma once
#include <cstdint>

namespace weft::compiler {

// The state of one call of such a kernel. Its address follows the extents.
struct Checked {
  const int64_t* bytes = nullptr;  // by buffer
  // The grid point of the first element; the last axis is -1 where elements are arbitrary points.
  int64_t point[2] = {0, 0};
  // The first invalid access, at which the kernel ends.
  bool failed = false;
  int32_t buffer = 0;                              // -1: a local array
  int64_t offset = 0, size = 0, memory_bytes = 0;  // in bytes
  int64_t element = 0;                             // of the vector
};

// Kernels call it before an access to `memory_bytes` bytes of memory at `base`. It returns true if
// the access is invalid and must not be made. Each active element l of `elements` accesses `size`
// bytes, at at[l], or at at[0] + l * size if `in_a_row`.
extern "C" int32_t weft_check_access(Checked* c, int32_t buffer, const char* base,
                                     int64_t memory_bytes, const char* const* at, uint64_t active,
                                     int32_t elements, int64_t size, int32_t in_a_row);
// The same before a call that moves `elements` rows of `size` bytes, which begin at at + starts[l].
// If row 0 does not begin at 0, no row is moved (runtime/native/transpose.h).
extern "C" int32_t weft_check_rows(Checked* c, int32_t buffer, const char* base,
                                   int64_t memory_bytes, const char* at, const int64_t* starts,
                                   int32_t elements, int64_t size);

}  // namespace weft::compiler
