// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/target.cpp: reads the host's processor and features from LLVM.
#include "jit/schedule/target.h"

#include <fmt/format.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>

#include <cstdlib>
#include <utility>

#include "core/environment.h"
#include "runtime/native/cpu.h"

namespace weft::compiler {
namespace {

// Returns what all processors that can run this process have in common.
TargetInfo for_process() {
  TargetInfo t;
  t.triple = llvm::sys::getProcessTriple();
  t.non_temporal = t.triple.starts_with("x86_64");
  return t;
}

TargetInfo host_cpu() {
  const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  TargetInfo t = for_process();
  t.cpu = llvm::sys::getHostCPUName().str();
  for (const auto& f : host)
    t.features +=
        fmt::format("{}{}{}", t.features.empty() ? "" : ",", f.second ? "+" : "-", f.first().str());
  t.mask_registers = native::processor_level() == native::CpuLevel::v4;
  t.vector_width = native::vector_width(native::processor_level());
  t.half = host.lookup("f16c") || host.lookup("neon") || host.lookup("fp-armv8");
  return t;
}

}  // namespace

TargetInfo target_named(const std::string& cpu) {
  const std::optional<native::CpuLevel> level = native::cpu_level_named(cpu);
  if (!level) return host_cpu();
  TargetInfo t = for_process();
  t.cpu = cpu;
  t.vector_width = native::vector_width(*level);
  t.half = *level >= native::CpuLevel::v3;
  t.mask_registers = *level == native::CpuLevel::v4;
  return t;
}

namespace {
// The first version of PTX that supports an architecture. Newer text requires newer drivers.
struct PtxVersion {
  int architecture;
  const char* feature;
};
constexpr PtxVersion ptx_versions[] = {
    {90, "+ptx78"}, {89, "+ptx78"}, {87, "+ptx74"}, {86, "+ptx71"}, {0, "+ptx70"}};
constexpr int newest_gpu = 90;  // supported by LLVM; later GPUs accept its PTX
}  // namespace

TargetInfo gpu_target(const std::string& architecture) {
  const int number = std::atoi(architecture.c_str() + architecture.find('_') + 1);
  TargetInfo t;
  t.triple = "nvptx64-nvidia-cuda";
  t.cpu = number > newest_gpu ? fmt::format("sm_{}", newest_gpu) : architecture;
  const bool alone = architecture.ends_with('a');  // features of this architecture only
  for (const PtxVersion& v : ptx_versions)
    if (t.features.empty() && number >= v.architecture) t.features = alone ? "+ptx80" : v.feature;
  t.vector_width = 1;
  t.half = true;
  t.tensor_cores = number >= 80;
  return t;
}

const TargetInfo& host_target() {
  static const TargetInfo target = [] {
    TargetInfo t = target_named(native::forced_cpu());
    t.checked = switch_of_environment("WEFT_CHECK");
    return t;
  }();
  return target;
}

namespace {
thread_local const TargetInfo* chosen = nullptr;
}

const TargetInfo& current_target() { return chosen ? *chosen : host_target(); }
const TargetInfo* scoped_target() { return chosen; }
Target implementation_target() {
  if (chosen) return {chosen->gpu(), chosen->vector_width, chosen->libraries};
  return {false, native::vector_width(native::cpu_level())};
}
TargetScope::TargetScope(const TargetInfo& t)
    : before_(std::exchange(chosen, &t)), platform_(t.gpu() ? "cuda" : "cpu") {}
TargetScope::~TargetScope() { chosen = before_; }

}  // namespace weft::compiler
