// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/safetensors.h: reads and writes the headers of .safetensors files. Every field that is
// read is checked.
//
// A file starts with 8 bytes, the length of the header in little-endian order. The header follows:
// a JSON object with an entry for each array and the texts of "__metadata__". The arrays' bytes
// follow the header, row-major and little-endian, without gaps or overlaps.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "weft/dtype.h"
#include "weft/shape.h"

namespace weft {

struct SafetensorsEntry {
  DType dtype = F32;
  Shape shape;
  uint64_t begin = 0, end = 0;  // byte offsets after the header
};
struct SafetensorsHeader {
  std::map<std::string, SafetensorsEntry> arrays;
  std::map<std::string, std::string> metadata;
};

inline constexpr uint64_t safetensors_prefix = 8;
// the limit of the reference reader
inline constexpr uint64_t safetensors_longest_header = 100'000'000;

// Returns the length of the header of a file of `file_bytes` bytes, from its first 8 bytes. Raises
// FormatError if the file is too short for it, or if it exceeds 100 MB.
uint64_t safetensors_header_length(std::string_view prefix, uint64_t file_bytes,
                                   const std::string& name);
// Parses a header that is followed by `data_bytes` bytes. Raises FormatError, with the name of the
// file, the place and the reason, for any deviation from the format above. Element types that Weft
// does not have raise it too.
SafetensorsHeader parse_safetensors_header(std::string_view header, uint64_t data_bytes,
                                           const std::string& name);
// Assigns offsets to arrays of these types and shapes, in the order of the reference writer: wide
// elements first, then by name. Raises DTypeError for C128 and Key, which the format does not have.
void place_safetensors(std::map<std::string, SafetensorsEntry>* arrays);
// Returns the bytes before the arrays: the length and the header, padded with spaces to a multiple
// of 8.
std::string format_safetensors_header(const SafetensorsHeader& h);

}  // namespace weft
