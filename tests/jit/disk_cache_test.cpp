// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/disk_cache_test.cpp: other processes find the files of the cache. A folder in any state
// never changes the result of a program.
#include "jit/emit/compile/disk_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include "jit/emit/compile/gpu_code.h"
#include "jit/emit/control_kernels.h"
#include "jit/schedule/choose/choose.h"
#include "support/catch.h"
#include "weft/version.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using compiler::DiskCache;

// A folder that does not exist yet, inside a temporary one.
struct Place {
  Place() {
    char name[] = "/tmp/weft_disk_cache_XXXXXX";
    REQUIRE(mkdtemp(name));
    top = name;
    folder = top / "a" / "b";
  }
  ~Place() { fs::remove_all(top); }
  Place(const Place&) = delete;
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& e : fs::directory_iterator(folder)) all.push_back(e.path());
    return all;
  }
  fs::path top, folder;
};
constexpr int64_t plenty = 1 << 20;

std::string read(const fs::path& p) {
  std::ifstream in(p, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const fs::path& p, const std::string& text) {
  std::ofstream(p, std::ios::binary | std::ios::trunc) << text;
}
mode_t mode(const fs::path& p) {
  struct stat s;
  REQUIRE(stat(p.c_str(), &s) == 0);
  return s.st_mode & 0777;
}

}  // namespace

TEST_CASE("the library knows the hash of its build", "[jit][disk_cache]") {
  CHECK(build_id().size() == 20);
}

TEST_CASE("one cache object finds the entries of another", "[jit][disk_cache]") {
  const Place place;
  DiskCache one(place.folder, plenty), two(place.folder, plenty);
  CHECK(!one.find("key"));
  int made = 0;
  const auto make = [&] {
    ++made;
    return std::string("text\0of any kind\n", 17);
  };
  CHECK(one.get("key", make) == make());
  CHECK(two.get("key", make) == make());
  CHECK(made == 3);  // two of them are from the test itself
  CHECK(!two.find("another key"));
  CHECK(two.counts().hits == 1);
  CHECK(two.counts().misses == 1);
  one.store("empty", "");
  CHECK(two.find("empty") == "");
  CHECK(place.files().size() == 2);
  CHECK(mode(place.folder) == 0700);
  for (const fs::path& p : place.files()) CHECK(mode(p) == 0600);
}

TEST_CASE("a damaged file of the cache is not used, and is replaced", "[jit][disk_cache]") {
  const Place place;
  DiskCache cache(place.folder, plenty);
  cache.store("key", "some text");
  cache.store("other", "other text");
  const fs::path file = place.files()[0];
  const std::string key = cache.find("key") && read(file).ends_with("some text") ? "key" : "other",
                    text = *cache.find(key), whole = read(file);
  int64_t broken = 0;
  const auto mended = [&] {
    CHECK(!cache.find(key));
    CHECK(cache.counts().damaged == ++broken);
    CHECK(!fs::exists(file));
    CHECK(cache.get(key, [&] { return text; }) == text);
    CHECK(read(file) == whole);
    CHECK(cache.find(key) == text);
  };
  for (size_t i = 0; i < whole.size(); ++i) {
    CAPTURE(i);
    std::string changed = whole;
    changed[i] ^= 1;
    write(file, changed);
    mended();
  }
  for (const std::string& wrong : {std::string(), whole.substr(0, 7), whole.substr(0, 39),
                                   whole.substr(0, whole.size() - 1), whole + "x"}) {
    write(file, wrong);
    mended();
  }
  write(file, read(place.files()[0] == file ? place.files()[1] : place.files()[0]));
  mended();  // the complete file of another key
  REQUIRE(chmod(file.c_str(), 0644) == 0);
  mended();
  fs::remove(file);
  write(place.top / "elsewhere", whole);
  fs::create_symlink(place.top / "elsewhere", file);
  CHECK(!cache.find(key));
  cache.store(key, text);
  CHECK(cache.find(key) == text);
  CHECK(fs::is_regular_file(fs::symlink_status(file)));
  CHECK(read(place.top / "elsewhere") == whole);
}

