// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/custom_vmap.cpp: traces functions with user-defined batching rules.
#include "weft/vmap/custom_vmap.h"

#include <fmt/format.h>

#include "ops/control/custom_flat.h"
#include "tracer/initialized.h"
#include "tracer/types_of.h"
#include "transforms/weak_arguments.h"

namespace weft::detail {
namespace {

class RuleBox final : public VmapRule {
 public:
  RuleBox(FlatVmapRule rule, size_t results, WeakArguments numbers)
      : rule_(std::move(rule)), results_(results), numbers_(std::move(numbers)) {}
  // The rule is called without the F64 operands of weak arguments.
  Result call(int64_t size, const std::vector<bool>& mapped, const Arrays& x) const override {
    Result r;
    r.out = rule_(size, numbers_.arguments(mapped), numbers_.arguments(x), r.mapped);
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
  WeakArguments numbers_;
};

}  // namespace

void ReadBools::add(bool x) { out->push_back(x); }

Arrays run_custom_vmap(FunctionRef<Arrays(const Arrays&)> f, const FlatVmapRule* rule,
                       const Arrays& x, FunctionRef<tree::Skeleton()> args) {
  const char* who = rule ? "custom_vmap" : "sequential_vmap";
  require_initialized(who, x, args, "args");
  WeakArguments numbers(x);
  ClosedJaxpr c;
  do {
    c = traced(
        who, types_of(x), [&](const Arrays& a) { return f(numbers.arguments(a)); }, numbers,
        in_order(x.size()));
  } while (numbers.trace_again());
  const Ref<const VmapRule> box =
      rule ? Ref<const VmapRule>(new RuleBox(*rule, c.jaxpr->out.size(), numbers)) : nullptr;
  return custom_vmap_flat(c, box, numbers.operands(x));
}

}  // namespace weft::detail
