// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/optim/optim_golden_test.cpp: compares ten steps of each optimizer, and the
// schedules, with optax (tests/golden/generators/make_optim.py).
#include <set>

#include "functions/optim/optim_tree.h"
#include "support/golden_lines.h"

using namespace weft;
using namespace weft::testing;
using optim::GradientTransformation;

namespace {

using Optimizers = std::map<std::string, GradientTransformation>;
const optim::Schedule falling = optim::exponential_decay(0.1, 3, 0.5);
const optim::LeafMask matrices = [](const Array& p) { return p.ndim() > 1; };
const optim::LeafMask named = [](const Array&, const std::string& path) {
  return path == "layer.scale";
};

Optimizers simple_ones() {
  return {
      {"sgd", optim::sgd(0.1)},
      {"sgd_momentum", optim::sgd(0.1, {.momentum = 0.9})},
      {"sgd_nesterov", optim::sgd(0.1, {0.9, true})},
      {"sgd_schedule", optim::sgd(falling, {.momentum = 0.5})},
      {"sgd_accumulator", optim::sgd(0.1, {.momentum = 0.9, .accumulator_dtype = BF16})},
      {"lion", optim::lion(0.01)},
      {"lion_mu", optim::lion(0.01, {.mu_dtype = BF16})},
      {"lion_betas",
       optim::lion(0.01, {.b1 = 0.8, .b2 = 0.9, .weight_decay = 0.1, .mask = matrices})},
      {"adagrad", optim::adagrad(0.1)},
      {"adagrad_zero", optim::adagrad(0.1, {0., 1e-3})},
      {"clip", optim::chain(optim::clip(0.25), optim::sgd(0.1))},
      {"clip_by_global_norm", optim::chain(optim::clip_by_global_norm(1.), optim::sgd(0.1))},
      {"decay", optim::chain(optim::add_decayed_weights(0.1), optim::sgd(0.1, {.momentum = 0.9}))},
      {"scale_by_schedule", optim::chain({optim::scale_by_schedule(falling), optim::scale(-1.)})},
      {"no_flip",
       optim::chain(optim::scale_by_learning_rate(-0.1, {.flip_sign = false}), optim::identity())},
  };
}
Optimizers adams() {
  return {
      {"adam", optim::adam(0.05)},
      {"adam_mu", optim::adam(0.05, {.mu_dtype = BF16})},
      {"adam_betas", optim::adam(0.05, {0.8, 0.95, 1e-3, 1e-4})},
      {"adam_nesterov", optim::adam(0.05, {.nesterov = true})},
      {"adam_schedule", optim::adam(falling)},
      {"adamw", optim::adamw(0.05)},
      {"adamw_mask", optim::adamw(0.05, {.weight_decay = 0.1, .mask = matrices})},
      {"adamw_named", optim::adamw(0.05, {.weight_decay = 0.1, .mask = named})},
      {"adamw_schedule", optim::adamw(0.05, {.weight_decay = falling})},
      {"adamw_nesterov", optim::adamw(0.05, {.b1 = 0.8, .nesterov = true})},
  };
}
Optimizers rmsprops() {
  return {
      {"rmsprop", optim::rmsprop(0.01)},
      {"rmsprop_outside", optim::rmsprop(0.01, {.eps_in_sqrt = false})},
      {"rmsprop_centered",
       optim::rmsprop(
           0.01,
           {.decay = 0.8, .eps = 1e-4, .initial_scale = 0.5, .centered = true, .momentum = 0.9})},
      {"rmsprop_centered_outside", optim::rmsprop(0.01, {0.8, 1e-2, 0.5, false, true})},
      {"rmsprop_corrected",
       optim::rmsprop(0.01, {.momentum = 0.5, .nesterov = true, .bias_correction = true})},
      {"rmsprop_centered_corrected",
       optim::rmsprop(0.01, {.eps = 0.1, .centered = true, .bias_correction = true})},
  };
}

std::map<std::string, optim::Schedule> schedules() {
  using namespace optim;
  return {
      {"constant", constant_schedule(0.3)},
      {"polynomial", polynomial_schedule(1., 0.1, 2, 6, 3)},
      {"polynomial_real", polynomial_schedule(0.5, 2., 0.5, 7)},
      {"polynomial_none", polynomial_schedule(0.5, 2., 3, 0)},
      {"linear", linear_schedule(0.1, 1., 5)},
      {"linear_late", linear_schedule(1., 0.1, 5, 4)},
      {"linear_negative", linear_schedule(1., 0.1, 5, -4)},
      {"piecewise", piecewise_constant_schedule(2., {{3, 0.5}, {7, 0.1}})},
      {"exponential", exponential_decay(1., 4, 0.5)},
      {"exponential_stairs", exponential_decay(1., 4, 0.5, {2, true})},
      {"exponential_end", exponential_decay(1., 4, 0.5, {.transition_begin = 1, .end_value = 0.3})},
      {"exponential_rise", exponential_decay(1., 4, 1.5, {.transition_begin = 1, .end_value = 2.})},
      {"exponential_zero", exponential_decay(1., 4, 0.)},
      {"cosine", cosine_decay_schedule(2., 8)},
      {"cosine_alpha", cosine_decay_schedule(2., 8, 0.2, 1.5)},
      {"warmup_constant", warmup_constant_schedule(0.1, 1., 4)},
      {"warmup_cosine", warmup_cosine_decay_schedule(0., 1., 3, 9)},
      {"warmup_cosine_end", warmup_cosine_decay_schedule(0.1, 2., 3, 9, 0.25, 2.)},
      {"warmup_cosine_zero", warmup_cosine_decay_schedule(0.1, 0., 3, 9, 0.25)},
      {"warmup_exponential", warmup_exponential_decay_schedule(0.1, 1., 3, 2, 0.5, {1, true, 0.2})},
      {"joined", join_schedules({linear_schedule(0., 1., 3), constant_schedule(0.7),
                                 exponential_decay(0.5, 2, 0.5)},
                                {3, 6})},
  };
}

// "adam_f64" is adam for F64 parameters.
DType split_dtype(std::string* name) {
  const std::map<std::string, DType> known = {{"_f64", F64}, {"_c64", C64}, {"_bf16", BF16}};
  for (const auto& [suffix, d] : known)
    if (name->ends_with(suffix)) {
      name->resize(name->size() - suffix.size());
      return d;
    }
  return F32;
}
double tolerance_of(DType d) { return d == F64 ? 1e-13 : d == BF16 ? 0.02 : 2e-6; }

class Checker {
 public:
  Checker() : lines_(golden_lines("optim.txt")) {}
  void check(const std::string& name, const Array& got, double tolerance) {
    INFO(name);
    REQUIRE(lines_.count(name));
    seen_.insert(name);
    check_line(got.dtype() == BF16 ? got.astype(F32) : got, lines_.at(name), tolerance);
  }
  void check(const std::string& name, const Params& got, double tolerance) {
    check(name + ".b", got.b, tolerance);
    check(name + ".scale", got.layer.scale, tolerance);
    check(name + ".w", got.layer.w, tolerance);
  }
  // Returns the names of runs, schedules or norms.
  std::set<std::string> runs() const {
    std::set<std::string> r;
    for (const auto& [name, line] : lines_)
      if (name.ends_with(".1.b")) r.insert(name.substr(0, name.size() - 4));
    return r;
  }
  size_t unseen() const { return lines_.size() - seen_.size(); }

