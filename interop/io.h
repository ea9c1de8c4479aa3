// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/io.h: weft::io: Arrays from files and into them.
#pragma once
#include <map>
#include <string>

#include "weft/tracer/array.h"

namespace weft::io {

// NumPy's .npy. FormatError, with the name of the file and the reason, for what cannot be read.
// Source: jax.numpy.load.
Array load_npy(const std::string& path, typing::Location at = typing::Location::here());
// NumPy's .npy. DTypeError for BF16 and Key, which the format does not have; FormatError where it
// cannot be written. Source: jax.numpy.save.
void save_npy(const std::string& path, const Array& x,
              typing::Location at = typing::Location::here());

// The arrays of an .npz by name. FormatError as of load_npy. Source: jax.numpy.load.
std::map<std::string, Array> load_npz(const std::string& path,
                                      typing::Location at = typing::Location::here());
struct NpzOptions {
  // Deflated entries; false: stored ones.
  bool compress = false;
};
// NumPy's .npz, an entry for each name; the same arrays make the same file. DTypeError for BF16 and
// Key, which the format does not have; FormatError where it cannot be written. Source:
// jax.numpy.savez.
void save_npz(const std::string& path, const std::map<std::string, Array>& arrays,
              const NpzOptions& o = {}, typing::Location at = typing::Location::here());

struct LoadSafetensorsOptions {
  std::map<std::string, std::string>* metadata = nullptr;  // where the file's texts are put
};
// The arrays of a .safetensors file by name. FormatError, with the name of the file, the place and
// the reason, for a file that is not just as the format says, and for elements of F8, F6 and F4.
// Source: safetensors.numpy.load_file.
std::map<std::string, Array> load_safetensors(const std::string& path,
                                              const LoadSafetensorsOptions& o = {},
                                              typing::Location at = typing::Location::here());
struct SaveSafetensorsOptions {
  std::map<std::string, std::string> metadata = {};  // texts that are kept with the arrays
};
// The bytes that safetensors.numpy.save_file writes. They are written to PATH.part, which becomes
// the file when it is complete: an older one is whole until then. DTypeError for C128 and Key,
// which the format has not; FormatError where it cannot be written. Source:
// safetensors.numpy.save_file.
void save_safetensors(const std::string& path, const std::map<std::string, Array>& arrays,
                      const SaveSafetensorsOptions& o = {},
                      typing::Location at = typing::Location::here());

}  // namespace weft::io
