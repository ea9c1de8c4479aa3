// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/checked.h: what kernels that test every access (TargetInfo::checked) are told, and tell.
#pragma once
#include <cstdint>

namespace weft::compiler {

// Of one call of a kernel, which finds its address behind its extents.
struct Checked {
  const int64_t* bytes = nullptr;  // of each buffer
  // The grid point of the first lane; the last axis is -1 where lanes are points of any order.
  int64_t point[2] = {0, 0};
  // The first access that was none, after which the kernel has ended.
  bool failed = false;
  int32_t buffer = 0;                                // -1: an array of the lanes
  int64_t offset = 0, size = 0, room = 0, lane = 0;  // bytes; lane of the vector
};

// Called by such kernels in front of an access to memory of `room` bytes at `base`; true if it must
// not be made. Lane l of `lanes` accesses `size` bytes if it is active: at at[l], or, `in_a_row`,
// at at[0] + l * size.
extern "C" int32_t weft_check_access(Checked* c, int32_t buffer, const char* base, int64_t room,
                                     const char* const* at, uint64_t active, int32_t lanes,
                                     int64_t size, int32_t in_a_row);
// The same in front of a call that moves `lanes` rows of `size` bytes, which begin at
// at + starts[l]; none if row 0 does not begin at 0 (runtime/native/transpose.h).
extern "C" int32_t weft_check_rows(Checked* c, int32_t buffer, const char* base, int64_t room,
                                   const char* at, const int64_t* starts, int32_t lanes,
                                   int64_t size);

}  // namespace weft::compiler
