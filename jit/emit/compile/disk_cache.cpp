// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/disk_cache.cpp: one file per entry, named by its key. The file begins with a
// hash of the rest.
#include "jit/emit/compile/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <llvm-c/Core.h>
#include <llvm-c/blake3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/environment.h"
#include "core/ir.h"
#include "weft/version.h"

namespace weft::compiler {
namespace {

constexpr int64_t max_of_process = int64_t{1} << 30;
constexpr std::string_view mark = "weft-1\n";
constexpr const char* unfinished = ".new";
constexpr time_t abandoned = 3600;  // seconds until an unfinished file counts as abandoned

using Hash = std::array<uint8_t, LLVM_BLAKE3_OUT_LEN>;

Hash finish(llvm_blake3_hasher& h, std::string_view text) {
  Hash hash;
  llvm_blake3_hasher_update(&h, text.data(), text.size());
  llvm_blake3_hasher_finalize(&h, hash.data(), hash.size());
  return hash;
}

// The key includes the versions of Weft and LLVM that make the entry.
Hash hash_of_key(const std::string& key) {
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  llvm_blake3_hasher h;
  llvm_blake3_hasher_init(&h);
  return finish(h, fmt::format("{} {}.{}.{}\n{}", build_id(), major, minor, patch, key));
}
// Hashes a text together with its key, so that no entry's file is valid for another entry.
Hash hash_of_text(const Hash& key, std::string_view text) {
  llvm_blake3_hasher h;
  llvm_blake3_hasher_init_keyed(&h, key.data());
  return finish(h, text);
}
std::string name_of(const Hash& key) {
  std::string s;
  for (const uint8_t b : key) s += fmt::format("{:02x}", b);
  return s;
}

// Returns true if the file belongs to this user and nobody else has access, as for the files that
// Weft creates.
bool is_private(int fd, mode_t kind, struct stat* s) {
  return fstat(fd, s) == 0 && (s->st_mode & S_IFMT) == kind && s->st_uid == geteuid() &&
         (s->st_mode & 077) == 0;
}
class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  explicit operator bool() const { return fd_ >= 0; }
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// Returns -1 if the folder does not exist or is not private. It is opened again each time, because
// some programs close all files at some point.
int open_folder(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat s;
  if (fd < 0 || is_private(fd, S_IFDIR, &s)) return fd;
  close(fd);
  return -1;
}
bool make_folder(const std::string& folder) {
  for (size_t at = 1; at != std::string::npos;) {
    at = folder.find('/', at);
    const std::string part = folder.substr(0, at);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return false;
    if (at != std::string::npos) ++at;
  }
  return true;
}

bool read_all(const File& file, std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = read(file.fd(), text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<size_t>(n);
  }
  return true;
}
bool write_all(const File& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(file.fd(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

struct Entry {
  std::string name;
  int64_t bytes;
  timespec used;
};
std::vector<Entry> entries_of(const File& folder) {
  std::vector<Entry> entries;
  const int fd = openat(folder.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(fd < 0 ? nullptr : fdopendir(fd), closedir);
  if (!dir) return entries;
  while (const dirent* d = readdir(dir.get())) {
    struct stat s;
    if (fstatat(folder.fd(), d->d_name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode))
      entries.push_back({d->d_name, s.st_size, s.st_mtim});
  }
  return entries;
}

std::string folder_of_process() {
  if (!switch_of("WEFT_CACHE", secure_getenv("WEFT_CACHE"), true)) return "";
  std::error_code ignored;
  if (const char* s = secure_getenv("WEFT_CACHE_DIR"); s && *s)
    return std::filesystem::absolute(s, ignored) / "kernels";
  for (const auto& [variable, below] :
       {std::pair{"XDG_CACHE_HOME", "/weft"}, {"HOME", "/.cache/weft"}})
    if (const char* s = secure_getenv(variable); s && *s == '/')
      return std::string(s) + below + "/kernels";
  return "";
}

}  // namespace

DiskCache& DiskCache::of_process() {
  // Without a build id the writer of an entry is unknown.
  static auto& cache =
      *new DiskCache(build_id().empty() ? "" : folder_of_process(), max_of_process);
  return cache;
}

std::optional<std::string> DiskCache::find(const std::string& key) {
  if (folder_.empty()) return {};
  const Hash hash = hash_of_key(key);
  const std::string name = name_of(hash);
  const File folder(open_folder(folder_));
  const File file(
      folder ? openat(folder.fd(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
             : -1);
  constexpr size_t head = mark.size() + sizeof(Hash);
  struct stat s;
  std::string text;
  bool whole = file && is_private(file.fd(), S_IFREG, &s) &&
               s.st_size >= static_cast<off_t>(head) && s.st_size <= max_bytes_;
  if (whole) {
    text.resize(s.st_size);
    whole = read_all(file, text);
  }
  if (whole) {
    const Hash expected = hash_of_text(hash, std::string_view(text).substr(head));
    whole = text.starts_with(mark) &&
            std::equal(expected.begin(), expected.end(),
                       reinterpret_cast<const uint8_t*>(text.data()) + mark.size());
  }
  if (!whole) {
    ++misses_;
    if (file && unlinkat(folder.fd(), name.c_str(), 0) == 0) ++damaged_;
    return {};
  }
  ++hits_;
  futimens(file.fd(), nullptr);  // marks it as used now
  text.erase(0, head);
  return text;
}

void DiskCache::store(const std::string& key, const std::string& text) {
  const auto bytes = static_cast<int64_t>(text.size());
  if (folder_.empty() || bytes > max_bytes_ / 4 || !make_folder(folder_)) return;
  const File folder(open_folder(folder_));
  if (!folder) return;
  const Hash hash = hash_of_key(key);
  const std::string name = name_of(hash);
  static std::atomic<uint64_t> serial{0};
  const std::string draft = fmt::format("{}.{}.{}{}", name, getpid(), serial++, unfinished);
  const File file(openat(folder.fd(), draft.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return;
  const Hash tag = hash_of_text(hash, text);
  const std::string_view tag_text(reinterpret_cast<const char*>(tag.data()), tag.size());
  if (!write_all(file, mark) || !write_all(file, tag_text) || !write_all(file, text) ||
      renameat(folder.fd(), draft.c_str(), folder.fd(), name.c_str()) != 0) {
    unlinkat(folder.fd(), draft.c_str(), 0);
    return;
  }
  ++stored_;
  const int64_t unseen = unseen_bytes_.fetch_add(bytes);
  if (unseen < 0 || unseen + bytes > max_bytes_ / 16) trim();
}

void DiskCache::trim() {
  unseen_bytes_ = 0;
  const File folder(open_folder(folder_));
  if (!folder) return;
  std::vector<Entry> entries = entries_of(folder);
  int64_t total = 0;
  for (const Entry& e : entries) {
    total += e.bytes;
    if (e.name.ends_with(unfinished) && e.used.tv_sec < std::time(nullptr) - abandoned)
      unlinkat(folder.fd(), e.name.c_str(), 0);
  }
  if (total <= max_bytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (const Entry& e : entries) {
    if (total <= max_bytes_ / 4 * 3) break;
    if (unlinkat(folder.fd(), e.name.c_str(), 0) == 0) total -= e.bytes;
  }
}

std::string DiskCache::describe() const {
  if (folder_.empty()) return "in memory, for one process";
  if (access(folder_.c_str(), F_OK) != 0) return folder_ + ", empty";
  const File folder(open_folder(folder_));
  if (!folder) return folder_ + " is not used: it must be a folder of mode 700 of this user";
  int64_t total = 0;
  const std::vector<Entry> entries = entries_of(folder);
  for (const Entry& e : entries) total += e.bytes;
  return fmt::format("{}, {} entries, {:.1f} MiB", folder_, entries.size(),
                     static_cast<double>(total) / (1 << 20));
}

}  // namespace weft::compiler
