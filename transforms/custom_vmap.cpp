// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/custom_vmap.cpp: traces functions with user-defined batching rules.
#include "weft/vmap/custom_vmap.h"

#include <fmt/format.h>

#include "ops/control/custom_flat.h"
#include "ops/kit/lists.h"
#include "tracer/initialized.h"
#include "tracer/types_of.h"
#include "tracer/weak_numbers.h"

namespace weft::detail {
namespace {

class RuleBox final : public VmapRule {
 public:
  RuleBox(FlatVmapRule rule, size_t results, size_t doubles)
      : rule_(std::move(rule)), results_(results), doubles_(doubles) {}
  // The rule is called without the doubles of weak arguments, which are the first operands.
  Result call(int64_t size, const std::vector<bool>& mapped, const Arrays& x) const override {
    Result r;
    r.out = rule_(size, drop_first(mapped, doubles_), drop_first(x, doubles_), r.mapped);
    if (r.out.size() != results_ || r.mapped.size() != results_)
      throw BatchingError(
          fmt::format("custom_vmap: the rule must return {{out, out_mapped}} with the same "
                      "structure as the function's result: "
                      "expected {} arrays, got {} and {} bools",
                      results_, r.out.size(), r.mapped.size()));
    return r;
  }

 private:
  FlatVmapRule rule_;
  size_t results_;
  size_t doubles_;
};

}  // namespace

void ReadBools::add(bool x) { out->push_back(x); }

Arrays run_custom_vmap(FunctionRef<Arrays(const Arrays&)> f, const FlatVmapRule* rule,
                       const Arrays& x, FunctionRef<tree::detail::Skeleton()> args) {
  const char* who = rule ? "custom_vmap" : "sequential_vmap";
  require_initialized(who, x, args, "args");
  WeakArguments numbers(x);
  ClosedJaxpr c;
  do {
    c = numbers.trace(who, types_of(x), f);
  } while (numbers.trace_again());
  const Ref<const VmapRule> box =
      rule ? Ref<const VmapRule>(new RuleBox(*rule, c.jaxpr->out.size(), numbers.n_doubles()))
           : nullptr;
  return custom_vmap_flat(c, box, numbers.operands(x));
}

}  // namespace weft::detail
