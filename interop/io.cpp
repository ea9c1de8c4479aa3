// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/io.cpp: weft::io, implemented with the readers and writers of the formats.
#include "weft/io.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

#include "interop/npy.h"
#include "interop/safetensors.h"
#include "tracer/concrete.h"
#include "weft/error.h"

namespace weft::io {
namespace {
Array array_of(const NpyData& d) { return array_of_bytes(Type(d.dtype, d.shape), d.bytes.data()); }
}  // namespace

Array load_npy(const std::string& path, Location at) {
  const SourceScope source(at);
  return array_of(read_npy(path));
}
void save_npy(const std::string& path, const Array& x, Location at) {
  const SourceScope source(at);
  write_npy(path, x.dtype(), x.shape(), concrete(x).data());
}
std::map<std::string, Array> load_npz(const std::string& path, Location at) {
  const SourceScope source(at);
  std::map<std::string, Array> all;
  for (const auto& [name, data] : read_npz(path)) all.emplace(name, array_of(data));
  return all;
}
void save_npz(const std::string& path, const std::map<std::string, Array>& arrays,
              const NpzOptions& o, Location at) {
  const SourceScope source(at);
  std::map<std::string, NpyData> all;
  for (const auto& [name, x] : arrays) {
    const auto* from = static_cast<const std::byte*>(concrete(x).data());
    all[name] = {x.dtype(), x.shape(), {from, from + x.type().bytes()}};
  }
  write_npz(path, all, o.compress);
}

namespace {
// A file that is read in pieces. Raises an error if the file is too short for a piece.
class Pieces {
 public:
  explicit Pieces(const std::string& path) : path_(path) {
    std::error_code error;
    // Only regular files have a reliable size.
    if (!std::filesystem::is_regular_file(path, error))
      throw FormatError(path + ": " + (error ? error.message() : "not a regular file"));
    errno = 0;
    in_.open(path, std::ios::binary | std::ios::ate);
    if (!in_) throw FormatError(path + ": " + std::strerror(errno));
    size_ = static_cast<uint64_t>(in_.tellg());
  }
  uint64_t size() const { return size_; }
  void read(uint64_t at, void* to, uint64_t bytes) {
    if (bytes == 0) return;
    in_.seekg(static_cast<std::streamoff>(at));
    if (!in_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
      throw FormatError(fmt::format("{}: reading {} bytes at {} failed: {}", path_, bytes, at,
                                    std::strerror(errno)));
  }
  std::string text(uint64_t at, uint64_t bytes) {
    std::string s(static_cast<size_t>(bytes), '\0');
    read(at, s.data(), bytes);
    return s;
  }

 private:
  const std::string& path_;
  std::ifstream in_;
  uint64_t size_ = 0;
};
}  // namespace

std::map<std::string, Array> load_safetensors(const std::string& path,
                                              const LoadSafetensorsOptions& o, Location at) {
  const SourceScope source(at);
  Pieces file(path);
  const std::string prefix = file.text(0, std::min(file.size(), safetensors_prefix));
  const uint64_t length = safetensors_header_length(prefix, file.size(), path),
                 start = safetensors_prefix + length;
  SafetensorsHeader h;
  try {
    h = parse_safetensors_header(file.text(safetensors_prefix, length), file.size() - start, path);
  } catch (const std::bad_alloc&) {
    throw OutOfMemoryError(fmt::format("{}: no memory for its header of {} bytes", path, length));
  }
  std::map<std::string, Array> all;
  for (const auto& [name, e] : h.arrays) {
    Fresh x = fresh_array(Type(e.dtype, e.shape));
    file.read(start + e.begin, x.data, e.end - e.begin);
    if (e.dtype == Bool) {
      auto* const bytes = static_cast<uint8_t*>(x.data);
      std::transform(bytes, bytes + e.shape.elements(), bytes, [](uint8_t b) { return b != 0; });
    }
    all.emplace(name, std::move(x.array));
  }
  if (o.metadata) *o.metadata = std::move(h.metadata);
  return all;
}

void save_safetensors(const std::string& path, const std::map<std::string, Array>& arrays,
                      const SaveSafetensorsOptions& o, Location at) {
  const SourceScope source(at);
  SafetensorsHeader h{{}, o.metadata};
  for (const auto& [name, x] : arrays) h.arrays[name] = {x.dtype(), x.shape(), 0, 0};
  place_safetensors(&h.arrays);
  const std::string header = format_safetensors_header(h), part = path + ".part";
  std::vector<const std::pair<const std::string, SafetensorsEntry>*> order;
  for (const auto& a : h.arrays) order.push_back(&a);
  std::sort(order.begin(), order.end(),
            [](auto* a, auto* b) { return a->second.end < b->second.end; });
  Arrays values;  // read before anything is written, because reading may raise
  for (const auto* a : order) values.push_back(arrays.at(a->first));
  std::vector<const void*> data;
  for (const Array& x : values) data.push_back(concrete(x).data());
  errno = 0;
  std::ofstream out(part, std::ios::binary | std::ios::trunc);
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  for (size_t i = 0; i < order.size(); ++i)
    out.write(static_cast<const char*>(data[i]),
              static_cast<std::streamsize>(order[i]->second.end - order[i]->second.begin));
  out.close();
  std::error_code error;
  if (!out) {
    const std::string why = std::strerror(errno);
    std::filesystem::remove(part, error);
    throw FormatError(part + ": cannot be written: " + why);
  }
  std::filesystem::rename(part, path, error);
  if (!error) return;
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  throw FormatError(path + ": cannot be written: " + error.message());
}

}  // namespace weft::io
