// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/io.h: weft::io: reads arrays from files and writes them to files.
#pragma once
#include <map>
#include <string>

#include "weft/array.h"

namespace weft::io {

// Reads NumPy's .npy format. Raises FormatError, with the name of the file and the reason, if the
// file cannot be read. Source: jax.numpy.load.
Array load_npy(const std::string& path, typing::Location at = typing::Location::here());
// Writes NumPy's .npy format. Raises DTypeError for BF16 and Key, which the format does not have.
// Raises FormatError if the file cannot be written. Source: jax.numpy.save.
void save_npy(const std::string& path, const Array& x,
              typing::Location at = typing::Location::here());

// Returns the arrays of an .npz file by name. Raises FormatError as load_npy does. Source:
// jax.numpy.load.
std::map<std::string, Array> load_npz(const std::string& path,
                                      typing::Location at = typing::Location::here());
struct NpzOptions {
  // true: entries are deflated. false: they are stored.
  bool compress = false;
};
// Writes NumPy's .npz format, with one entry for each name. Equal arrays give equal files. Raises
// DTypeError for BF16 and Key, which the format does not have. Raises FormatError if the file
// cannot be written. Source: jax.numpy.savez.
void save_npz(const std::string& path, const std::map<std::string, Array>& arrays,
              const NpzOptions& o = {}, typing::Location at = typing::Location::here());

struct LoadSafetensorsOptions {
  std::map<std::string, std::string>* metadata = nullptr;  // receives the texts of the file
};
// Returns the arrays of a .safetensors file by name. Raises FormatError, with the name of the file,
// the place and the reason, for any deviation from the format. Elements of F8, F6 and F4 raise it
// too. Source: safetensors.numpy.load_file.
std::map<std::string, Array> load_safetensors(const std::string& path,
                                              const LoadSafetensorsOptions& o = {},
                                              typing::Location at = typing::Location::here());
struct SaveSafetensorsOptions {
  std::map<std::string, std::string> metadata = {};  // texts to store with the arrays
};
// Writes the same bytes as safetensors.numpy.save_file. They are written to PATH.part, which is
// renamed to the file when it is complete. An older file remains intact until then. Raises
// DTypeError for C128 and Key, which the format does not have. Raises FormatError if the file
// cannot be written. Source: safetensors.numpy.save_file.
void save_safetensors(const std::string& path, const std::map<std::string, Array>& arrays,
                      const SaveSafetensorsOptions& o = {},
                      typing::Location at = typing::Location::here());

}  // namespace weft::io
