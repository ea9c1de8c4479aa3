// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/transpose.h: transposes blocks of memory; called by kernels
// (jit/emit/cpu/rows.cpp).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace weft::compiler {

// Transposes a square block of `vector_width` rows: element c of row r is copied to element r of
// row c. Row r begins starts[r] bytes after `to` or `from`, at any address. The last rows are
// written first: if several rows begin at the same place, the first one remains. Nothing is done if
// row 0 of a side does not begin at 0, because that side has no rows. `how` is a sum of
// members of TurnHow: whole aligned cache lines are written with non-temporal stores, or later
// calls do not continue along the rows that are read.
using TurnFn = void (*)(char* to, const int64_t* to_starts, const char* from,
                        const int64_t* from_starts, int32_t how);
struct TurnHow {
  static constexpr int32_t non_temporal = 1, without_prefetch = 2;
};

struct Transpose {
  std::string name;  // the name that kernels call
  TurnFn run;
};
inline constexpr const char* transpose_prefix = "weft_transpose_";
std::string transpose_name(int64_t element_bytes, int vector_width);
// All transposes: 4, 8 and 16 rows of elements of 1, 2, 4 and 8 bytes, up to widest_transpose bytes
// per row.
inline constexpr int64_t widest_transpose = 64;
std::vector<Transpose> transposes();

// Converts contiguous records of `size` elements to one vector for each element of the record, and
// back (jit/emit/cpu/records.cpp). `elements` array elements are read or written, from the start of
// the first record. There are fewer than the vectors hold if some elements do not run or do not
// need their last elements. Vectors are always whole; elements without a place in memory have
// arbitrary values. If `non_temporal`, records of all elements are written with non-temporal stores
// where they begin at an aligned vector.
using RecordFn = void (*)(char* to, const char* from, int64_t elements, int64_t size,
                          int32_t non_temporal);

struct RecordCall {
  std::string name;  // the name that kernels call
  RecordFn run;
};
inline constexpr const char* record_prefix = "weft_record_";
// Records of 4 or 8 bytes, in vectors of 4, 8 and 16 elements, up to 64 bytes per vector. Each size
// from 2 to short_record has its own function. One function moves all sizes from there to
// longest_record.
inline constexpr int short_record = 24, longest_record = 256;
std::string record_name(bool stores, int64_t element_bytes, int vector_width, int64_t size);
std::vector<RecordCall> record_calls();

}  // namespace weft::compiler
