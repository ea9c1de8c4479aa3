// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/call_site.h: where the user wrote the call of a transform, for the errors of its own
// checks. (Ops have theirs from their arguments: Source.)
#pragma once
#include <string>

#include "weft/core/error.h"

namespace weft::detail {

// Lives while the call runs; calls made inside it come and go before its own checks go on.
class CallSite {
 public:
  explicit CallSite(Location at);
  ~CallSite();
  CallSite(const CallSite&) = delete;
  CallSite& operator=(const CallSite&) = delete;
  static std::string text();  // " (at file.cpp:12)" of the innermost, or ""

 private:
  Location before_;
};

// The error of a check, with the place of the call.
template <class E>
E located(const std::string& what) {
  return E(what + CallSite::text());
}

}  // namespace weft::detail
