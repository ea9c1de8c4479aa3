// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/check/checked.cpp: the tests that checked kernels call.
#include "jit/emit/check/checked.h"

namespace weft::compiler {

namespace {
bool report_if_outside(Checked* c, int32_t buffer, const char* base, int64_t memory_bytes,
                       const char* at, int64_t size, int64_t element) {
  const int64_t offset = reinterpret_cast<intptr_t>(at) - reinterpret_cast<intptr_t>(base);
  if (offset >= 0 && size <= memory_bytes && offset <= memory_bytes - size) return false;
  if (!c->failed) {
    c->failed = true;
    c->buffer = buffer;
    c->offset = offset;
    c->size = size;
    c->memory_bytes = memory_bytes;
    c->element = element;
  }
  return true;
}
}  // namespace

extern "C" int32_t weft_check_access(Checked* c, int32_t buffer, const char* base,
                                     int64_t memory_bytes, const char* const* at, uint64_t active,
                                     int32_t elements, int64_t size, int32_t in_a_row) {
  bool bad = false;
  for (int32_t l = 0; l < elements; ++l)
    if (active >> l & 1)
      bad = report_if_outside(c, buffer, base, memory_bytes, in_a_row ? at[0] + l * size : at[l],
                              size, l) ||
            bad;
  return bad;
}

extern "C" int32_t weft_check_rows(Checked* c, int32_t buffer, const char* base,
                                   int64_t memory_bytes, const char* at, const int64_t* starts,
                                   int32_t elements, int64_t size) {
  if (starts[0] != 0) return false;
  bool bad = false;
  for (int32_t l = 0; l < elements; ++l)
    bad = report_if_outside(c, buffer, base, memory_bytes, at + starts[l], size, l) || bad;
  return bad;
}

}  // namespace weft::compiler
