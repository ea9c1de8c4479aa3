// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/io.cpp: weft::io over the readers and writers of formats.
#include "weft/interop/io.h"

#include "weft/core/error.h"
#include "weft/interop/npy.h"
#include "weft/tracer/concrete.h"

namespace weft::io {
namespace {
Array array_of(const NpyData& d) { return array_of_bytes(Type(d.dtype, d.shape), d.bytes.data()); }
}  // namespace

Array load_npy(const std::string& path, Location at) {
  const Source source(at);
  return array_of(read_npy(path));
}
void save_npy(const std::string& path, const Array& x, Location at) {
  const Source source(at);
  write_npy(path, x.dtype(), x.shape(), concrete(x).data());
}
std::map<std::string, Array> load_npz(const std::string& path, Location at) {
  const Source source(at);
  std::map<std::string, Array> all;
  for (const auto& [name, data] : read_npz(path)) all.emplace(name, array_of(data));
  return all;
}
void save_npz(const std::string& path, const std::map<std::string, Array>& arrays,
              const NpzOptions& o, Location at) {
  const Source source(at);
  std::map<std::string, NpyData> all;
  for (const auto& [name, x] : arrays) {
    const auto* from = static_cast<const std::byte*>(concrete(x).data());
    all[name] = {x.dtype(), x.shape(), {from, from + x.type().bytes()}};
  }
  write_npz(path, all, o.compress);
}

}  // namespace weft::io
