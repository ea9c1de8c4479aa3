// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/symbolic_zero_rules.cpp: rules with symbolic zeros under vmap.
#include "ops/control/symbolic_zero_rules.h"

#include "autodiff/autodiff.h"
#include "batching/saved_trace.h"
#include "ops/control/lanes.h"
#include "ops/kit/kit.h"

namespace weft {
namespace {

Arrays all_in_front(const Batched& b, int64_t size) {
  return map_list([&](const Array& v, MaybeAxis a) { return move_mapped(v, a, 0, size); }, b.out,
                  b.axis);
}

class MappedDual final : public DualRule {
 public:
  MappedDual(Ref<const DualRule> rule, const BatchTrace& trace, MaybeAxes in)
      : rule_(std::move(rule)), map_(trace), in_(std::move(in)) {}
  Dual call(const Arrays& all, const Arrays& all_dx) const override {
    const size_t own = map_.num_operands(), n = in_.size();
    const Arrays dx = drop_first(all_dx, own);
    const std::vector<bool> on = is_nonzero(dx);
    std::vector<bool> nonzero;
    const auto f = [&](const Arrays& a) {
      const Dual d = rule_->call(sublist(a, 0, n), scatter_list(drop_first(a, n), on));
      nonzero = is_nonzero(d.tangent);
      return concat_lists(d.out, filter_list(d.tangent, nonzero));
    };
    const Batched b = map_.run(f, all, concat_lists(drop_first(all, own), filter_list(dx, on)),
                               concat_lists(in_, filter_list(in_, on)));
    const Arrays out = all_in_front(b, map_.size());
    return {sublist(out, 0, nonzero.size()),
            scatter_list(drop_first(out, nonzero.size()), nonzero)};
  }
  Derivatives derivatives() const override { return rule_->derivatives(); }

 private:
  Ref<const DualRule> rule_;
  SavedBatchTrace map_;
  MaybeAxes in_;
};

class MappedBackward final : public BackwardRule {
 public:
  MappedBackward(Ref<const BackwardRule> rule, const BatchTrace& trace, MaybeAxes residuals,
                 std::vector<bool> operand_mapped)
      : rule_(std::move(rule)),
        map_(trace),
        residuals_(std::move(residuals)),
        operand_mapped_(std::move(operand_mapped)) {}
  Arrays call(const Arrays& all, const Arrays& ct) const override {
    const size_t n = residuals_.size();
    const std::vector<bool> on = is_nonzero(ct);
    const Arrays cts = filter_list(ct, on);
    std::vector<bool> nonzero;
    const auto f = [&](const Arrays& a) {
      const Arrays back = rule_->call(sublist(a, 0, n), scatter_list(drop_first(a, n), on));
      nonzero = is_nonzero(back);
      return filter_list(back, nonzero);
    };
    const Batched b = map_.run(f, all, concat_lists(drop_first(all, map_.num_operands()), cts),
                               concat_lists(residuals_, MaybeAxes(cts.size(), MaybeAxis(0))));
    const Array active = active_lanes(map_.mask(all), map_.size());
    const auto back = [&](const Array& v, MaybeAxis a, bool mapped) {
      Array rows = move_mapped(v, a, 0, map_.size());
      if (!active.empty_handle()) rows = mask_out(active, rows);
      return mapped ? rows : base::reduce_sum(rows, {0});
    };
    return scatter_list(map_list(back, b.out, b.axis, filter_list(operand_mapped_, nonzero)),
                        nonzero);
  }
  bool goes_forward() const override { return rule_->goes_forward(); }
  Arrays forward(const Arrays& all, const Arrays& dx) const override {
    const size_t n = residuals_.size();
    const auto front = [](bool mapped) { return mapped ? MaybeAxis(0) : MaybeAxis(); };
    const Batched b = map_.run(
        [&](const Arrays& a) { return rule_->forward(sublist(a, 0, n), drop_first(a, n)); }, all,
        concat_lists(drop_first(all, map_.num_operands()), dx),
        concat_lists(residuals_, map_list(front, operand_mapped_)));
    return all_in_front(b, map_.size());
  }

 private:
  Ref<const BackwardRule> rule_;
  SavedBatchTrace map_;
  MaybeAxes residuals_;
  std::vector<bool> operand_mapped_;
};

}  // namespace

Ref<const DualRule> mapped_rule(const Ref<const DualRule>& rule, const BatchTrace& trace,
                                const MaybeAxes& in) {
  return make_ref<MappedDual>(rule, trace, in);
}
Ref<const BackwardRule> mapped_rule(const Ref<const BackwardRule>& rule, const BatchTrace& trace,
                                    const MaybeAxes& residuals,
                                    const std::vector<bool>& operand_mapped) {
  return make_ref<MappedBackward>(rule, trace, residuals, operand_mapped);
}

}  // namespace weft
