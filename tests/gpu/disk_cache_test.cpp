// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/disk_cache_test.cpp: a second process emits and compiles no kernel that a first one has
// compiled. Results do not change with another kind of GPU, with a broken entry or without the
// cache.
#include "jit/emit/compile/disk_cache.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "gpu/emulated.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;

namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() {
    char name[] = "/tmp/weft_gpu_cache_XXXXXX";
    REQUIRE(mkdtemp(name));
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  std::vector<fs::path> entries() const {
    std::vector<fs::path> all;
    for (const auto& e : fs::directory_iterator(path / "kernels")) all.push_back(e.path());
    return all;
  }
  fs::path path;
};

// Returns the output of "kernels through the cache" in a new process with these variables.
std::string child(const std::string& variables) {
  const std::string self = fs::read_symlink("/proc/self/exe");
  std::FILE* const said =
      popen(("env " + variables + " '" + self + "' '[through_cache]' 2>&1").c_str(), "r");
  REQUIRE(said);
  std::string text;
  for (int c; (c = std::fgetc(said)) != EOF;) text += static_cast<char>(c);
  const bool failed = pclose(said) != 0;
  INFO(text);
  CHECK(!failed);
  const size_t from = text.find("cache:"), to = text.find('\n', from);
  REQUIRE(from != text.npos);
  return text.substr(from, to - from);
}

}  // namespace

TEST_CASE("kernels through the cache", "[.][through_cache]") {
  const auto f = [](Array v) { return nn::softmax(sin(v) * 2).sum(0) + cumsum(v, 1)[2]; };
  const Array x = sin(arange(300.)).reshape({3, 100});
  const Array here = jit(f)(x), there = jit(f)(device_put(x, "cuda:1"));
  CHECK(array_equal(here, device_put(there, "cpu"), true).item<bool>());
  const auto c = compiler::DiskCache::of_process().counts();
  std::cout << fmt::format("cache: {} found, {} missing, {} broken, {} kept", c.hits, c.misses,
                           c.damaged, c.stored)
            << "\n";
}

TEST_CASE("a second process uses the code of the first", "[gpu][disk_cache]") {
  const Folder folder;
  const std::string cached = "WEFT_CACHE_DIR=" + folder.path.string();
  const std::string first = child(cached);
  const size_t n = folder.entries().size();
  REQUIRE(n > 0);
  CHECK(first == fmt::format("cache: 0 found, {0} missing, 0 broken, {0} kept", n));
  CHECK(child(cached) == fmt::format("cache: {} found, 0 missing, 0 broken, 0 kept", n));

  // Each entry is replaced by the text of a kernel that does nothing. The cache must reject it.
  for (const fs::path& p : folder.entries())
    std::ofstream(p, std::ios::in | std::ios::binary).seekp(-20, std::ios::end)
        << "  ret void\n}\n";
  CHECK(child(cached) == fmt::format("cache: 0 found, {0} missing, {0} broken, {0} kept", n));
  CHECK(child(cached) == fmt::format("cache: {} found, 0 missing, 0 broken, 0 kept", n));

  CHECK(child(cached + " WEFT_CACHE=0") == "cache: 0 found, 0 missing, 0 broken, 0 kept");
  CHECK(child("-u WEFT_CACHE_DIR -u XDG_CACHE_HOME -u HOME") ==
        "cache: 0 found, 0 missing, 0 broken, 0 kept");
  fs::permissions(folder.path / "kernels", fs::perms::all);
  CHECK(child(cached) == fmt::format("cache: 0 found, {} missing, 0 broken, 0 kept", n));
}
