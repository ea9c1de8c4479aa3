// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/optim/transforms_test.cpp: steps of optimizers that are jitted, donated, mapped,
// scanned and differentiated; states and mistakes.
#include "functions/optim/optim_tree.h"
#include "support/check.h"

using namespace weft;
using namespace weft::test;
using weft::testing::grads_at;
using weft::testing::Params;
using weft::testing::params_like;

namespace {

using State = optim::OptState<Params>;
using Trained = std::pair<Params, State>;

bool same(const Params& a, const Params& b) {
  const auto close = [](const Array& x, const Array& y) {
    return allclose(x, y, 1e-5, 1e-6).item<bool>();
  };
  return close(a.b, b.b) && close(a.layer.scale, b.layer.scale) && close(a.layer.w, b.layer.w);
}
Trained step_with(const optim::GradientTransformation& o, const Params& p, const State& s) {
  const auto slope = [](const Array& a) { return a * 0.5; };
  const auto [updates, next] = o.update(tree::map(slope, p), s, p);
  return {optim::apply_updates(p, updates), next};
}
Trained adam_step(Params p, State s) { return step_with(optim::adamw(0.05), p, s); }

}  // namespace

TEST_CASE("a step is jitted and its memory donated", "[optim]") {
  Params p = params_like(F32, 3), q = params_like(F32, 3);
  p.layer.w = arange(30000.).reshape({200, 150}) / 1000;
  q.layer.w = p.layer.w * 1;
  State s = optim::adamw(0.05).init(p), t = optim::adamw(0.05).init(q);
  const auto donating = jit(adam_step, {.donate_argnums = {0, 1}, .name = "step"});
  std::tie(q, t) = donating(q, t);  // the zeros of a new state may share memory
  std::tie(p, s) = adam_step(p, s);
  for (int k = 0; k < 3; ++k) {
    const Params before = q;
    const void* const at = before.layer.w.data<float>().data();
    std::tie(q, t) = donating(q, t);
    std::tie(p, s) = adam_step(p, s);
    CHECK(q.layer.w.data<float>().data() == at);
    check_error<DeviceError>([&] { floats(before.layer.w); }, "donated to 'step'");
    CHECK(same(p, q));
  }
  CHECK(t.counts[0].item<int>() == 4);
  CHECK(same(s.moments[1], t.moments[1]));
}

TEST_CASE("learning rates change without recompilation", "[optim]") {
  int traces = 0;
  const auto step = jit([&](Params p, State s, Array rate) {
    ++traces;
    return step_with(optim::adam(rate), p, s);
  });
  const Params p = params_like(F32, 3);
  const State s = optim::adam(0.).init(p);
  for (const double rate : {0.1, 0.2, 0.3})
    CHECK(same(step(p, s, rate).first, step_with(optim::adam(rate), p, s).first));
  CHECK(traces == 1);
  // The state counts the steps of a schedule.
  const auto o = optim::sgd(optim::linear_schedule(1., 0., 4));
  const auto scheduled = jit([&](Params q, State t) {
    ++traces;
    return step_with(o, q, t);
  });
  Params q = p, r = p;
  State t = o.init(p), u = t;
  for (int k = 0; k < 5; ++k) {
    std::tie(q, t) = scheduled(q, t);
    std::tie(r, u) = step_with(o, r, u);
    CHECK(same(q, r));
  }
  CHECK(traces == 2);
  // Each step subtracts half of the value times the rate, which is 1, 3/4, 1/2, 1/4 and 0.
  CHECK(q.b[0].item<float>() ==
        Approx(p.b[0].item<float>() * 0.5 * 0.625 * 0.75 * 0.875).epsilon(1e-6));
}

TEST_CASE("optimizers are mapped, scanned and differentiated", "[optim]") {
  const auto one = params_like(F32, 3), two = params_like(F32, 5);
  const auto both = [](const Array& a, const Array& b) { return stack({a, b}); };
  const Params many = tree::map(both, one, two);
  const auto o = optim::adamw(0.05);
  const State states = vmap(o.init)(many);
  CHECK(states.counts[0].shape() == Shape{2});
  const auto [updates, next] = vmap(o.update)(grads_at(many, 0), states, many);
  // grads_at of the pair adds the same numbers to both only if their shapes agree. The test
  // therefore compares one lane at a time.
  const auto lane = [](const Array& a) { return a[1]; };
  const auto [alone, rest] = o.update(tree::map(lane, grads_at(many, 0)), o.init(two), two);
  CHECK(same(tree::map(lane, updates), alone));
  CHECK(next.counts[0].to_vector<int>() == std::vector<int>{1, 1});

  const auto [last, losses] = scan(
      [](Trained c, none_t) {
        return std::pair{adam_step(c.first, c.second), optim::global_norm(c.first)};
      },
      Trained{one, o.init(one)}, none, {.length = 5});
  Trained c{one, o.init(one)};
  for (int k = 0; k < 5; ++k) c = adam_step(c.first, c.second);
  CHECK(same(last.first, c.first));
  CHECK(losses.shape() == Shape{5});

  // Returns the loss after two steps as a function of the learning rate.
  const auto loss = [&](Array rate) {
    Trained d{one, optim::sgd(0.).init(one)};
    for (int k = 0; k < 2; ++k) d = step_with(optim::sgd(rate), d.first, d.second);
    return d.first.b.sum();
  };
  // The loss is b (1 - rate / 2)².
  CHECK(grad(loss)(0.5).item<float>() == Approx(-one.b.sum().item<float>() * 0.75).epsilon(1e-5));
}

