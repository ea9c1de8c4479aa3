// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/error.cpp: the texts of errors and locations, and the location of the user's call on this
// thread.
#include "weft/error.h"

#include <string_view>

#include "core/api_name_scope.h"
#include "core/intern_string.h"
#include "core/ir.h"
#include "core/traceback.h"

namespace weft {

Error::Error(const std::string& what) : std::runtime_error(with_place(what) + traceback()) {}

InternalError::InternalError(const std::string& what)
    : Error("internal error: " + what + "\nThis is a bug in Weft, please report it.") {}

std::string typing::to_string(const Location& l) {
  if (!l) return "unknown location";
  // Only the file name without its folders, so that texts do not depend on where a project is
  // built.
  std::string_view file = l.file ? l.file : "";
  if (size_t slash = file.find_last_of("/\\"); slash != std::string_view::npos)
    file.remove_prefix(slash + 1);
  return std::string(file) + ":" + std::to_string(l.line) + (*l.scope ? " in " : "") + l.scope;
}

namespace {
thread_local constinit Location source;
// Source relies on this: the library is compiled so that its own lines are unknown.
static_assert(!Location::here());
}  // namespace

SourceScope::SourceScope(Location at) : before_(source) {
  if (!at) return;
  source = at;
  if (!*at.scope) source.scope = before_.scope;
}
SourceScope::~SourceScope() { source = before_; }
Location SourceScope::current() { return source; }

named_scope::named_scope(const std::string& name) : before_(source.scope) {
  if (!name.empty())
    source.scope = intern_string(*before_ ? std::string(before_) + "/" + name : name);
}
named_scope::~named_scope() { source.scope = before_; }

std::string ir::with_place(const std::string& text) {
  const Location at = SourceScope::current();
  const std::string named = with_name(text, calling(at));
  if (!at || text.find("(at ") != std::string::npos) return named;
  // If the text has several lines, such as one with a caret, the location goes on its own line.
  const char* gap = text.find('\n') == std::string::npos ? " " : "\n";
  return named + gap + "(at " + to_string(at) + ")";
}
void ir::add_place(Error& e, Location at) {
  const SourceScope place(at);
  static_cast<std::runtime_error&>(e) = std::runtime_error(with_place(e.what()));
}

}  // namespace weft
