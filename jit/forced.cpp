// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/forced.cpp: reads forced schedules and implementations, and finds those of a nest or an op.
#include "jit/forced.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "core/op.h"
#include "jit/schedule/choose/choose.h"
#include "runtime/log.h"
#include "weft/error.h"

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

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

ForcedSchedules named_schedules() {
  const std::string path = variable("WEFT_SCHEDULE");
  return {path.empty() ? path : read_file(path), fmt::format("WEFT_SCHEDULE ({})", path)};
}

ForcedImplementations named_implementations() {
  const std::string text = variable("WEFT_IMPL");
  std::vector<std::pair<std::string, std::string>> entries;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    const size_t sign = entry.find('=');
    if (sign == std::string::npos)
      throw CompileError(fmt::format(
          "WEFT_IMPL: '{}' is not op=implementation, as in dot_general=generated", entry));
    entries.emplace_back(entry.substr(0, sign), entry.substr(sign + 1));
    begin = end + 1;
  }
  return {entries, "WEFT_IMPL"};
}

// Returns null if the environment forces nothing.
const Forced* of_environment() {
  static const Forced* all = []() -> const Forced* {
    if (variable("WEFT_SCHEDULE").empty() && variable("WEFT_IMPL").empty()) return nullptr;
    const auto* f = new Forced{named_schedules(), named_implementations()};
    std::atexit([] {
      try {
        require_forced_schedules_used();
      } catch (const Error& e) {
        log_warning(e.what());
      }
    });
    return f;
  }();
  return all;
}

thread_local const Forced* chosen = nullptr;

// Returns the first result of `find`: from this thread's scope, else from the environment, else
// null.
template <class F>
auto first(F find) {
  auto found = chosen ? find(*chosen) : nullptr;
  if (const Forced* f = found ? nullptr : of_environment()) found = find(*f);
  return found;
}

// Returns, for errors, the ops that have more than one implementation.
std::string ops_with_a_choice() {
  std::vector<std::string> names;
  for (const Op* op : all_ops())
    if (op->implementations().size() > 1) names.push_back(op->name());
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

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
        fmt::format("{}, line {}: '{}' is not a hash of a nest, which kernels() shows as 16 digits "
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

ForcedImplementations::ForcedImplementations(
    const std::vector<std::pair<std::string, std::string>>& entries, const std::string& where) {
  for (const auto& [name, implementation] : entries) {
    const Op* op = find_op(name);
    if (!op)
      throw CompileError(fmt::format("{}: there is no op '{}'; the ops with a choice are {}", where,
                                     name, ops_with_a_choice()));
    if (!find_implementation(*op, implementation))
      throw CompileError(fmt::format("{}: '{}' has no implementation '{}'; there is {}", where,
                                     name, implementation, implementation_names(*op)));
    if (!entries_.try_emplace(op, Demand{implementation, where}).second)
      throw CompileError(fmt::format("{}: a second implementation for '{}'", where, name));
  }
}

const Demand* ForcedImplementations::find(const Op& op) const {
  const auto at = entries_.find(&op);
  return at == entries_.end() ? nullptr : &at->second;
}

ForcedScope::ForcedScope(const Forced& f) : before_(std::exchange(chosen, &f)) {}
ForcedScope::~ForcedScope() { chosen = before_; }
bool ForcedScope::entered() { return chosen; }

Schedule schedule_of(const nest::Kernel& k, const TargetInfo& target,
                     const std::vector<int64_t>& grid) {
  const Schedule* s = first([&](const Forced& f) { return f.schedules.find(k, target); });
  return s ? *s : choose_schedule(k, target, {.grid = grid});
}

const Demand* demanded_implementation(const Op& op) {
  return first([&](const Forced& f) { return f.implementations.find(op); });
}

void require_forced_schedules_used() {
  if (const Forced* f = of_environment()) f->schedules.require_used();
}

}  // namespace weft::compiler
