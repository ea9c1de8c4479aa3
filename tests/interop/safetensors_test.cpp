// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/safetensors_test.cpp: reads the files of the package safetensors and writes the
// same bytes (tests/interop/data/make_safetensors.py). Broken files are refused.
#include "interop/safetensors.h"

#include <filesystem>
#include <fstream>
#include <random>

#include "support/check.h"
#include "support/golden.h"

using namespace weft;
using namespace weft::test;
using weft::testing::read_file;

namespace {

std::string data(const std::string& name) {
  return std::string(WEFT_TEST_DIR) + "/interop/data/" + name + ".safetensors";
}
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("weft_safetensors_" + std::to_string(std::random_device{}()));
  Folder() { std::filesystem::create_directory(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
  std::string put(const std::string& bytes) const {
    std::ofstream(file("x"), std::ios::binary) << bytes;
    return file("x");
  }
};

std::string file_of(const std::string& header, size_t bytes) {
  std::string s;
  for (size_t i = 0; i < 8; ++i) s += static_cast<char>(header.size() >> 8 * i & 255);
  return s + header + std::string(bytes, '\0');
}
std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

struct Refused {
  std::string header;
  size_t bytes;
  const char* text;
};
std::vector<Refused> broken_headers() {
  const std::string a = entry("a", "F32", "[1]", "[0,4]");
  std::string ones;
  for (int i = 0; i < 65; ++i) ones += "1,";
  return {
      {" {}", 0, "begins with ' '"},
      {"[]", 0, "begins with '['"},
      {"", 0, "begins with ''"},
      {"{", 0, "byte 2 of the header: no JSON stands there"},
      {"{\"a\xff\":1}", 0, "of the header: no JSON stands there"},
      {"{" + a + "}x", 4, "of the header: no JSON stands there"},
      {"{\"a\":1e999}", 0, "the header: "},
      {"{\"a\":[[[[[]]]]]}", 0, "nested deeper"},
      {"{" + a + "," + a + "}", 4, "the name 'a' is there twice"},
      {"{\"__metadata__\":{\"x\":\"\",\"x\":\"\"}}", 0, "the name 'x' is there twice"},
      {"{\"a\":{\"shape\":[1],\"shape\":[1]}}", 0, "the name 'shape' is there twice"},
      {"{\"__metadata__\":3}", 0, "'__metadata__': it is not an object of texts"},
      {"{\"__metadata__\":{\"x\":1}}", 0, "the value of 'x' is not a text"},
      {"{\"a\":3}", 0, "array 'a': its entry is not an object"},
      {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 0, "array 'a': it has no \"data_offsets\""},
      {"{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "array 'a': it has no \"dtype\""},
      {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "array 'a': it has no \"shape\""},
      {"{\"a\":{\"dtype\":3,\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "\"dtype\" is not a text"},
      {"{" + entry("a", "X7", "[1]", "[0,4]") + "}", 4, "there is no element type 'X7'"},
      {"{" + entry("a", "F8_E5M2", "[1]", "[0,1]") + "}", 1, "convert the array to BF16"},
      {"{" + entry("a", "F32", "1", "[0,4]") + "}", 4, "\"shape\" is not a list"},
      {"{" + entry("a", "F32", "[1.0]", "[0,4]") + "}", 4, "1.0 is not a whole number"},
      {"{" + entry("a", "F32", "[-1]", "[0,4]") + "}", 4, "-1 is not a whole number"},
      {"{" + entry("a", "F32", "[true]", "[0,4]") + "}", 4, "true is not a whole number"},
      {"{" + entry("a", "F32", "[9223372036854775808]", "[0,4]") + "}", 4, "is too big"},
      {"{" + entry("a", "F32", "[4294967296,4294967296]", "[0,4]") + "}", 4, "is too big"},
      {"{" + entry("a", "F32", "[4611686018427387904]", "[0,0]") + "}", 0, "is too big"},
      {"{" + entry("a", "U8", "[" + ones + "1]", "[0,1]") + "}", 1, "it has 66 axes"},
      {"{" + entry("a", "F32", "[1]", "[0]") + "}", 4, "not a list of two numbers"},
      {"{" + entry("a", "F32", "[1]", "[0,4,8]") + "}", 4, "not a list of two numbers"},
      {"{" + entry("a", "F32", "[1]", "[4,0]") + "}", 4, "its bytes are [4, 0) of 4"},
      {"{" + a + "}", 3, "its bytes are [0, 4) of 3"},
      {"{" + a + "}", 5, "5 bytes follow the header, and the arrays have 4"},
      {"{}", 1, "1 bytes follow the header, and the arrays have 0"},
      {"{" + entry("a", "F32", "[2]", "[0,4]") + "}", 4,
       "has 8 bytes, and its data_offsets span 4"},
      {"{" + a + "," + entry("b", "F32", "[1]", "[2,6]") + "}", 6,
       "array 'b': its bytes begin at 2, inside those of the array before"},
      {"{" + a + "," + entry("b", "F32", "[1]", "[0,4]") + "}", 4,
       "array 'b': its bytes begin at 0, inside those of the array before"},
      {"{" + a + "," + entry("b", "F32", "[1]", "[8,12]") + "}", 12, "there is a gap"},
      {"{" + entry("a", "F32", "[1]", "[4,8]") + "}", 8, "there is a gap"},
  };
}

}  // namespace

TEST_CASE("arrays of all types are read from safetensors files", "[interop][safetensors]") {
  const auto all = io::load_safetensors(data("all_types"));
  CHECK(all.size() == 14);
  for (const auto& [name, x] : all) {
    INFO(name);
    CHECK(std::string(short_name(x.dtype())) == name);
    CHECK(x.shape() == Shape{2, 3});
    CHECK(array_equal(x, arange(6).reshape({2, 3}).astype(x.dtype())).item<bool>());
  }
  std::map<std::string, std::string> metadata{{"old", "gone"}};
  const auto some = io::load_safetensors(data("shapes"), {.metadata = &metadata});
  CHECK(metadata == std::map<std::string, std::string>{{"format", "pt"}});
  CHECK(some.at("scalar").item<float>() == 2.5);
  CHECK(some.at("scalar").ndim() == 0);
  CHECK(some.at("empty").shape() == Shape{2, 0, 3});
  CHECK(some.at("layer.0.\"w\"\n\u00e9").to_vector<int>() == std::vector<int>{1, -2, 3, -4});
  CHECK(io::load_safetensors(data("nothing")).empty());
  check_error<FormatError>([] { (void)io::load_safetensors(data("f8")); },
                           "array 'f8': elements of F8_E4M3 are not read; convert");
}

TEST_CASE("safetensors files are written as by the package", "[interop][safetensors]") {
  const Folder folder;
  for (const char* name : {"all_types", "shapes", "nothing"}) {
    INFO(name);
    std::map<std::string, std::string> metadata;
    const auto all = io::load_safetensors(data(name), {.metadata = &metadata});
    io::save_safetensors(folder.file("y"), all, {.metadata = metadata});
    CHECK(read_file(folder.file("y")) == read_file(data(name)));
    CHECK(!std::filesystem::exists(folder.file("y.part")));
  }
  // If a new file is refused, an older file stays unchanged.
  const std::string before = read_file(folder.file("y"));
  const auto save = [&](const std::string& name, const Array& x, const std::string& text = "") {
    io::save_safetensors(folder.file("y"), {{name, x}}, {.metadata = {{"text", text}}});
  };
  check_error<DTypeError>([&] { save("z", zeros({2}, C128)); }, "has no c128, which 'z' is");
  check_error<DTypeError>([&] { save("z", random::key(0)); }, "has no key, which 'z' is");
  check_error<FormatError>([&] { save("__metadata__", ones({2})); }, "may have the name");
  check_error<FormatError>([&] { save("\xff", ones({2})); }, "not UTF-8");
  check_error<FormatError>([&] { save("a", ones({2}), "\xff"); }, "not UTF-8");
  check_error<ConcretizationError>(
      [&] { jit([&](Array x) { return save("x", x), x; })(ones({2})); }, "is not known here");
  CHECK(read_file(folder.file("y")) == before);
  check_error<FormatError>([&] { io::save_safetensors(folder.file("no/y"), {{"a", ones({2})}}); },
                           "cannot be written");
  check_error<FormatError>([&] { (void)io::load_safetensors(folder.file("absent")); }, "absent: ");
  check_error<FormatError>([&] { (void)io::load_safetensors(folder.path.string()); },
                           "not a regular file");
  // Bools become 0 or 1, whatever the file contains.
  std::string bools = file_of("{" + entry("a", "BOOL", "[2]", "[0,2]") + "}", 2);
  bools.back() = '\x07';
  CHECK(io::load_safetensors(folder.put(bools)).at("a").astype(I32).to_vector<int>() ==
        std::vector<int>{0, 1});
}

TEST_CASE("broken safetensors files are refused", "[interop][safetensors]") {
  const Folder folder;
  for (const Refused& r : broken_headers()) {
    INFO(r.header);
    const std::string path = folder.put(file_of(r.header, r.bytes));
    check_error<FormatError>([&] { (void)io::load_safetensors(path); }, r.text);
    check_error<FormatError>([&] { (void)io::load_safetensors(path); }, path + ": ");
  }
  for (const char* name : {"all_types", "shapes"}) {
    const std::string whole = read_file(data(name));
    for (size_t n = 0; n < whole.size(); ++n) {
      INFO(name << " cut to " << n);
      const std::string path = folder.put(whole.substr(0, n));
      const std::string text = error_of<FormatError>([&] { (void)io::load_safetensors(path); });
      CHECK(text.rfind(path + ": ", 0) == 0);
    }
  }
  check_error<FormatError>([&] { (void)io::load_safetensors(folder.put("abc")); },
                           "the first 8 bytes: the file has no more");
  check_error<FormatError>(
      [&] { (void)io::load_safetensors(folder.put("\xff\xff\xff\xff\xff\xff\xff\xff{}")); },
      "a header of 18446744073709551615 bytes is promised, and the format allows 100000000");
  check_error<FormatError>(
      [&] { (void)io::load_safetensors(folder.put(std::string("\3\0\0\0\0\0\0\0{}", 10))); },
      "a header of 3 bytes is promised, and 2 follow");
}
