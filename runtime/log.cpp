// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/log.cpp: the logger of the library, which is not the program's default one.
#include "weft/runtime/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

namespace weft {
namespace {
spdlog::logger& logger() {
  static auto* log = [] {
    auto* l = new spdlog::logger("weft", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    const char* level = std::getenv("WEFT_LOG");
    const std::string name = level ? level : "warning";
    const auto known = spdlog::level::from_str(name);  // off, if it is no level
    l->set_level(known == spdlog::level::off && name != "off" ? spdlog::level::warn : known);
    l->set_pattern("%n: %l: %v");
    return l;
  }();
  return *log;
}
}  // namespace

void log_warning(const std::string& text) { logger().warn(text); }

}  // namespace weft
