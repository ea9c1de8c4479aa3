// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/info.cpp: weft info: describes this build of Weft and the machine.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zip.h>

#include <cstdio>
#include <thread>

#include "jit/emit/compile/disk_cache.h"
#include "jit/libraries.h"
#include "jit/schedule/target.h"
#include "runtime/backend.h"
#include "runtime/cuda/device.h"
#include "runtime/native/cpu.h"
#include "tools/weft/command.h"
#include "weft/device.h"
#include "weft/device/threads.h"
#include "weft/version.h"

namespace weft::tools {
namespace {

// The processor's features, with LLVM's names: "+avx2,-amx".
std::string present(const std::string& features) {
  std::string s;
  for (size_t at = 0; at < features.size();) {
    const size_t end = std::min(features.find(',', at), features.size());
    if (features[at] == '+') s += (s.empty() ? "" : " ") + features.substr(at + 1, end - at - 1);
    at = end + 1;
  }
  return s.empty() ? "those of this level" : s;
}

}  // namespace

int info_command() {
  const auto line = [](const char* what, const std::string& value) {
    fmt::print("{:<14}{}\n", what, value);
  };
  line("weft", version());
  for (const auto& [name, value] : compiler::libraries()) line(name.c_str(), value);
  line("libzip", zip_libzip_version());
  const compiler::TargetInfo& t = compiler::host_target();
  line("target", t.triple);
  line("processor", t.cpu);
  line("vectors", fmt::format("{} bits{}{}", t.vector_width * 32, t.mask_registers ? ", masks" : "",
                              t.half ? ", float16 conversion" : ""));
  line("features", present(t.features));
  line("native code", native::name_of(native::cpu_level()));
  line("cores", std::to_string(std::thread::hardware_concurrency()));
  line("threads", std::to_string(num_threads()));
  line("compiler", backend() ? "on" : "off (WEFT_NO_JIT)");
  line("cache", "in memory, for one process");
  line("cache of GPUs", compiler::DiskCache::of_process().describe());
  line("devices", fmt::format("{}", fmt::join(devices(), " ")));
  detail::each_device([&](const detail::Device& d) {
    if (&d != &detail::host()) line(d.name().c_str(), d.describe());
  });
  // Shown once for all GPUs, because they share one driver.
  bool told = false;
  detail::each_device([&](const detail::Device& d) {
    const auto* const gpu = told ? nullptr : dynamic_cast<const cuda::Device*>(&d);
    if (!gpu) return;
    for (const auto& [name, value] : gpu->libraries()) line(name.c_str(), value);
    told = true;
  });
  if (const std::string missing = detail::missing_devices(); !missing.empty())
    line("missing", missing);
  return ok;
}

}  // namespace weft::tools
