// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/npy.h: reads and writes NumPy's .npy and .npz files. Every field that is read is checked.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "weft/dtype.h"
#include "weft/shape.h"

namespace weft {

// The memory of an array: row-major, in this machine's byte order, with bools 0 or 1.
struct NpyData {
  DType dtype = F32;
  Shape shape;
  std::vector<std::byte> bytes;
};

// Reads versions 1.0 to 3.0, C and Fortran order, and both byte orders. Raises FormatError, with
// the file's name and the reason, for anything else. Examples are malformed headers, missing data
// and other element types: objects, strings, structures, and bfloat16, for which the format has no
// name. As in NumPy, bytes after the array are ignored.
NpyData parse_npy(std::span<const std::byte> file, const std::string& name = "npy data");
NpyData parse_npy(std::vector<std::byte>&& file,
                  const std::string& name = "npy data");  // reuses the buffer
NpyData read_npy(const std::string& path);

// Returns the bytes that numpy.save writes. Raises DTypeError for BF16 and Key, which the format
// does not have.
std::vector<std::byte> format_npy(DType dtype, const Shape& shape, const void* data);
void write_npy(const std::string& path, DType dtype, const Shape& shape, const void* data);

// Returns the arrays of an .npz by name, without ".npy". Also raises FormatError for entries that
// do not contain arrays, for duplicate names, and for an unpacked size that differs from the
// declared one. The same holds if all arrays together are larger than max_bytes.
std::map<std::string, NpyData> read_npz(const std::string& path,
                                        uint64_t max_bytes = uint64_t{1} << 38);
// Writes as numpy.savez does, or as numpy.savez_compressed does if `compress`. The file appears
// only when it is complete.
void write_npz(const std::string& path, const std::map<std::string, NpyData>& arrays,
               bool compress = false);

}  // namespace weft
