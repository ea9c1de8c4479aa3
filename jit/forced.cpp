// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/forced.cpp: reading demanded schedules, and finding that of a nest.
#include "weft/jit/forced.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "weft/core/error.h"
#include "weft/jit/schedule/choose/choose.h"
#include "weft/runtime/log.h"

namespace weft::compiler {
namespace {

constexpr std::string_view heading = "schedule ";

std::string_view without_comment(std::string_view line) {
  line = line.substr(0, line.find('#'));
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

bool is_hash(std::string_view s) {
  return s.size() == 16 && s.find_first_not_of("0123456789abcdef") == s.npos;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw FormatError(fmt::format("WEFT_SCHEDULE: cannot read the file '{}'", path));
  return text;
}

// Null if WEFT_SCHEDULE names no file.
const ForcedSchedules* of_environment() {
  static const ForcedSchedules* all = []() -> const ForcedSchedules* {
    const char* path = std::getenv("WEFT_SCHEDULE");
    if (!path || !*path) return nullptr;
    const auto* s = new ForcedSchedules(read_file(path), fmt::format("WEFT_SCHEDULE ({})", path));
    std::atexit([] {
      try {
        require_forced_schedules_used();
      } catch (const Error& e) {
        log_warning(e.what());
      }
    });
    return s;
  }();
  return all;
}

thread_local const ForcedSchedules* chosen = nullptr;

}  // namespace

ForcedSchedules::ForcedSchedules(const std::string& text, const std::string& where)
    : where_(where) {
  std::string entry, hash;
  int number = 0, begin = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    ++number;
    const std::string_view line = without_comment(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    if (line.starts_with(heading)) {
      add(entry, hash, begin);
      hash = line.substr(heading.size());
      begin = number;
      entry.clear();
    } else {
      if (begin == 0 && !line.empty())
        throw ParseError(
            fmt::format("{}, line {}: '{}' stands in front of the first entry, which begins with "
                        "'schedule' and the hash of a nest",
                        where_, number, line));
      entry += fmt::format("{}\n", line);
    }
  }
  add(entry, hash, begin);
}

void ForcedSchedules::add(const std::string& text, const std::string& hash, int line) {
  if (line == 0) return;
  if (!is_hash(hash))
    throw ParseError(
        fmt::format("{}, line {}: '{}' is no hash of a nest, which kernels() shows as 16 digits "
                    "behind 'schedule'",
                    where_, line, hash));
  Schedule s = parse_schedule(text, where_, line + 1);
  const bool gpu = s.block != 0;
  const auto [at, fresh] = entries_.try_emplace({hash, gpu});
  if (!fresh)
    throw ParseError(
        fmt::format("{}, line {}: a second schedule for nest {}, the first is in line {}", where_,
                    line, hash, at->second.line));
  at->second.schedule = std::move(s);
  at->second.line = line;
}

const Schedule* ForcedSchedules::find(const nest::Kernel& k, const TargetInfo& target) const {
  const std::string hash = nest_hash(k);
  const auto at = entries_.find({hash, target.gpu()});
  if (at == entries_.end()) return nullptr;
  const Entry& e = at->second;
  e.used = true;
  if (const std::string problem = verify(e.schedule, k, target); !problem.empty())
    throw CompileError(fmt::format("{}, line {}: nest {} cannot have this schedule on {}: {}",
                                   where_, e.line, hash, target.cpu, problem));
  return &e.schedule;
}

void ForcedSchedules::require_used() const {
  std::string unused;
  for (const auto& [key, e] : entries_)
    if (!e.used)
      unused += fmt::format("{}{}{} (line {})", unused.empty() ? "" : ", ", key.first,
                            key.second ? " on a GPU" : "", e.line);
  if (unused.empty() || told_.exchange(true)) return;
  throw CompileError(
      fmt::format("{}: no kernel is one of these nests: {}; kernels() shows the hashes of those "
                  "that there are",
                  where_, unused));
}

ScheduleScope::ScheduleScope(const ForcedSchedules& s) : before_(std::exchange(chosen, &s)) {}
ScheduleScope::~ScheduleScope() { chosen = before_; }
bool ScheduleScope::entered() { return chosen; }

Schedule schedule_of(const nest::Kernel& k, const TargetInfo& target) {
  for (const ForcedSchedules* forced : {std::as_const(chosen), of_environment()})
    if (const Schedule* s = forced ? forced->find(k, target) : nullptr) return *s;
  return choose_schedule(k, target);
}

void require_forced_schedules_used() {
  if (const ForcedSchedules* s = of_environment()) s->require_used();
}

}  // namespace weft::compiler
