// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/fuzz/safetensors.cpp: any bytes are a safetensors file or a FormatError. The arrays fill
// the bytes of the file, and its header is the same after being written and read.
#include "interop/safetensors.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "weft/error.h"

using namespace weft;

namespace {

void check(bool holds) {
  if (!holds) __builtin_trap();
}
void check_same(const SafetensorsHeader& a, const SafetensorsHeader& b) {
  check(a.metadata == b.metadata && a.arrays.size() == b.arrays.size());
  for (const auto& [name, e] : a.arrays) {
    const auto it = b.arrays.find(name);
    check(it != b.arrays.end() && it->second.dtype == e.dtype && it->second.shape == e.shape);
    check(it->second.begin == e.begin && it->second.end == e.end);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  try {
    const uint64_t length =
        safetensors_header_length(file.substr(0, safetensors_prefix), size, "input");
    const uint64_t bytes = size - safetensors_prefix - length;
    SafetensorsHeader h =
        parse_safetensors_header(file.substr(safetensors_prefix, length), bytes, "input");
    uint64_t held = 0;
    for (const auto& [name, e] : h.arrays) {
      check(e.begin <= e.end && e.end <= bytes);
      check(e.end - e.begin == static_cast<uint64_t>(e.shape.elements()) *
                                   static_cast<uint64_t>(ir::itemsize(e.dtype)));
      held += e.end - e.begin;
    }
    check(held == bytes);
    const std::string again = format_safetensors_header(h);
    check_same(h, parse_safetensors_header(std::string_view(again).substr(safetensors_prefix),
                                           bytes, "again"));
    place_safetensors(&h.arrays);
    const std::string placed = format_safetensors_header(h);
    check_same(h, parse_safetensors_header(std::string_view(placed).substr(safetensors_prefix),
                                           bytes, "placed"));
  } catch (const FormatError&) {
  }
  return 0;
}
