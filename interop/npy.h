// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/npy.h: NumPy's files, .npy and .npz, read with every field checked.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "weft/core/dtype.h"
#include "weft/core/shape.h"

namespace weft {

// An array as it lies in memory: row-major, in this machine's byte order, bools 0 or 1.
struct NpyData {
  DType dtype = F32;
  Shape shape;
  std::vector<std::byte> bytes;
};

// Versions 1.0 to 3.0, C and Fortran order, both byte orders. Whatever else is in the file raises
// FormatError with its name and the reason: other element types (objects, strings, structures,
// bfloat16, which the format has no name for), headers that make no sense, missing data. As in
// NumPy, what follows the array is ignored.
NpyData parse_npy(std::span<const std::byte> file, const std::string& name = "npy data");
NpyData parse_npy(std::vector<std::byte>&& file,
                  const std::string& name = "npy data");  // keeps the buffer
NpyData read_npy(const std::string& path);

// The bytes that numpy.save writes. DTypeError for BF16 and Key, which the format does not have.
std::vector<std::byte> format_npy(DType dtype, const Shape& shape, const void* data);
void write_npy(const std::string& path, DType dtype, const Shape& shape, const void* data);

// The arrays of an .npz by name, without ".npy". Also raises FormatError for entries that are no
// arrays, that have the same name, that unpack to another size than the archive declares, and if
// all of them together are larger than max_bytes.
std::map<std::string, NpyData> read_npz(const std::string& path,
                                        uint64_t max_bytes = uint64_t{1} << 38);
// As numpy.savez, or numpy.savez_compressed. The file appears when it is complete.
void write_npz(const std::string& path, const std::map<std::string, NpyData>& arrays,
               bool compress = false);

}  // namespace weft