 private:
  std::map<std::string, GoldenLine> lines_;
  std::set<std::string> seen_;
};

void check_run(Checker* j, const std::string& run, const GradientTransformation& o, DType d) {
  Params p = params_like(d, 3);
  auto state = o.init(p);
  for (int k = 1; k <= 10; ++k) {
    auto [updates, next] = o.update(grads_at(p, k), state, p);
    state = next;
    p = optim::apply_updates(p, updates);
    CHECK(p.layer.kind == "dense");
    if (k == 1 || k == 4 || k == 10)
      j->check(run + "." + std::to_string(k), p, tolerance_of(run.ends_with("_mu") ? BF16 : d));
  }
  if (run != "adam") return;
  CHECK(state.counts.at(0).item<int>() == 10);
  j->check("adam.mu", state.moments.at(0), 1e-6);
  j->check("adam.nu", state.moments.at(1), 1e-6);
}

}  // namespace

TEST_CASE("optimizers and schedules give what optax gives", "[optim]") {
  Checker j;
  Optimizers all = simple_ones();
  all.merge(adams());
  all.merge(rmsprops());
  CHECK(j.runs().size() == 47);
  for (const std::string& run : j.runs()) {
    INFO(run);
    std::string name = run;
    const DType d = split_dtype(&name);
    REQUIRE(all.count(name));
    check_run(&j, run, all.at(name), d);
  }
  for (const auto& [name, f] : schedules()) {
    Arrays values;
    for (int t = 0; t < 13; ++t) values.push_back(f(array({t})[0]).astype(F32));
    j.check("schedule." + name, stack(values), 1e-6);
  }
  j.check("global_norm", optim::global_norm(params_like(F32, 3)), 1e-6);
  j.check("global_norm_c64", optim::global_norm(params_like(C64, 3)), 1e-6);
  CHECK(j.unseen() == 0);
}
