// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/npy.cpp: the .npy format: a header in Python's notation, followed by the elements.
#include "interop/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <string_view>
#include <system_error>

#include "core/ir.h"
#include "weft/error.h"

namespace weft {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t max_axes = 64;  // the limit of NumPy

struct Header {
  DType dtype = F32;
  bool swap = false;     // the file has the other byte order
  bool fortran = false;  // the first axis varies fastest
  Shape shape;
};

// Reads the header: a Python dictionary with the keys descr, fortran_order and shape. It accepts
// only the syntax that these need.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& name) : s_(text), name_(name) {}

  Header read() {
    Header h;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      std::string_view key = string();
      expect(':');
      if (key == "descr" && !descr) {
        descr = true;
        read_descr(&h);
      } else if (key == "fortran_order" && !order) {
        order = true;
        h.fortran = boolean();
      } else if (key == "shape" && !shape) {
        shape = true;
        h.shape = sizes();
      } else {
        fail(fmt::format("the header's key '{}' is unknown or there twice", printable(key)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!s_.empty()) fail("text follows the header's dictionary");
    if (!descr || !order || !shape) fail("the header lacks one of descr, fortran_order and shape");
    return h;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw FormatError(name_ + ": " + why); }

  // Makes text printable for messages, because a file may contain any bytes.
  static std::string printable(std::string_view s) {
    std::string out;
    for (char c : s.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
    return s.size() > 40 ? out + "..." : out;
  }

  void skip_space() {
    while (!s_.empty() && (s_[0] == ' ' || s_[0] == '\n' || s_[0] == '\t' || s_[0] == '\r'))
      s_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_space();
    if (s_.empty() || s_[0] != c) return false;
    s_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      fail(fmt::format("malformed header: '{}' expected before \"{}\"", c, printable(s_)));
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (!s_.starts_with(word)) return false;
    s_.remove_prefix(word.size());
    return true;
  }

  std::string_view string() {
    char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    size_t end = s_.find(quote);
    if (end == std::string_view::npos) fail("malformed header: a string without an end");
    std::string_view value = s_.substr(0, end);
    s_.remove_prefix(end + 1);
    return value;
  }

  bool boolean() {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    fail(fmt::format("malformed header: True or False expected before \"{}\"", printable(s_)));
  }

  Shape sizes() {
    std::vector<int64_t> d;
    expect('(');
    while (!accept(')')) {
      skip_space();
      int64_t n = 0;
      auto [end, error] = std::from_chars(s_.data(), s_.data() + s_.size(), n);
      if (error == std::errc::result_out_of_range) fail("a size in the header is out of range");
      if (error != std::errc{})
        fail(fmt::format("malformed header: a size expected before \"{}\"", printable(s_)));
      s_.remove_prefix(static_cast<size_t>(end - s_.data()));
      (void)accept_word("L");  // the suffix of long integers in Python 2
      if (n < 0) fail(fmt::format("the header has the negative size {}", n));
      d.push_back(n);
      if (d.size() > max_axes) fail(fmt::format("the header has more than {} axes", max_axes));
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return Shape(std::move(d));
  }

  void read_descr(Header* h) {
    skip_space();
    if (s_.starts_with('['))
      fail("structured arrays are not read; save each field as an array of its own");
    std::string_view descr = string();
    std::string_view type = descr;
    char order = '|';
    if (!type.empty() && std::string_view("<>=|").find(type[0]) != std::string_view::npos) {
      order = type[0];
      type.remove_prefix(1);
    }
    static constexpr struct {
      std::string_view name;
      DType dtype;
    } types[] = {{"b1", Bool}, {"?", Bool}, {"i1", I8},  {"i2", I16}, {"i4", I32},
                 {"i8", I64},  {"u1", U8},  {"u2", U16}, {"u4", U32}, {"u8", U64},
                 {"f2", F16},  {"f4", F32}, {"f8", F64}, {"c8", C64}, {"c16", C128}};
    for (auto& t : types) {
      if (type != t.name) continue;
      h->dtype = t.dtype;
      h->swap = order == (std::endian::native == std::endian::little ? '>' : '<');
      return;
    }
    std::string what = "element type '" + printable(descr) + "' is not read";
    if (type.starts_with('O'))
      fail(what + ": it holds pickled Python objects, which can run code; save a numeric array");
    if (type == "V2")
      fail(what + ": NumPy writes bfloat16 so, as bytes without a meaning; save as float32");
    if (!type.empty() && std::string_view("USa").find(type[0]) != type.npos)
      fail(what + ": it holds strings");
    if (type == "f16" || type == "f12" || type == "c32")
      fail(what + ": it is a long double; save as float64");
    fail(what);
  }

  std::string_view s_;
  const std::string& name_;
};

// Returns the dictionary of the header, which follows the magic bytes, the version and the length.
std::string_view find_header(std::string_view file, const std::string& name) {
  auto fail = [&](const std::string& why) { throw FormatError(name + ": " + why); };
  auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(file[i])); };
  if (!file.starts_with(magic)) fail("not an npy file: it does not begin with \\x93NUMPY");
  if (file.size() < magic.size() + 4) fail("the file ends within the header");
  size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    fail(fmt::format("npy version {}.{} is not known", major, minor));
  size_t start = major == 1 ? 10 : 12;
  if (file.size() < start) fail("the file ends within the header");
  size_t length = byte(8) | byte(9) << 8;
  if (major > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > file.size() - start)
    fail(fmt::format("the header has {} bytes, but the file ends after {}", length,
                     file.size() - start));
  return file.substr(start, length);
}

// Converts Fortran order to C order, for elements of N bytes. Strides count elements.
template <size_t N>
void transpose(const std::byte* from, const Shape& shape, std::byte* to) {
  std::vector<int64_t> strides(shape.size(), 1), index(shape.size(), 0);
  for (size_t i = 1; i < shape.size(); ++i) strides[i] = strides[i - 1] * shape.sizes()[i - 1];
  int64_t n = shape.elements(), position = 0;
  for (int64_t k = 0; k < n; ++k, to += N) {
    std::memcpy(to, from + static_cast<size_t>(position) * N, N);
    for (size_t a = shape.size(); a-- > 0;) {
      position += strides[a];
      if (++index[a] < shape.sizes()[a]) break;
      position -= index[a] * strides[a];
      index[a] = 0;
    }
  }
}

std::vector<std::byte> to_row_major(const std::vector<std::byte>& from, const Shape& shape,
                                    int itemsize) {
  std::vector<std::byte> to(from.size());
  if (itemsize == 1) transpose<1>(from.data(), shape, to.data());
  if (itemsize == 2) transpose<2>(from.data(), shape, to.data());
  if (itemsize == 4) transpose<4>(from.data(), shape, to.data());
  if (itemsize == 8) transpose<8>(from.data(), shape, to.data());
  if (itemsize == 16) transpose<16>(from.data(), shape, to.data());
  return to;
}

// The name of a type in the format, with this machine's byte order.
std::string descr_of(DType d) {
  if (d == BF16) throw DTypeError("the npy format has no bfloat16; save x.astype(F32)");
  if (is_key(d))
    throw DTypeError("the npy format has no keys; save their two words as an array of U32");
  char kind = d == Bool        ? 'b'
              : is_signed(d)   ? 'i'
              : is_unsigned(d) ? 'u'
              : is_floating(d) ? 'f'
                               : 'c';
  char order = itemsize(d) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  return fmt::format("{}{}{}", order, kind, itemsize(d));
}

}  // namespace

NpyData parse_npy(std::span<const std::byte> file, const std::string& name) {
  return parse_npy(std::vector<std::byte>(file.begin(), file.end()), name);
}

NpyData parse_npy(std::vector<std::byte>&& file, const std::string& name) {
  std::string_view text(reinterpret_cast<const char*>(file.data()), file.size()),
      dictionary = find_header(text, name);
  Header h = HeaderReader(dictionary, name).read();
  // All arithmetic on sizes is checked, because the file may declare any size.
  int64_t count = 0;
  try {
    count = checked_mul(h.shape.elements(), itemsize(h.dtype));
  } catch (const ShapeError&) {
    throw FormatError(name + ": the shape " + to_string(h.shape) + " is too big");
  }
  size_t start = static_cast<size_t>(dictionary.data() - text.data()) + dictionary.size(),
         left = file.size() - start;
  auto bytes = static_cast<size_t>(count);
  if (left < bytes)
    throw FormatError(
        fmt::format("{}: an array of {} bytes ({}{}) is promised, but {} are left in the file",
                    name, bytes, short_name(h.dtype), to_string(h.shape), left));
  file.erase(file.begin(), file.begin() + static_cast<ptrdiff_t>(start));
  file.resize(bytes);
  NpyData r{h.dtype, h.shape, std::move(file)};
  auto unit = is_complex(h.dtype) ? itemsize(h.dtype) / 2 : itemsize(h.dtype);
  if (h.swap && unit > 1)
    for (auto i = r.bytes.begin(); i != r.bytes.end(); i += unit) std::reverse(i, i + unit);
  if (h.dtype == Bool)
    for (std::byte& b : r.bytes) b = std::byte{b != std::byte{0}};
  if (h.fortran && h.shape.size() > 1) r.bytes = to_row_major(r.bytes, h.shape, itemsize(h.dtype));
  return r;
}

NpyData read_npy(const std::string& path) {
  std::error_code error;
  // Only regular files have a reliable size.
  if (!std::filesystem::is_regular_file(path, error))
    throw FormatError(path + ": " + (error ? error.message() : "not a regular file"));
  errno = 0;
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) throw FormatError(path + ": " + std::strerror(errno));
  auto size = static_cast<std::streamoff>(in.tellg());
  if (size < 0) throw FormatError(path + ": cannot tell its size");
  std::vector<std::byte> bytes;
  try {
    bytes.resize(static_cast<size_t>(size));
    in.seekg(0);
    if (!in.read(reinterpret_cast<char*>(bytes.data()), size))
      throw FormatError(path + ": reading failed");
    return parse_npy(std::move(bytes), path);
  } catch (const std::bad_alloc&) {
    throw OutOfMemoryError(fmt::format("{}: no memory for its {} bytes", path, size));
  }
}

std::vector<std::byte> format_npy(DType dtype, const Shape& shape, const void* data) {
  if (shape.size() > max_axes)
    throw ShapeError(fmt::format("the npy format has at most {} axes", max_axes));
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   descr_of(dtype), to_string(shape));
  // As in NumPy, padding leaves room for the first axis to grow, and aligns the data to 64 bytes.
  if (!shape.empty()) header.append(21 - std::to_string(shape[0]).size(), ' ');
  size_t prefix = magic.size() + 4;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string text(magic);
  text +=
      {'\1', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  text += header;
  auto bytes = static_cast<size_t>(checked_mul(shape.elements(), itemsize(dtype)));
  std::vector<std::byte> out(text.size() + bytes);
  std::memcpy(out.data(), text.data(), text.size());
  if (bytes > 0) std::memcpy(out.data() + text.size(), data, bytes);
  return out;
}

void write_npy(const std::string& path, DType dtype, const Shape& shape, const void* data) {
  std::vector<std::byte> bytes = format_npy(dtype, shape, data);
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw FormatError(path + ": cannot be written: " + std::strerror(errno));
}

}  // namespace weft
