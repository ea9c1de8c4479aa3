// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/api_name_scope.cpp: the name of the library function that this thread is calling.
#include "core/api_name_scope.h"

#include <cstring>
#include <string_view>

#include "core/ir.h"

namespace weft {
namespace {
thread_local constinit const char* name_now = nullptr;
thread_local constinit Location named_at;

bool same_line(Location a, Location b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}
}  // namespace

ApiNameScope::ApiNameScope(const char* name, Location at)
    : source_(at), before_(name_now), where_before_(named_at) {
  const Location here = SourceScope::current();
  if (name_now && same_line(here, named_at)) return;
  name_now = name;
  named_at = here;
}
ApiNameScope::~ApiNameScope() {
  name_now = before_;
  named_at = where_before_;
}

const char* ir::calling(Location at) {
  return name_now && same_line(at, named_at) ? name_now : nullptr;
}

std::string ir::with_name(const std::string& text, const char* name) {
  if (!name) return text;
  const std::string_view said = name;
  const bool begins = text.starts_with(said) && text.size() > said.size() &&
                      (text[said.size()] == ':' || text[said.size()] == ' ');
  return begins ? text : std::string(said) + ": " + text;
}

std::string ir::inner_text(const Error& e) {
  const std::string text = e.what();
  const char* name = calling(SourceScope::current());
  const std::string front = name ? std::string(name) + ": " : "";
  return text.starts_with(front) ? text.substr(front.size()) : text;
}

}  // namespace weft
