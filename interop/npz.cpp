// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/npz.cpp: the .npz format: npy files in a zip archive.
#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <string_view>

#include "core/ir.h"
#include "interop/npy.h"
#include "weft/error.h"

namespace weft {
namespace {

constexpr std::string_view suffix = ".npy";

struct Discard {
  void operator()(zip_t* z) const { zip_discard(z); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
struct CloseFile {
  void operator()(zip_file_t* f) const { zip_fclose(f); }
};

Archive open(const std::string& path, int flags) {
  int code = 0;
  Archive z(zip_open(path.c_str(), flags, &code));
  if (z) return z;
  if (code == ZIP_ER_INCONS)
    throw FormatError(path +
                      ": the entries are not those that the directory at the end of the archive "
                      "lists (other names, sizes or places); write the file anew");
  if (code == ZIP_ER_EXISTS) throw FormatError(path + ": there are two entries of one name");
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  throw FormatError(path + ": " + why);
}

// Unpacks an entry, without ever allocating more than its actual size. The sizes that the file
// declares are checked before and after.
std::vector<std::byte> unpack(zip_t* z, const zip_stat_t& stat, const std::string& label,
                              uint64_t* left) {
  auto fail = [&](const std::string& why) { throw FormatError(label + ": " + why); };
  constexpr zip_uint64_t needed =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if ((stat.valid & needed) != needed) fail("the archive does not say how it is packed");
  if (stat.encryption_method != ZIP_EM_NONE) fail("it is encrypted");
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    fail(fmt::format("compression method {} is not one that NumPy writes", stat.comp_method));
  // Deflate packs at most about 1032 bytes into one byte.
  if (stat.size / 1100 > stat.comp_size + 64)
    fail(fmt::format("{} bytes are declared, more than its {} packed bytes can hold", stat.size,
                     stat.comp_size));
  if (stat.size > *left)
    fail(fmt::format("its {} bytes exceed the limit on the size of the whole archive", stat.size));
  *left -= stat.size;

  std::unique_ptr<zip_file_t, CloseFile> f(zip_fopen_index(z, stat.index, 0));
  if (!f) fail(zip_strerror(z));
  std::vector<std::byte> bytes;
  constexpr size_t chunk = size_t{1} << 20;
  for (;;) {
    // Requests one byte more than declared. This detects an entry that is too long, and otherwise
    // reaches the end of the entry, where the checksum is compared.
    size_t have = bytes.size(), want = std::min(chunk, static_cast<size_t>(stat.size) + 1 - have);
    bytes.resize(have + want);
    zip_int64_t got = zip_fread(f.get(), bytes.data() + have, want);
    if (got < 0) fail(zip_file_strerror(f.get()));
    bytes.resize(have + static_cast<size_t>(got));
    if (bytes.size() > stat.size)
      fail(fmt::format("it unpacks to more than the {} bytes declared", stat.size));
    if (got == 0) break;
  }
  if (bytes.size() != stat.size)
    fail(fmt::format("it unpacks to {} bytes, {} are declared", bytes.size(), stat.size));
  return bytes;
}

void add(zip_t* z, const std::string& path, const std::string& name,
         const std::vector<std::byte>& bytes, bool compress) {
  zip_source_t* source = zip_source_buffer(z, bytes.data(), bytes.size(), 0);
  if (!source) throw OutOfMemoryError(path + ": no memory for the archive");
  std::string entry = name + std::string(suffix);
  zip_int64_t i = zip_file_add(z, entry.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (i < 0) {
    std::string why = zip_strerror(z);
    zip_source_free(source);
    throw FormatError(path + ": entry '" + name + "': " + why);
  }
  auto index = static_cast<zip_uint64_t>(i);
  zip_set_file_compression(z, index, compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  // The date is 1980-01-01, as in NumPy, so that equal arrays give equal files.
  zip_file_set_dostime(z, index, 0, 1 << 5 | 1, 0);
}

}  // namespace

std::map<std::string, NpyData> read_npz(const std::string& path, uint64_t max_bytes) {
  // An archive whose two lists of entries differ is rejected: another program might read other
  // arrays from it.
  Archive z = open(path, ZIP_RDONLY | ZIP_CHECKCONS);
  std::map<std::string, NpyData> arrays;
  zip_int64_t n = zip_get_num_entries(z.get(), 0);
  for (zip_int64_t i = 0; i < n; ++i) {
    zip_stat_t stat;
    if (zip_stat_index(z.get(), static_cast<zip_uint64_t>(i), 0, &stat) != 0 ||
        !(stat.valid & ZIP_STAT_NAME))
      throw FormatError(path + ": " + zip_strerror(z.get()));
    std::string name = stat.name;
    if (name.ends_with('/')) continue;  // a folder, which zip programs add
    std::string label = path + ": entry '" + name + "'";
    if (!name.ends_with(suffix)) throw FormatError(label + ": not an npy file");
    name.resize(name.size() - suffix.size());
    try {
      arrays[name] = parse_npy(unpack(z.get(), stat, label, &max_bytes), label);
    } catch (const std::bad_alloc&) {
      throw OutOfMemoryError(fmt::format("{}: no memory for its {} bytes", label, stat.size));
    }
  }
  return arrays;
}

void write_npz(const std::string& path, const std::map<std::string, NpyData>& arrays,
               bool compress) {
  if (arrays.empty()) {
    // libzip writes no file for an archive without entries. These bytes are such an archive.
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
    out.close();
    if (!out) throw FormatError(path + ": cannot be written: " + std::strerror(errno));
    return;
  }
  // The buffers must exist until the archive is closed, because libzip writes them only then.
  std::vector<std::vector<std::byte>> buffers;
  buffers.reserve(arrays.size());
  Archive z = open(path, ZIP_CREATE | ZIP_TRUNCATE);
  for (const auto& [name, a] : arrays) {
    size_t bytes = static_cast<size_t>(checked_mul(a.shape.elements(), itemsize(a.dtype)));
    if (a.bytes.size() != bytes)
      throw ShapeError(fmt::format("array '{}': {} bytes were given for {}{}, which has {}", name,
                                   a.bytes.size(), short_name(a.dtype), to_string(a.shape), bytes));
    buffers.push_back(format_npy(a.dtype, a.shape, a.bytes.data()));
    add(z.get(), path, name, buffers.back(), compress);
  }
  if (zip_close(z.get()) != 0)
    throw FormatError(path + ": cannot be written: " + zip_strerror(z.get()));
  (void)z.release();  // zip_close has freed the archive
}

}  // namespace weft
