// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/error.cpp: the text of errors and of places, and the user's call on this thread.
#include "weft/core/error.h"

#include <string_view>

namespace weft {

Error::Error(const std::string& what) : std::runtime_error(with_place(what)) {}

std::string to_string(const Location& l) {
  if (!l) return "unknown location";
  // The file's own name only: texts stay the same wherever a project is built.
  std::string_view file = l.file ? l.file : "";
  if (size_t slash = file.find_last_of("/\\"); slash != std::string_view::npos)
    file.remove_prefix(slash + 1);
  return std::string(file) + ":" + std::to_string(l.line);
}

Source::State& Source::state() {
  static thread_local constinit State s;
  return s;
}

Source::Source(Location at) : Source(at, false) {}
Source::Source(Location at, bool anew) : before_(state()) {
  if (before_.told && !anew) return;
  State& s = state();
  s.told = true;
  if (at) s.at = at;
}
Source::~Source() { state() = before_; }
Location Source::current() { return state().at; }

CallingBack::CallingBack() : before_(Source::state().told) { Source::state().told = false; }
CallingBack::~CallingBack() { Source::state().told = before_; }

std::string with_place(const std::string& text) {
  const Location at = Source::current();
  if (!at || text.find("(at ") != std::string::npos) return text;
  // Lines that show something, as a caret does, stay as they are.
  const char* gap = text.find('\n') == std::string::npos ? " " : "\n";
  return text + gap + "(at " + to_string(at) + ")";
}
void add_place(Error& e, Location at) {
  const Source source(at);
  static_cast<std::runtime_error&>(e) = std::runtime_error(with_place(e.what()));
}

}  // namespace weft
