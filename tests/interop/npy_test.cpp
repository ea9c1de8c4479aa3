// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/npy_test.cpp: reads and writes NumPy's files and refuses broken ones.
#include "interop/npy.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/support/golden.h"
#include "weft/error.h"

using namespace weft;
using Catch::Matchers::Contains;
using weft::testing::golden;
using weft::testing::golden_path;
using weft::testing::read_file;

namespace {

std::span<const std::byte> bytes_of(const std::string& s) { return std::as_bytes(std::span(s)); }

std::string hex_of(const std::vector<std::byte>& bytes) {
  std::string s;
  for (std::byte b : bytes) {
    s += "0123456789abcdef"[static_cast<int>(b) >> 4];
    s += "0123456789abcdef"[static_cast<int>(b) & 15];
  }
  return s.empty() ? "-" : s;
}

// Returns a file of version 1 with this dictionary and `data` zero bytes of data.
std::string npy(const std::string& dictionary, size_t data = 0) {
  std::string s = "\x93NUMPY";
  s += {'\1', '\0', static_cast<char>(dictionary.size() & 255),
        static_cast<char>(dictionary.size() >> 8)};
  return s + dictionary + std::string(data, '\0');
}

std::string refusal(const std::string& file) {
  try {
    (void)parse_npy(bytes_of(file), "file.npy");
  } catch (const FormatError& e) {
    return e.what();
  }
  return "accepted";
}

// Returns true if the array has as many bytes as its shape needs.
bool sound(const NpyData& a) {
  return a.bytes.size() == static_cast<size_t>(a.shape.elements() * itemsize(a.dtype));
}

// Reads the file in memory of exactly its size, so that a sanitizer detects any access outside.
bool reads_or_refuses(const std::string& file) {
  std::vector<std::byte> exact(bytes_of(file).begin(), bytes_of(file).end());
  try {
    return sound(parse_npy(std::span<const std::byte>(exact)));
  } catch (const FormatError&) {
    return true;
  }
}

// These characters are valid and invalid parts of headers.
constexpr std::string_view signs("()[]{}'\",: 0123456789TFLdf<>|\0\xff-", 32);

struct TemporaryFolder {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("weft_npy_" + std::to_string(std::random_device{}()));
  TemporaryFolder() { std::filesystem::create_directory(path); }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }
};

std::string npz_refusal(const std::string& path, uint64_t limit = uint64_t{1} << 38) {
  try {
    for (auto& [name, a] : read_npz(path, limit))
      if (!sound(a)) return "unsound";
  } catch (const FormatError& e) {
    return e.what();
  }
  return "accepted";
}

std::string replaced(std::string s, const std::string& from, const std::string& to) {
  for (size_t i = s.find(from); i != std::string::npos; i = s.find(from, i + to.size()))
    s.replace(i, from.size(), to);
  return s;
}

}  // namespace

TEST_CASE("files of NumPy are read, and written with the same bytes", "[interop][npy]") {
  if constexpr (std::endian::native == std::endian::big) return;  // the index is little-endian
  std::istringstream in(golden("npy/index.txt"));
  std::string line;
  int good = 0, bad = 0;
  TemporaryFolder folder;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    INFO(line);
    std::istringstream fields(line);
    std::string file, dtype, shape, hex;
    bool same = false;
    fields >> file >> dtype >> shape >> hex >> same;
    std::string path = golden_path("npy/" + file);
    if (dtype == "!") {
      ++bad;
      CHECK_THROWS_AS(read_npy(path), FormatError);
      CHECK_THROWS_WITH(read_npy(path), Contains(file) && Contains(shape));
      continue;
    }
    ++good;
    NpyData a = read_npy(path);
    std::string sizes;
    for (int64_t n : a.shape) sizes += (sizes.empty() ? "" : ",") + std::to_string(n);
    CHECK(short_name(a.dtype) == dtype);
    CHECK((sizes.empty() ? "-" : sizes) == shape);
    CHECK(hex_of(a.bytes) == hex);
    write_npy(folder.file("x.npy"), a.dtype, a.shape, a.bytes.data());
    if (same) CHECK(read_file(folder.file("x.npy")) == read_file(path));
    CHECK(read_npy(folder.file("x.npy")).bytes == a.bytes);
  }
  CHECK(good == 50);
  CHECK(bad == 8);
}

TEST_CASE("cut files are refused at every byte", "[interop][npy]") {
  for (const char* name :
       {"float32_c", "complex128_big", "f_3d", "version2", "version3", "scalar", "object"}) {
    std::string file = golden(std::string("npy/") + name + ".npy");
    int accepted = 0;
    for (size_t n = 0; n < file.size(); ++n) accepted += refusal(file.substr(0, n)) == "accepted";
    CHECK(accepted == 0);
  }
}

