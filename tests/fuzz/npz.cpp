// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/fuzz/npz.cpp: any bytes are an npy file, an npz archive or a FormatError. The arrays have
// the bytes that their shapes need, and they are the same after being written and read.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "interop/npy.h"
#include "weft/error.h"

using namespace weft;

namespace {

constexpr uint64_t max_bytes = uint64_t{1} << 26;  // of an archive's arrays

void check(bool holds) {
  if (!holds) __builtin_trap();
}
void check_array(const NpyData& a) {
  const auto bytes =
      static_cast<size_t>(a.shape.elements()) * static_cast<size_t>(ir::itemsize(a.dtype));
  check(a.bytes.size() == bytes);
  const NpyData again = parse_npy(format_npy(a.dtype, a.shape, a.bytes.data()));
  check(again.dtype == a.dtype && again.shape == a.shape && again.bytes == a.bytes);
}

// Makes a file in memory, since archives are read by their paths.
std::string as_file(std::span<const std::byte> bytes) {
  static const int file = memfd_create("input.npz", 0);
  check(ftruncate(file, 0) == 0 &&
        pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    check_array(parse_npy(bytes));
  } catch (const FormatError&) {
  }
  try {
    for (const auto& [name, a] : read_npz(as_file(bytes), max_bytes)) check_array(a);
  } catch (const FormatError&) {
  }
  return 0;
}
