// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/history.cpp: compares a call with those that a callable was compiled for before.
#include "jit/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/log.h"

namespace weft::detail {
namespace {

constexpr size_t programs_before_warning = 5;

// Returns the tree with the same text for all static values.
tree::detail::Skeleton without_values(tree::detail::Skeleton s) {
  if (s.form == tree::detail::Skeleton::value) s.text = "#";
  for (tree::detail::Skeleton& k : s.children) k = without_values(std::move(k));
  return s;
}

}  // namespace

std::string History::add(const char* name, Location at, const Types& types,
                         const tree::detail::Skeleton& args) {
  const std::string all_types = to_string(types);
  const std::string before = std::exchange(last_types_, all_types);
  const bool first = forms_.empty();
  if (forms_.size() >= max_forms) forms_.clear();
  const Values values = tree::detail::values(args, "args");
  auto& seen = forms_[all_types + to_string(without_values(args))];
  std::string cause;
  if (first)
    cause = "first call, with " + (all_types.empty() ? "no arrays" : all_types);
  else if (seen.empty() && all_types != before)
    cause = fmt::format("new types {}, before {}", all_types, before);
  else if (seen.empty())
    cause = "another structure of the arguments";
  else if (seen.back() == values)
    cause = "another context: mapped axes, device or options";
  for (size_t i = 0; cause.empty() && i < values.size(); ++i)
    if (values[i] != seen.back()[i])
      cause = fmt::format("static value {} is {}, was {}", values[i].first, values[i].second,
                          seen.back()[i].second);
  if (std::find(seen.begin(), seen.end(), values) != seen.end()) return cause;
  if (seen.size() < programs_before_warning) seen.push_back(values);
  if (seen.size() == programs_before_warning && !warned_) warn(name, at, seen);
  return cause;
}

void History::warn(const char* name, Location at, const std::vector<Values>& seen) {
  warned_ = true;
  std::string said;
  for (size_t i = 0; i < seen[0].size(); ++i) {
    std::vector<std::string> texts;
    for (const Values& v : seen)
      if (std::find(texts.begin(), texts.end(), v[i].second) == texts.end())
        texts.push_back(v[i].second);
    if (texts.size() < 2) continue;
    said += fmt::format("{}{} was {}", said.empty() ? "" : "; ", seen[0][i].first,
                        fmt::join(texts, ", "));
  }
  log_warning(fmt::format(
      "jit '{}'{} was compiled {} times because of static values alone: {}. A parameter that is no "
      "Array is part of the compiled program; take one that changes as Array (`Array rate` instead "
      "of `double rate`).",
      name, at ? fmt::format(" ({})", to_string(at)) : "", seen.size(), said));
}

}  // namespace weft::detail
