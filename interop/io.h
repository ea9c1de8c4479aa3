// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/io.h: weft::io: Arrays from files and into them.
#pragma once
#include <map>
#include <string>

#include "weft/tracer/array.h"

namespace weft::io {

// NumPy's .npy. FormatError, with the name of the file and the reason, for what cannot be read.
Array load_npy(const std::string& path, Location at = Location::here());
// DTypeError for BF16 and Key, which the format does not have.
void save_npy(const std::string& path, const Array& x, Location at = Location::here());

// The arrays of an .npz by name.
std::map<std::string, Array> load_npz(const std::string& path, Location at = Location::here());
struct NpzOptions {
  bool compress = false;
};
void save_npz(const std::string& path, const std::map<std::string, Array>& arrays,
              const NpzOptions& o = {}, Location at = Location::here());

}  // namespace weft::io
