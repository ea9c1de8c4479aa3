// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/cuda/toolkit.h: runs the programs of NVIDIA's toolkit, if they are installed, and parses
// their reports on kernels.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::toolkit {

// The folders of the programs from PyPI, in build/venv of the checkout `root`.
inline std::vector<std::filesystem::path> pinned_folders(const std::string& root) {
  namespace fs = std::filesystem;
  std::vector<fs::path> folders;
  std::error_code none;
  for (const auto& python : fs::directory_iterator(fs::path(root) / "build/venv/lib", none))
    for (const auto& cuda : fs::directory_iterator(python.path() / "site-packages/nvidia", none))
      folders.push_back(cuda.path() / "bin");
  return folders;
}
inline std::string find_in(const std::vector<std::filesystem::path>& folders,
                           const std::string& name) {
  for (const std::filesystem::path& folder : folders)
    if (const auto p = folder / name; access(p.c_str(), X_OK) == 0) return p.string();
  return {};
}
// Finds a program by name: in CUDA_HOME, else on PATH, else from PyPI. Empty if it is not found.
inline std::string find(const std::string& name, const std::string& root) {
  std::vector<std::filesystem::path> folders;
  if (const char* home = std::getenv("CUDA_HOME"); home && *home)
    folders.push_back(std::filesystem::path(home) / "bin");
  const char* path = std::getenv("PATH");
  std::istringstream parts(path ? path : "");
  for (std::string part; std::getline(parts, part, ':');)
    if (!part.empty()) folders.emplace_back(part);
  const std::vector<std::filesystem::path> pinned = pinned_folders(root);
  folders.insert(folders.end(), pinned.begin(), pinned.end());
  return find_in(folders, name);
}

// The output of a command on both streams, and its status.
struct Said {
  int status;
  std::string text;
};
inline Said run(const std::string& command) {
  Said said{-1, {}};
  std::FILE* from = popen((command + " 2>&1").c_str(), "r");
  if (!from) return said;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, from)) > 0;) said.text.append(buffer, n);
  const int status = pclose(from);
  said.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

// A temporary folder, removed by the destructor.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "weft_toolkit_XXXXXX") {
    std::string name = path_.string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  Folder(const Folder&) = delete;
  std::string operator/(const char* file) const { return (path_ / file).string(); }

 private:
  std::filesystem::path path_;
};

// The resources of a thread of a kernel; `shared` is the shared memory of its block in bytes.
struct Resources {
  int64_t registers = 0, stack = 0, spilled = 0, shared = 0;
};

// The number before `unit`; 0 if it is missing.
inline int64_t number_before(const std::string& line, const std::string& unit) {
  const size_t at = line.find(" " + unit);
  if (at == std::string::npos) return 0;
  size_t from = at;
  while (from > 0 && line[from - 1] >= '0' && line[from - 1] <= '9') --from;
  return std::strtoll(line.c_str() + from, nullptr, 10);
}

// By entry, from the output of `ptxas -v`.
inline std::map<std::string, Resources> read_resources(const std::string& text) {
  std::map<std::string, Resources> r;
  Resources* at = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string compiling = "Compiling entry function '";
    if (const size_t k = line.find(compiling); k != std::string::npos) {
      const size_t from = k + compiling.size();
      at = &r[line.substr(from, line.find('\'', from) - from)];
    }
    if (!at) continue;
    at->stack = std::max(at->stack, number_before(line, "bytes stack frame"));
    at->spilled = std::max(at->spilled, number_before(line, "bytes spill stores") +
                                            number_before(line, "bytes spill loads"));
    at->registers = std::max(at->registers, number_before(line, "registers"));
    at->shared = std::max(at->shared, number_before(line, "bytes smem"));
  }
  return r;
}

struct Assembled {
  std::string error;  // of ptxas; empty: the text is valid
  std::map<std::string, Resources> entries;
};

// Assembles PTX with this ptxas for an architecture ("sm_80") into the file `cubin`. If `part`, the
// text may call functions that it does not define.
inline Assembled assemble(const std::string& ptxas, const std::string& ptx,
                          const std::string& architecture, const std::string& cubin,
                          bool part = false) {
  const Folder folder;
  std::ofstream(folder / "kernels.ptx") << ptx;
  const Said said = run(ptxas + (part ? " -c" : "") + " -v -arch=" + architecture + " -o " + cubin +
                        " " + (folder / "kernels.ptx"));
  if (said.status != 0) return {said.text + "\n" + ptx, {}};
  return {{}, read_resources(said.text)};
}

}  // namespace weft::toolkit
