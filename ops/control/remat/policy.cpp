// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/remat/policy.cpp: applies a policy to an equation, and converts policies to and from
// text.
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "core/op.h"
#include "core/param.h"
#include "weft/grad/checkpoint_policy.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 7> rule_names = {"everything_saveable",
                                                        "nothing_saveable",
                                                        "dots_saveable",
                                                        "dots_with_no_batch_dims_saveable",
                                                        "save_only_these_names",
                                                        "save_any_names_but_these",
                                                        "save_anything_except_these_names"};
bool takes_names(CheckpointRule r) { return r >= CheckpointRule::save_only_these_names; }

// Returns the name if the equation is a `name`.
std::optional<std::string> name_of(const Eqn& e) {
  return e.op->name() == "name" ? param_field<std::string>(e.params, "name") : std::nullopt;
}
bool among(const Strings& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool rule_saves(CheckpointRule rule, const Strings& names, const Eqn& e, bool excluded) {
  const std::string& op = e.op->name();
  const std::optional<std::string> name = name_of(e);
  switch (rule) {
    case CheckpointRule::everything_saveable: return true;
    case CheckpointRule::nothing_saveable: return false;
    case CheckpointRule::dots_saveable: return op == "dot_general" || op == "conv_general_dilated";
    case CheckpointRule::dots_with_no_batch_dims_saveable:
      return op == "dot_general" && param_field<Ints>(e.params, "lhs_batch")->empty();
    case CheckpointRule::save_only_these_names: return name && among(names, *name);
    case CheckpointRule::save_any_names_but_these: return name && !among(names, *name);
    case CheckpointRule::save_anything_except_these_names:
      return name ? !among(names, *name) : !excluded;
  }
  return false;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
}

// Parses the text of a policy from the front.
class PolicyText {
 public:
  explicit PolicyText(std::string_view text) : left_(text) {}
  bool done() const { return left_.empty(); }
  bool take(char c) {
    if (left_.empty() || left_.front() != c) return false;
    left_.remove_prefix(1);
    return true;
  }
  std::optional<CheckpointRule> rule() {
    // No name is a prefix of another, so at most one fits.
    for (size_t k = 0; k < rule_names.size(); ++k)
      if (left_.starts_with(rule_names[k])) {
        left_.remove_prefix(rule_names[k].size());
        return static_cast<CheckpointRule>(k);
      }
    return {};
  }
  // Reads a word, or text in quotes. In quotes, a backslash precedes each quote and backslash.
  std::optional<std::string> name() {
    if (!take('\'')) {
      const auto end = std::find_if_not(left_.begin(), left_.end(), is_word);
      const std::string word(left_.begin(), end);
      left_.remove_prefix(word.size());
      return word.empty() ? std::nullopt : std::optional(word);
    }
    for (std::string s; !left_.empty();) {
      const char c = left_.front();
      left_.remove_prefix(1);
      if (c == '\'') return s;
      if (c == '\\' && left_.empty()) return {};
      s += c == '\\' ? left_.front() : c;
      if (c == '\\') left_.remove_prefix(1);
    }
    return {};
  }

 private:
  std::string_view left_;
};

// Returns a word unchanged, and anything else in quotes.
std::string written(const std::string& name) {
  if (!name.empty() && std::all_of(name.begin(), name.end(), is_word)) return name;
  std::string s = "'";
  for (char c : name) {
    if (c == '\'' || c == '\\') s += '\\';
    s += c;
  }
  return s + '\'';
}

std::optional<Strings> read_names(PolicyText& r) {
  Strings names;
  if (!r.take('(')) return {};
  if (r.take(')')) return names;
  do {
    const auto name = r.name();
    if (!name) return {};
    names.push_back(*name);
  } while (r.take(','));
  return r.take(')') ? std::optional(names) : std::nullopt;
}

}  // namespace

CheckpointPolicy::CheckpointPolicy(CheckpointRule rule, Strings names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (rule != CheckpointRule::nothing_saveable) terms_.push_back({rule, std::move(names)});
}

CheckpointPolicy CheckpointPolicy::either(const CheckpointPolicy& other) const {
  CheckpointPolicy both = *this;
  for (const Term& t : other.terms_)
    if (std::find(terms_.begin(), terms_.end(), t) == terms_.end()) both.terms_.push_back(t);
  return both;
}

bool CheckpointPolicy::saves(const Eqn& e, bool excluded) const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [&](const Term& t) { return rule_saves(t.rule, t.names, e, excluded); });
}

bool CheckpointPolicy::excludes(const Eqn& e) const {
  const std::optional<std::string> name = name_of(e);
  bool any = false;
  for (const Term& t : terms_)
    if (name && t.rule == CheckpointRule::save_anything_except_these_names) {
      if (!among(t.names, *name)) return false;
      any = true;
    }
  return any;
}

std::string CheckpointPolicy::text() const {
  std::string s;
  for (const Term& t : terms_) {
    if (!s.empty()) s += '|';
    s += rule_names[static_cast<size_t>(t.rule)];
    if (!takes_names(t.rule)) continue;
    s += '(';
    for (const std::string& n : t.names) s += (&n == t.names.data() ? "" : ",") + written(n);
    s += ')';
  }
  return s.empty() ? "None" : s;
}

std::optional<CheckpointPolicy> CheckpointPolicy::read(const std::string& text) {
  CheckpointPolicy p;
  if (text == "None") return p;
  PolicyText r(text);
  do {
    const auto rule = r.rule();
    if (!rule) return {};
    Strings names;
    if (takes_names(*rule)) {
      const auto given = read_names(r);
      if (!given) return {};
      names = *given;
    }
    p = p.either(CheckpointPolicy(*rule, std::move(names)));
  } while (r.take('|'));
  return r.done() ? std::optional(p) : std::nullopt;
}

}  // namespace weft
