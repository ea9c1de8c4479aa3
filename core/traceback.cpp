// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/traceback.cpp: walks the stack, omits the frames of Weft and of the system, and names
// the others.
#include "core/traceback.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "core/environment.h"

namespace weft {
namespace {

constexpr int max_frames = 64;

struct Frame {
  std::string module;  // the file of the program or library
  uintptr_t at = 0;    // its address there
  std::string text;    // the text that is shown
};

bool is_system(std::string_view module) {
  for (const char* name :
       {"/libc.so", "/libstdc++.so", "/libgcc_s.so", "/ld-linux", "/libtbb.so", "/libpthread.so"})
    if (module.find(name) != std::string_view::npos) return true;
  return false;
}

// Functions of Weft's headers that are compiled into the program. They are between the user's
// functions.
bool is_own(std::string_view function) {
  if (constexpr std::string_view deduced = "decltype(auto) "; function.starts_with(deduced))
    function.remove_prefix(deduced.size());
  const size_t arguments = function.find('(');
  return function.substr(0, arguments).find("weft::") != std::string_view::npos;
}

std::string demangled(const char* symbol) {
  int status = 0;
  char* const name = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string r = status == 0 ? name : symbol;
  std::free(name);
  return r;
}

std::vector<Frame> frames_of_user() {
  std::array<void*, max_frames> pcs;
  const int n = backtrace(pcs.data(), max_frames);
  Dl_info own{}, info{};
  dladdr(reinterpret_cast<void*>(&traceback), &own);
  std::vector<Frame> r;
  for (int i = 0; i < n; ++i) {
    // The call is before the address to which it returns.
    const char* const call = static_cast<const char*>(pcs[i]) - 1;
    if (!dladdr(call, &info) || !info.dli_fname) continue;
    if (info.dli_fbase == own.dli_fbase || is_system(info.dli_fname)) continue;
    const auto pc = reinterpret_cast<uintptr_t>(call),
               base = reinterpret_cast<uintptr_t>(info.dli_fbase);
    const bool moves = static_cast<const Elf64_Ehdr*>(info.dli_fbase)->e_type == ET_DYN;
    Frame f{info.dli_fname, moves ? pc - base : pc, {}};
    f.text = info.dli_sname ? demangled(info.dli_sname) : fmt::format("{}+{:#x}", f.module, f.at);
    r.push_back(std::move(f));
  }
  return r;
}

// Names, files and lines by binutils' addr2line, if it is installed. Functions that are not
// exported have names only in the program's file.
void look_up(std::vector<Frame>* frames) {
  for (size_t i = 0; i < frames->size();) {
    const std::string& module = (*frames)[i].module;
    std::string command = fmt::format("addr2line -C -f -p -e '{}'", module);
    size_t end = i;
    for (; end < frames->size() && (*frames)[end].module == module; ++end)
      command += fmt::format(" {:#x}", (*frames)[end].at);
    std::FILE* const out = module.find('\'') == std::string::npos
                               ? popen((command + " 2>/dev/null").c_str(), "r")
                               : nullptr;
    std::array<char, 4096> line;
    for (; out && i < end && std::fgets(line.data(), line.size(), out); ++i) {
      std::string text = line.data();
      text.erase(text.find_last_not_of('\n') + 1);
      if (const size_t unknown = text.find(" at ??:"); unknown != std::string::npos)
        text.erase(unknown);
      if (!text.starts_with("??")) (*frames)[i].text = text;
    }
    if (out) pclose(out);
    i = end;
  }
}

}  // namespace

std::string traceback() {
  // An error is being constructed, so an invalid switch is reported in its text.
  constexpr auto name = "WEFT_TRACEBACK";
  const char* const value = std::getenv(name);
  const std::optional<bool> wanted = read_switch(value, false);
  if (!wanted) return "\n" + bad_switch(name, value);
  if (!*wanted) return {};
  std::vector<Frame> frames = frames_of_user();
  look_up(&frames);
  std::string r = "\ncalled from, innermost first (WEFT_TRACEBACK=1):";
  for (const Frame& f : frames) {
    if (is_own(f.text) || f.text.starts_with("_start")) continue;
    r += "\n  " + f.text;
  }
  return r;
}

}  // namespace weft
