// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/transpose.h: blocks of memory turned round, rows to columns; called by kernels
// (jit/emit/emit_rows.cpp).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace weft::compiler {

// Copies as many rows as there are lanes, each of as many elements, turned round: element c of row
// r goes to element r of row c. Row r begins starts[r] bytes behind `to` and `from`, anywhere; the
// last rows are written first, so that of rows that begin at one place the first one stays. A side
// whose row 0 does not begin at 0 has no rows: nothing is done. What is aligned to whole cache
// lines goes past the caches if asked to.
using TurnFn = void (*)(char* to, const int64_t* to_starts, const char* from,
                        const int64_t* from_starts, int32_t non_temporal);

struct Transpose {
  std::string name;  // by which kernels call it
  TurnFn run;
};
inline constexpr const char* transpose_prefix = "weft_transpose_";
std::string transpose_name(int64_t element_bytes, int lanes);
// All there are: 4, 8 and 16 lanes of elements of 1, 2, 4 and 8 bytes, up to 64 bytes together.
std::vector<Transpose> transposes();

// Small records, one behind the other, to vectors of the first elements of each, of the second
// elements, ... and back (jit/emit/emit_record.cpp).
// `elements` of memory are read or written, from the first record's first one on: fewer than a
// record for each lane has where lanes do not run, or do not want the last ones. The vectors are
// whole, what belongs to no element of memory is anything.
using RecordFn = void (*)(char* to, const char* from, int64_t elements);

struct RecordCall {
  std::string name;  // by which kernels call it
  RecordFn run;
};
inline constexpr const char* record_prefix = "weft_record_";
std::string record_name(bool stores, int64_t element_bytes, int lanes, int64_t elements);
// Of 2 to longest_record elements of 4 or 8 bytes, in 4, 8 and 16 lanes, up to 64 bytes together.
inline constexpr int longest_record = 16;
std::vector<RecordCall> record_calls();

}  // namespace weft::compiler
