// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/platform.h: the kind of device that a program is being compiled for.
#pragma once

namespace weft {

// "cpu" or "cuda", on this thread; "cpu" where nothing is being compiled.
const char* current_platform();

// For a scope.
class PlatformScope {
 public:
  explicit PlatformScope(const char* name);
  ~PlatformScope();
  PlatformScope(const PlatformScope&) = delete;

 private:
  const char* before_;
};

}  // namespace weft
