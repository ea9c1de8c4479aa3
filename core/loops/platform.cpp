// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/platform.cpp: the platform of each thread.
#include "core/loops/platform.h"

#include <string_view>
#include <utility>

namespace weft {
namespace {
thread_local const char* current = "cpu";
}

const char* current_platform() { return current; }
bool is_host_platform() { return std::string_view(current) == "cpu"; }
PlatformScope::PlatformScope(const char* name) : before_(std::exchange(current, name)) {}
PlatformScope::~PlatformScope() { current = before_; }

}  // namespace weft