TEST_CASE("a cache folder that other users may enter is not used", "[jit][disk_cache]") {
  const Place place;
  DiskCache cache(place.folder, plenty);
  cache.store("key", "text");
  for (const mode_t wide : {0750, 0705, 0770, 0777}) {
    REQUIRE(chmod(place.folder.c_str(), wide) == 0);
    CHECK(!cache.find("key"));
    cache.store("another", "text");
    CHECK(cache.describe().find("is not used") != std::string::npos);
    CHECK(place.files().size() == 1);
  }
  REQUIRE(chmod(place.folder.c_str(), 0700) == 0);
  CHECK(cache.find("key") == "text");
  CHECK(cache.describe().find("1 entries") != std::string::npos);

  fs::rename(place.folder, place.top / "moved");
  fs::create_directory_symlink(place.top / "moved", place.folder);
  CHECK(!cache.find("key"));
  fs::remove(place.folder);
  write(place.folder, "a file");
  cache.store("key", "text");
  CHECK(!cache.find("key"));
  CHECK(read(place.folder) == "a file");
  if (geteuid() == 0) {  // only root can give a file to another user
    fs::remove(place.folder);
    fs::rename(place.top / "moved", place.folder);
    CHECK(cache.find("key"));
    REQUIRE(chown(place.files()[0].c_str(), 12345, 12345) == 0);
    CHECK(!cache.find("key"));
    cache.store("key", "text");
    REQUIRE(chown(place.folder.c_str(), 12345, 12345) == 0);
    CHECK(!cache.find("key"));
  }
  DiskCache none("", plenty);
  none.store("key", "text");
  CHECK(!none.find("key"));
  CHECK(none.get("key", [] { return std::string("made"); }) == "made");
}

TEST_CASE("the least used entries are removed if the cache is full", "[jit][disk_cache]") {
  const Place place;
  DiskCache cache(place.folder, 100'000);
  const std::string text(10'000, 'x');
  cache.store("precious", text);
  for (int i = 0; i < 40; ++i) {
    cache.store(std::to_string(i), text);
    CHECK(cache.find("precious") == text);  // its use keeps it in the cache
    int64_t bytes = 0;
    for (const fs::path& p : place.files()) bytes += static_cast<int64_t>(fs::file_size(p));
    CHECK(bytes <= 110'000);
  }
  CHECK(cache.find("39") == text);
  CHECK(!cache.find("3"));
  cache.store("large", std::string(30'000, 'y'));  // it would displace too many entries
  CHECK(!cache.find("large"));

  // These are files that a process left when it ended while writing.
  const fs::path old = place.folder / "0.1.2.new", recent = place.folder / "0.1.3.new";
  write(old, "half");
  write(recent, "half");
  const timespec times[] = {{1'000'000, 0}, {1'000'000, 0}};
  REQUIRE(utimensat(AT_FDCWD, old.c_str(), times, 0) == 0);
  DiskCache(place.folder, 100'000).store("one more", "text");
  CHECK(!fs::exists(old));
  CHECK(fs::exists(recent));
}

TEST_CASE("threads read whole entries or none while others write", "[jit][disk_cache]") {
  const Place place;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      DiskCache cache(place.folder, plenty);
      for (int i = 0; i < 200; ++i) {
        const std::string key = std::to_string((i + t) % 5), text(1000, key[0]);
        wrong += cache.get(key, [&] { return text; }) != text;
        if (i % 3 == 0) cache.store(key, text);
        wrong += cache.counts().damaged != 0;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("images of each kind of GPU, kernel and schedule are entries of their own",
          "[jit][disk_cache]") {
  using namespace compiler;
  const auto key = [](const nest::Kernel& k, const TargetInfo& t, int points = 1) {
    Schedule s = choose_schedule(k, t);
    s.points = points;
    return gpu_image_key(k, s, t);
  };
  const nest::Kernel k = collatz(nest::Vector::grid);
  TargetInfo emulated = gpu_target("sm_90"), newer = gpu_target("sm_90");
  emulated.emulated = true;
  newer.features = "+ptx83";
  const std::vector<std::string> keys = {key(k, gpu_target("sm_80")),
                                         key(k, gpu_target("sm_90")),
                                         key(k, gpu_target("sm_90a")),
                                         key(k, newer),
                                         key(k, emulated),
                                         key(k, gpu_target("sm_90"), 4),
                                         key(mandelbrot(nest::Vector::grid), gpu_target("sm_90"))};
  CHECK(std::set<std::string>(keys.begin(), keys.end()).size() == keys.size());
  CHECK(key(k, gpu_target("sm_80")) == keys[0]);
}

}  // namespace weft
