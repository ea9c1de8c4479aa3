// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/environment.cpp: reads environment variables.
#include "core/environment.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "weft/error.h"

namespace weft {

std::optional<bool> read_switch(const char* value, bool standard) {
  const std::string_view s = value ? value : "";
  if (s.empty()) return standard;
  if (s == "1" || s == "0") return s == "1";
  return {};
}
std::string bad_switch(const char* name, const char* value) {
  return fmt::format("{} is \"{}\"; choose 1 or 0", name, value);
}
bool switch_of(const char* name, const char* value, bool standard) {
  const std::optional<bool> on = read_switch(value, standard);
  if (!on) throw CompileError(bad_switch(name, value));
  return *on;
}
bool switch_of_environment(const char* name) { return switch_of(name, std::getenv(name), false); }

std::optional<int64_t> number_of_environment(const char* name, int64_t lo, int64_t hi) {
  const char* const value = std::getenv(name);
  const std::string_view s = value ? value : "";
  if (s.empty()) return {};
  int64_t n = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (error != std::errc() || end != s.data() + s.size() || n < lo || n > hi)
    throw CompileError(
        fmt::format("{} is \"{}\"; choose a whole number from {} to {}", name, s, lo, hi));
  return n;
}

}  // namespace weft
