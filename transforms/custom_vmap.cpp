// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/custom_vmap.cpp: tracing functions with batching rules of their own.
#include "weft/transforms/custom_vmap.h"

#include <fmt/format.h>

#include "weft/ops/control/custom_flat.h"
#include "weft/tracer/concrete.h"
#include "weft/tracer/types_of.h"

namespace weft::detail {
namespace {

class RuleBox final : public VmapRule {
 public:
  RuleBox(FlatVmapRule rule, size_t results) : rule_(std::move(rule)), results_(results) {}
  Result call(int64_t size, const std::vector<bool>& mapped, const Arrays& x) const override {
    Result r;
    r.out = rule_(size, mapped, x, r.mapped);
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
};

}  // namespace

void ReadBools::add(bool x) { out->push_back(x); }

Arrays run_custom_vmap(FunctionRef<Arrays(const Arrays&)> f, const FlatVmapRule* rule,
                       const Arrays& x) {
  Closed c = record(types_of(x), numbers_among(x), f);
  c.jaxpr = dce(c.jaxpr, std::vector<bool>(c.jaxpr->out.size(), true));
  const Ref<const VmapRule> box =
      rule ? Ref<const VmapRule>(new RuleBox(*rule, c.jaxpr->out.size())) : nullptr;
  return custom_vmap_flat(c, box, x);
}

}  // namespace weft::detail