TEST_CASE("an optimizer is a pair of init and update", "[optim]") {
  const auto [init, update] = optim::sgd(0.5, {.momentum = 0.5});
  const std::tuple<Array, std::vector<Array>> p{array({1., 2.}), {array(3.)}};
  const auto s = init(p);
  CHECK(s.moments.size() == 1);
  CHECK(s.counts.empty());
  const auto [u, t] = update(p, s);
  CHECK(floats(std::get<0>(u)) == Floats{-0.5, -1});
  const auto [v, w] = update(p, t);
  CHECK(floats(std::get<1>(v)[0]) == Floats{-2.25});
  // The parameters may be any tree, also one Array. Narrow floats stay narrow.
  const Array x = array({1., 2.}, BF16);
  const auto [y, z] = optim::adam(0.1).update(x, optim::adam(0.1).init(x), x);
  CHECK(y.dtype() == BF16);
  CHECK(optim::apply_updates(x, array({0.5, 0.5})).dtype() == BF16);
}

TEST_CASE("counts stop at the largest number", "[optim]") {
  const auto o = optim::scale_by_schedule([](const Array& t) { return t * 0 + 2.; });
  const Array x = array({1., 2.});
  auto s = o.init(x);
  s.counts[0] = array({INT32_MAX - 1})[0];
  for (const int want : {INT32_MAX, INT32_MAX}) {
    const auto [u, t] = o.update(x, s);
    CHECK(t.counts[0].item<int>() == want);
    s = t;
  }
}

TEST_CASE("hyperparameters keep their digits beside F64", "[optim]") {
  const Array x = array({1.}, F64);
  const auto [u, s] = optim::sgd(0.1).update(x, optim::sgd(0.1).init(x));
  CHECK(u.item<double>() == -0.1);
  const auto rated = jit([](Array p, Array rate) {
    const auto o = optim::sgd(rate, {.momentum = 0.3});
    return o.update(p, o.init(p)).first;
  });
  CHECK(rated(x, 0.1).item<double>() == -0.1);
}

TEST_CASE("mistakes with optimizers are errors", "[optim]") {
  const Params p = params_like(F32, 3);
  const auto adam = optim::adam(0.1);
  const State s = adam.init(p);
  check_error<ShapeError>(
      [&] { (void)adam.update(p, optim::sgd(0.1).init(p), p); },
      "the state has 0 counts and 0 trees of moments, and this optimizer (scale_by_adam, "
      "scale_by_learning_rate) "
      "keeps 1 and 2");
  check_error<ShapeError>([&] { (void)optim::adamw(0.1).update(p, s); },
                          "update(updates, state, params)");
  Params wrong = p;
  wrong.layer.w = zeros({2, 4});
  check_error<ShapeError>(
      [&] { (void)adam.update(wrong, s, p); },
      "updates.layer.w has shape (2, 4), and the parameter in its place (2, 3)");
  check_error<ShapeError>([&] { (void)adam.update(wrong, s); },
                          "updates.layer.w has shape (2, 4), and the state in its place (2, 3)");
  check_error<ShapeError>([&] { (void)optim::apply_updates(p, wrong); },
                          "params.layer.w has shape (2, 3), and its update (2, 4)");
  check_error<ShapeError>(
      [&] {
        const std::vector<Array> a{ones({2})}, b{ones({2}), ones({2})};
        (void)optim::apply_updates(a, b);
      },
      "apply_updates: the trees must have the same structure");
  check_error<ShapeError>(
      [&] {
        const auto o = optim::adamw(0.1, {.mask = tree::Mask{true, false}});
        (void)o.update(p, o.init(p), p);
      },
      "the mask has 2 bools, and the tree 3 leaves");
  check_error<IndexError>([] { (void)optim::cosine_decay_schedule(1., 0); },
                          "decay_steps must be positive, not 0");
  check_error<IndexError>([] { (void)optim::warmup_cosine_decay_schedule(0., 1., 5, 5); },
                          "must exceed the 5 warmup_steps, not be 5");
  check_error<IndexError>([] { (void)optim::piecewise_constant_schedule(1., {{3, -0.5}}); },
                          "the scale -0.5 at step 3 is negative");
  check_error<IndexError>([] { (void)optim::join_schedules({}, {}); }, "0 schedules");
  // The error names the user's line.
  check_error<ShapeError>([&] { (void)optim::apply_updates(p, wrong); }, "transforms_test.cpp:");
}
