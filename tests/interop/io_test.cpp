// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/io_test.cpp: saves Arrays to files and loads them.
#include <filesystem>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
// A temporary folder.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("weft_io_test_" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};
bool same(const Array& a, const Array& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         static_cast<bool>(array_equal(a, b, is_inexact(a.dtype())));
}
}  // namespace

TEST_CASE("an Array comes back from its file", "[io]") {
  const Folder at;
  for (const DType d : {Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64, C64, C128})
    for (const Shape& s : {Shape{2, 3}, Shape{}, Shape{0, 4}}) {
      const Array x = (arange(static_cast<double>(s.elements())) - 2.).reshape(s).astype(d);
      io::save_npy(at / "x.npy", x);
      const Array back = io::load_npy(at / "x.npy");
      INFO(to_string(x.type()));
      CHECK(same(back, x));
      CHECK_FALSE(back.weak_type());
    }
  // NumPy wrote this file in big-endian order.
  CHECK(same(io::load_npy(std::string(WEFT_GOLDEN_DIR) + "/npy/int32_big.npy"),
             io::load_npy(std::string(WEFT_GOLDEN_DIR) + "/npy/int32_c.npy")));
}

TEST_CASE("many Arrays in one file, packed or not", "[io]") {
  const Folder at;
  const std::map<std::string, Array> all{{"w", zeros({100, 100})}, {"step", Array(7)}};
  io::save_npz(at / "a.npz", all);
  io::save_npz(at / "b.npz", all, {.compress = true});
  for (const char* name : {"a.npz", "b.npz"}) {
    const auto back = io::load_npz(at / name);
    CHECK(back.size() == 2);
    CHECK(same(back.at("w"), all.at("w")));
    CHECK(back.at("step").item<int>() == 7);
  }
  CHECK(std::filesystem::file_size(at / "b.npz") < std::filesystem::file_size(at / "a.npz") / 10);
}

TEST_CASE("files that cannot be read or written give the reason", "[io][errors]") {
  const Folder at;
  check_error<FormatError>([&] { io::load_npy(at / "none.npy"); }, "none.npy");
  check_error<FormatError>([&] { io::load_npz(at / "none.npz"); }, "none.npz");
  check_error<DTypeError>([&] { io::save_npy(at / "h.npy", ones({2}, BF16)); },
                          "the npy format has no bfloat16");
  check_error<ConcretizationError>(
      [&] {
        jit([&](Array x) {
          io::save_npy(at / "t.npy", x);
          return x;
        })(1.);
      },
      "not known here");
}
