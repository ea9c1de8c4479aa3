// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/safetensors.h: the headers of .safetensors files, read with every field checked.
//
// A file is 8 bytes, the length of the header, little end first; the header, a JSON object with an
// entry for each array and the texts of "__metadata__"; then the arrays' bytes, row-major, without
// gaps or overlaps, little end first.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "weft/core/dtype.h"
#include "weft/core/shape.h"

namespace weft {

struct SafetensorsEntry {
  DType dtype = F32;
  Shape shape;
  uint64_t begin = 0, end = 0;  // in the bytes after the header
};
struct SafetensorsHeader {
  std::map<std::string, SafetensorsEntry> arrays;
  std::map<std::string, std::string> metadata;
};

inline constexpr uint64_t safetensors_prefix = 8;
inline constexpr uint64_t safetensors_longest_header = 100'000'000;  // as the reference reader

// The length of the header of a file of so many bytes, from its first 8. FormatError for one that
// the file cannot have, or that is longer than 100 MB.
uint64_t safetensors_header_length(std::string_view prefix, uint64_t file_bytes,
                                   const std::string& name);
// The header, which so many bytes follow. FormatError, with the name of the file, the place and the
// reason, for all that is not as described above, and for element types that Weft has not.
SafetensorsHeader parse_safetensors_header(std::string_view header, uint64_t data_bytes,
                                           const std::string& name);
// Where arrays of these types and shapes lie, as the reference writer places them: wide elements
// first, then by name. DTypeError for C128 and Key, which the format has not.
void place_safetensors(std::map<std::string, SafetensorsEntry>* arrays);
// The bytes before the arrays: the length, and the header, with spaces up to a multiple of 8.
std::string format_safetensors_header(const SafetensorsHeader& h);

}  // namespace weft
