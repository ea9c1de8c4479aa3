// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/target.cpp: asks LLVM for the host's processor and features, and reads WEFT_CPU.
#include "weft/jit/schedule/target.h"

#include <fmt/format.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "weft/core/error.h"

namespace weft::compiler {
namespace {

TargetInfo native(const llvm::StringMap<bool>& host) {
  TargetInfo t;
  t.triple = llvm::sys::getProcessTriple();
  t.cpu = llvm::sys::getHostCPUName().str();
  for (const auto& f : host)
    t.features +=
        fmt::format("{}{}{}", t.features.empty() ? "" : ",", f.second ? "+" : "-", f.first().str());
  t.mask_registers = host.lookup("avx512f") && host.lookup("avx512bw") && host.lookup("avx512dq") &&
                     host.lookup("avx512vl");
  t.lanes = t.mask_registers ? 16 : host.lookup("avx2") ? 8 : 4;
  t.half = host.lookup("f16c") || host.lookup("neon") || host.lookup("fp-armv8");
  return t;
}

}  // namespace

TargetInfo target_named(const std::string& cpu) {
  const auto host = llvm::sys::getHostCPUFeatures();
  const TargetInfo all = native(host);
  if (cpu.empty() || cpu == "native") return all;
  TargetInfo t;
  t.triple = all.triple;
  t.cpu = cpu;
  bool runs = true;
  if (cpu == "x86-64-v2") {
    runs = host.lookup("sse4.2");
  } else if (cpu == "x86-64-v3") {
    t.lanes = 8;
    t.half = true;
    runs = host.lookup("avx2") && host.lookup("fma");
  } else if (cpu == "x86-64-v4") {
    t.lanes = 16;
    t.half = t.mask_registers = true;
    runs = all.mask_registers;
  } else {
    throw CompileError(
        fmt::format("WEFT_CPU is \"{}\"; choose x86-64-v2, x86-64-v3, x86-64-v4 or native", cpu));
  }
  if (!runs)
    throw CompileError(fmt::format(
        "WEFT_CPU is {}, which this machine ({}) cannot run; choose a lower level or native", cpu,
        all.cpu));
  return t;
}

const TargetInfo& host_target() {
  static const TargetInfo target = [] {
    const char *cpu = std::getenv("WEFT_CPU"), *check = std::getenv("WEFT_CHECK");
    TargetInfo t = target_named(cpu ? cpu : "");
    t.checked = check && *check && std::strcmp(check, "0") != 0;
    return t;
  }();
  return target;
}

namespace {
thread_local const TargetInfo* chosen = nullptr;
}

const TargetInfo& current_target() { return chosen ? *chosen : host_target(); }
const TargetInfo* chosen_target() { return chosen; }
TargetScope::TargetScope(const TargetInfo& t) : before_(std::exchange(chosen, &t)) {}
TargetScope::~TargetScope() { chosen = before_; }

}  // namespace weft::compiler