TEST_CASE("files with flipped bits are read within bounds or refused", "[interop][npy]") {
  for (const char* name : {"int16_f", "f_3d", "version2", "bool_c", "structured"}) {
    std::string file = golden(std::string("npy/") + name + ".npy");
    int wrong = 0;
    for (size_t i = 0; i < file.size(); ++i)
      for (int bit = 0; bit < 8; ++bit) {
        std::string flipped = file;
        flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
        wrong += !reads_or_refuses(flipped);
      }
    std::mt19937 random(3);
    for (int k = 0; k < 20000; ++k) {
      std::string broken = file;
      for (int j = 0; j < 4; ++j) broken[random() % 100] = signs[random() % signs.size()];
      wrong += !reads_or_refuses(broken);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("malformed headers are refused with the reason", "[interop][npy]") {
  auto with_shape = [](const std::string& shape, size_t data = 0) {
    return npy("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }", data);
  };
  CHECK(refusal(with_shape("(2,)", 8)) == "accepted");
  CHECK(refusal(with_shape("(2L,)", 8)) == "accepted");
  CHECK(refusal(with_shape("()", 4)) == "accepted");
  CHECK(refusal(with_shape("(2)", 8)) == "accepted");
  CHECK_THAT(refusal(with_shape("(2,)", 7)),
             Contains("file.npy: an array of 8 bytes (f32(2,)) is promised, but 7"));
  CHECK_THAT(refusal(with_shape("(-1,)")), Contains("negative size -1"));
  CHECK_THAT(refusal(with_shape("(4611686018427387904,)")), Contains("too big"));
  CHECK_THAT(refusal(with_shape("(4294967296, 4294967296)")), Contains("too big"));
  CHECK_THAT(refusal(with_shape("(0, 4294967296, 4294967296)")), Contains("too big"));
  CHECK_THAT(refusal(with_shape("(99999999999999999999,)")), Contains("out of range"));
  CHECK_THAT(refusal(with_shape("(1,, 2)")), Contains("size expected"));
  CHECK_THAT(refusal(with_shape("(1 2)")), Contains("')' expected"));
  CHECK_THAT(refusal(with_shape("(1.5,)")), Contains("')' expected"));
  CHECK_THAT(refusal(with_shape("[1]")), Contains("'(' expected"));
  CHECK_THAT(refusal(with_shape("(" + std::string(300, '1') + ")")), Contains("out of range"));
  std::string ones;
  for (int i = 0; i < 65; ++i) ones += "1,";
  CHECK_THAT(refusal(with_shape("(" + ones + ")", 4)), Contains("more than 64 axes"));
  CHECK_THAT(refusal(npy("{'descr': '<f4', 'shape': (1,)}", 4)), Contains("lacks"));
  CHECK_THAT(refusal(npy("{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}", 4)),
             Contains("'descr' is unknown or there twice"));
  CHECK_THAT(refusal(npy("{'descr': '<f4', 'evil\n\x1b': 1}", 4)),
             Contains("'evil?\?' is unknown"));
  CHECK_THAT(refusal(npy("{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}", 4)),
             Contains("True or False"));
  CHECK_THAT(refusal(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + x", 4)),
             Contains("text follows"));
  CHECK_THAT(refusal(npy("{'descr': '<f4")), Contains("without an end"));
  CHECK_THAT(refusal(npy("")), Contains("'{' expected"));
  CHECK_THAT(refusal(npy("{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}", 2)),
             Contains("bfloat16"));
  CHECK_THAT(refusal(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 8)),
             Contains("pickled"));
  CHECK_THAT(refusal(npy("{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}", 8)),
             Contains("'<f3' is not read"));
  CHECK_THAT(refusal("\x93NUMPY\4" + std::string(20, '\0')), Contains("version 4.0"));
  CHECK_THAT(refusal("PK\3\4"), Contains("not an npy file"));
  CHECK_THAT(refusal(""), Contains("not an npy file"));
  std::string endless = "\x93NUMPY\2";
  endless += {'\0', '\xff', '\xff', '\xff', '\xff'};
  CHECK_THAT(refusal(endless + "{}"),
             Contains("the header has 4294967295 bytes, but the file ends after 2"));
}

TEST_CASE("bools from a file are 0 or 1", "[interop][npy]") {
  std::string file = npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}");
  NpyData a = parse_npy(bytes_of(file + std::string("\0\x02\xff", 3)));
  CHECK(hex_of(a.bytes) == "000101");
}

TEST_CASE("values that the format cannot hold are refused", "[interop][npy]") {
  TemporaryFolder folder;
  uint64_t x = 0;
  CHECK_THROWS_AS(write_npy(folder.file("x.npy"), BF16, {1}, &x), DTypeError);
  CHECK_THROWS_AS(write_npy(folder.file("x.npy"), Key, {1}, &x), DTypeError);
  CHECK_FALSE(std::filesystem::exists(folder.file("x.npy")));
  CHECK_THROWS_WITH(write_npy(folder.file("no/x.npy"), F32, {1}, &x),
                    Contains("no/x.npy") && Contains("No such file"));
  CHECK_THROWS_WITH(read_npy(folder.file("none.npy")), Contains("none.npy"));
  CHECK_THROWS_AS(read_npy(folder.path.string()), FormatError);
  CHECK_THROWS_AS(read_npy("/dev/zero"), FormatError);
}

TEST_CASE("archives written by NumPy are read", "[interop][npz]") {
  auto stored = read_npz(golden_path("npy/stored.npz")),
       packed = read_npz(golden_path("npy/packed.npz"));
  REQUIRE(stored.size() == 3);
  REQUIRE(packed.size() == 4);
  for (auto& [name, a] : stored) {
    CHECK(packed.at(name).bytes == a.bytes);
    CHECK(packed.at(name).shape == a.shape);
  }
  CHECK(stored.at("x").shape == Shape{2, 3});
  CHECK(hex_of(stored.at("case/in0").bytes) == "0100");
  CHECK(stored.at("s").dtype == C128);
  CHECK(packed.at("zeros").shape == Shape{100, 100});
}

TEST_CASE("archives survive writing and reading", "[interop][npz]") {
  TemporaryFolder folder;
  auto arrays = read_npz(golden_path("npy/packed.npz"));
  for (bool compress : {false, true}) {
    std::string path = folder.file("x.npz");
    write_npz(path, arrays, compress);
    std::string first = read_file(path);
    CHECK((first.size() < 80000) == compress);
    auto back = read_npz(path);
    REQUIRE(back.size() == arrays.size());
    for (auto& [name, a] : arrays) {
      CHECK(back.at(name).dtype == a.dtype);
      CHECK(back.at(name).shape == a.shape);
      CHECK(back.at(name).bytes == a.bytes);
    }
    write_npz(path, arrays, compress);
    CHECK(read_file(path) == first);  // it contains no time of day
  }
  write_npz(folder.file("none.npz"), {});
  CHECK(read_npz(folder.file("none.npz")).empty());
  CHECK_THROWS_AS(write_npz(folder.file("y.npz"), {{"x", NpyData{F32, {2}, {}}}}), ShapeError);
  CHECK_THROWS_AS(write_npz(folder.file("no/x.npz"), arrays), FormatError);
}

TEST_CASE("broken archives are refused", "[interop][npz]") {
  TemporaryFolder folder;
  CHECK_THAT(npz_refusal(folder.file("none.npz")), Contains("none.npz: No such file"));
  CHECK_THAT(npz_refusal(golden_path("npy/scalar.npy")), Contains("scalar.npy"));
  CHECK_THAT(npz_refusal(folder.path.string()), Contains("weft_npy"));
  CHECK_THAT(npz_refusal(golden_path("npy/packed.npz"), 80000),
             Contains("zeros.npy") && Contains("limit"));
  std::string stored = golden("npy/stored.npz"), packed = golden("npy/packed.npz");
  CHECK_THAT(npz_refusal(folder.put("a.npz", replaced(stored, "s.npy", "s.txt"))),
             Contains("s.txt': not an npy file"));
  CHECK_THAT(npz_refusal(folder.put("a.npz", replaced(stored, "s.npy", "x.npy"))),
             Contains("two entries of one name"));
  CHECK_THAT(npz_refusal(folder.put("a.npz", replaced(stored, "<f4", "<i4"))), Contains("CRC"));
  // The name before an entry differs from the name in the directory at the end.
  const size_t first = stored.find("x.npy"), last = stored.rfind("x.npy");
  REQUIRE(first < last);
  for (const size_t at : {first, last}) {
    std::string file = stored;
    file[at] = 'z';
    CHECK_THAT(npz_refusal(folder.put("a.npz", file)),
               Contains("the entries are not those that the directory at the end"));
  }
  // The declared size of the zeros, 80128, is replaced in all its places. The new size is too
  // small, too large, or absurd.
  auto declared = [](uint32_t n) { return std::string(reinterpret_cast<const char*>(&n), 4); };
  for (uint32_t n : {80127u, 80129u, 100u, 1u << 20, 0xfffffff0u})
    CHECK_THAT(npz_refusal(folder.put("a.npz", replaced(packed, declared(80128), declared(n)))),
               Contains("a.npz"));
  for (const std::string& file : {stored, packed}) {
    int wrong = 0;
    for (size_t n = 0; n < file.size(); n += 3)
      wrong += npz_refusal(folder.put("cut.npz", file.substr(0, n))) == "accepted";
    CHECK(wrong == 0);
    for (size_t i = 0; i < file.size(); ++i) {
      std::string flipped = file;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << i % 8));
      wrong += npz_refusal(folder.put("flip.npz", flipped)) == "unsound";
    }
    CHECK(wrong == 0);
  }
}
