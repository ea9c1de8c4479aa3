// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// autodiff/composed.cpp: derivative rules for a composition of two ops.
#include "autodiff/composed.h"

#include <vector>

namespace weft {
namespace {

struct Entry {
  const char *outer, *inner;
  ComposedRule rule;
  bool (*applies)(const AnyParams&);
};
// Static initializers fill it in any order.
std::vector<Entry>& entries() {
  static std::vector<Entry> all;
  return all;
}

}  // namespace

bool define_composed(const char* outer, const char* inner, ComposedRule rule,
                     bool (*applies)(const AnyParams&)) {
  entries().push_back({outer, inner, rule, applies});
  return true;
}

bool is_inner(const Op& op) {
  for (const Entry& e : entries())
    if (op.name() == e.inner) return true;
  return false;
}

ComposedRule composed_rule(const Op& outer, const AnyParams& params, const Op& inner) {
  for (const Entry& e : entries())
    if (inner.name() == e.inner && outer.name() == e.outer && (!e.applies || e.applies(params)))
      return e.rule;
  return nullptr;
}

}  // namespace weft
