// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/platform.h: the kind of device for which a program is being compiled.
#pragma once

namespace weft {

// "cpu" or "cuda", on this thread; "cpu" if nothing is being compiled.
const char* current_platform();
bool is_host_platform();

// Sets the platform during its lifetime.
class PlatformScope {
 public:
  explicit PlatformScope(const char* name);
  ~PlatformScope();
  PlatformScope(const PlatformScope&) = delete;

 private:
  const char* before_;
};

}  // namespace weft
