// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/op.cpp: the registry of ops.
#include "core/op.h"

#include <fmt/format.h>

#include <unordered_map>

#include "weft/error.h"

namespace weft {
namespace {
struct Registry {
  std::vector<const Op*> list;
  std::unordered_map<std::string, const Op*> by_name;
};
Registry& registry() {
  static auto* r = new Registry;
  return *r;
}
}  // namespace

const std::vector<const Op*>& all_ops() { return registry().list; }

const Op* find_op(const std::string& name) {
  const auto it = registry().by_name.find(name);
  return it == registry().by_name.end() ? nullptr : it->second;
}

const AnyImplementation* find_implementation(const Op& op, std::string_view name) {
  for (const AnyImplementation& i : op.implementations())
    if (i.name == name) return &i;
  return nullptr;
}

std::string implementation_names(const Op& op, const AnyUse* use) {
  std::string s;
  for (const AnyImplementation& i : op.implementations())
    if (!use || is_usable(i, *use)) s += (s.empty() ? "" : ", ") + i.name;
  return s;
}

void detail::register_op(const Op* op) {
  if (!registry().by_name.emplace(op->name(), op).second)
    throw InternalError("two ops are named " + op->name());
  registry().list.push_back(op);
}

void detail::missing_rule(const Op& op, Op::Slot s) {
  switch (s) {
    case Op::Slot::jvp:
      throw DifferentiationError(
          fmt::format("Differentiation rule for '{}' not implemented", op.name()));
    case Op::Slot::transpose:
      throw DifferentiationError(fmt::format(
          "Transpose rule (for reverse-mode differentiation) for '{}' not implemented", op.name()));
    case Op::Slot::batch:
      throw BatchingError(fmt::format("Batching rule for '{}' not implemented", op.name()));
    case Op::Slot::lower:
      throw CompileError(
          fmt::format("'{}' cannot be compiled: it has no lowering rule", op.name()));
    default: throw InternalError(fmt::format("op '{}' lacks a rule it needs", op.name()));
  }
}

void detail::bad_field(const Op& op, const std::string& why) {
  throw ParseError(fmt::format("parameters of '{}': {}", op.name(), why));
}

}  // namespace weft
