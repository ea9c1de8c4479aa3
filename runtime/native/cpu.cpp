// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/cpu.cpp: detects the processor's level, and reads WEFT_CPU.
#include "runtime/native/cpu.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "weft/error.h"

namespace weft::native {
namespace {
constexpr std::array<const char*, 4> names{"baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
}  // namespace

const char* name_of(CpuLevel l) { return names[static_cast<size_t>(l)]; }

int vector_width(CpuLevel l) { return l == CpuLevel::v4 ? 16 : l == CpuLevel::v3 ? 8 : 4; }

CpuLevel processor_level() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const CpuLevel level = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("sse4.2")) return CpuLevel::baseline;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return CpuLevel::v2;
    const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return v4 ? CpuLevel::v4 : CpuLevel::v3;
  }();
  return level;
#else
  return CpuLevel::baseline;
#endif
}

std::optional<CpuLevel> cpu_level_named(const std::string& name, CpuLevel most) {
  if (name.empty() || name == "native") return {};
  for (const CpuLevel level : {CpuLevel::v2, CpuLevel::v3, CpuLevel::v4}) {
    if (name != name_of(level)) continue;
    if (level <= most) return level;
    throw CompileError(
        fmt::format("WEFT_CPU is {}, which this machine ({}) cannot run; choose a lower level or "
                    "native",
                    name, name_of(most)));
  }
  throw CompileError(
      fmt::format("WEFT_CPU is \"{}\"; choose x86-64-v2, x86-64-v3, x86-64-v4 or native", name));
}

std::string forced_cpu() {
  const char* name = std::getenv("WEFT_CPU");
  return name ? name : "";
}

CpuLevel cpu_level() {
  static const CpuLevel level = cpu_level_named(forced_cpu()).value_or(processor_level());
  return level;
}

}  // namespace weft::native
