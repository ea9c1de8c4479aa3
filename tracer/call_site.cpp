// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/call_site.cpp: the innermost call of a transform on this thread.
#include "weft/tracer/call_site.h"

#include <utility>

namespace weft::detail {
namespace {
thread_local Location innermost;
}  // namespace

CallSite::CallSite(Location at) : before_(std::exchange(innermost, at)) {}
CallSite::~CallSite() { innermost = before_; }

std::string CallSite::text() {
  return innermost ? " (at " + to_string(innermost) + ")" : std::string();
}

}  // namespace weft::detail
