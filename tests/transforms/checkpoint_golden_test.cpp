// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/checkpoint_golden_test.cpp: compares the residuals that checkpoints keep under
// each policy, and their gradients, with JAX's for the same functions
// (tests/golden/generators/make_checkpoint.py).
#include <algorithm>
#include <functional>
#include <map>

#include "functions/array_calls.h"
#include "support/check.h"
#include "support/golden_lines.h"

using namespace weft;
using namespace weft::test;
using weft::testing::golden, weft::testing::steps;
namespace policies = weft::checkpoint_policies;

namespace {

const std::map<std::string, CheckpointPolicy>& all_policies() {
  static const std::map<std::string, CheckpointPolicy> all{
      {"nothing", policies::nothing_saveable},
      {"everything", policies::everything_saveable},
      {"dots", policies::dots_saveable},
      {"dots_no_batch", policies::dots_with_no_batch_dims_saveable},
      {"only_u", policies::save_only_these_names("u")},
      {"any_but_u", policies::save_any_names_but_these("u")},
      {"dots_or_u", policies::save_from_both_policies(policies::dots_saveable,
                                                      policies::save_only_these_names("u"))}};
  return all;
}

// Returns the lines of the golden text: the residuals by function and policy.
std::map<std::string, std::string> kept_lines() {
  std::map<std::string, std::string> all;
  std::istringstream in(golden("checkpoint.txt"));
  for (std::string line; std::getline(in, line);) {
    const std::string first = "residuals ";
    if (line.rfind(first, 0) != 0) continue;
    const size_t end = line.find(" |");
    all[line.substr(first.size(), end - first.size())] =
        line.size() > end + 3 ? line.substr(end + 3) : "";
  }
  return all;
}

std::string kept(const std::vector<SavedResidual>& residuals) {
  std::vector<std::string> words;
  for (const SavedResidual& r : residuals) {
    std::string source = r.source;
    if (const size_t at = source.find("from the argument args["); at == 0)
      source = std::string("argument ") + static_cast<char>('a' + (source[23] - '0'));
    for (const std::string cut : {" from checkpoint_golden", " 'fn'"})
      if (const size_t at = source.find(cut); at != std::string::npos)
        source = cut == " 'fn'" ? source.erase(at, cut.size()) : source.substr(0, at);
    words.push_back(to_string(r.type) + ' ' + source);
  }
  std::sort(words.begin(), words.end());
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : " | ") + w;
  return text;
}

class Comparison {
 public:
  // Tests f of floats. Operands of other types are captured by it.
  template <class F, class... A>
  void function(const std::string& name, F f, const A&... a) {
    INFO(name);
    for (const auto& [title, policy] : all_policies()) {
      INFO(title);
      const auto g = checkpoint(f, {.policy = policy});
      REQUIRE(kept_.count(name + ' ' + title) == 1);
      CHECK(kept(saved_residuals(g, a...)) == kept_.at(name + ' ' + title));
      ++found_;
      gradients(name, [g](A... x) { return sum(g(x...)); }, a...);
    }
  }
  size_t found() const { return found_; }
  size_t lines() const { return kept_.size(); }

 private:
  template <class G, class... A>
  void gradients(const std::string& name, G g, const A&... a) {
    const auto slopes = [&](const auto& by) {
      const auto all = by(a...);
      size_t k = 0;
      std::apply(
          [&](const auto&... one) {
            const auto check = [&](const Array& slope) {
              const auto line = lines_.find(name + '_' + std::to_string(k++));
              if (line == lines_.end()) return;
              testing::check_line(slope, line->second, 1e-6);
            };
            (check(one), ...);
          },
          all);
    };
    const auto by_vjp = [g](A... x) { return vjp(g, x...).second(Array(1.f)); };
    slopes(by_vjp);
    slopes(jit([by_vjp](A... x) { return by_vjp(x...); }));
  }
  std::map<std::string, std::string> kept_ = kept_lines();
  std::map<std::string, testing::GoldenLine> lines_ = testing::golden_lines("checkpoint.txt");
  size_t found_ = 0;
};

Array name(const Array& x, const char* n) { return checkpoint_name(x, n); }

}  // namespace

TEST_CASE("checkpoints keep what JAX's keep under each policy", "[checkpoint]") {
  Comparison c;
  const Array v3 = steps({3}), v5 = steps({5}, 3, 13), m43 = steps({4, 3}),
              m35 = steps({3, 5}, 3, 13), m52 = steps({5, 2}, 5, 17), captured = steps({3}, 5, 13);
  c.function("sines", [](Array a) { return sin(name(sin(a), "u")); }, v3);
  c.function("three", [](Array a) { return exp(name(cos(name(sin(a), "u")), "v")); }, v3);
  c.function("product", [](Array a, Array b) { return sin(a * b) * b; }, v3, captured);
  c.function("linear", [](Array a) { return a * 2 + 1; }, v3);
  c.function("dot", [](Array a, Array b) { return sin(dot(a, b)); }, m43, m35);
  c.function(
      "mlp",
      [](Array a, Array b, Array d) {
        const Array u = name(dot(a, b), "u");
        return sin(dot(name(sin(u), "v"), d));
      },
      m43, m35, m52);
  c.function(
      "attention",
      [](Array a, Array b) { return sin(name(lax::dot_general(a, b, {{2}, {1}, {0}, {0}}), "u")); },
      steps({2, 3, 4}), steps({2, 4, 3}, 3, 13));
  c.function(
      "conv", [](Array a, Array b) { return sin(lax::conv(a, b, {1, 1}, "SAME")); },
      steps({1, 2, 4, 4}), steps({3, 2, 3, 3}, 3, 13));
  c.function("captured", [captured](Array a) { return sin(sin(a * captured)); }, v3);
  c.function("unused", [](Array a, Array) { return sin(sin(a)); }, v3, m43);
  c.function(
      "call", [](Array a) { return cos(jit([](Array v) { return sin(name(sin(v), "u")); })(a)); },
      v3);
  c.function(
      "steps",
      [](Array a, Array b) {
        const auto body = [](Array s, Array r) {
          const Array u = name(sin(s) * r, "u");
          return std::pair{name(cos(u), "v"), u};
        };
        const auto [last, ys] = scan(body, a, b);
        return last * 1.5 + sum(sin(ys));
      },
      array(0.5f), v5);
  c.function(
      "dots_in_steps",
      [](Array a, Array b) {
        const auto body = [b](Array s, none_t) { return std::pair{sin(dot(s, b)), none}; };
        return scan(body, a, none, {.length = 4}).first;
      },
      v3, steps({3, 3}, 5, 17));
  c.function(
      "branches",
      [](Array i, Array a) {
        const auto first = [](Array v) { return name(sin(v), "u"); };
        const auto second = [](Array v) { return cos(name(cos(v), "v")); };
        return sin(switch_(i, std::tuple{first, second}, a));
      },
      array(1), v3);
  c.function(
      "twice", [](Array a) { return sin(checkpoint([](Array v) { return sin(sin(v)); })(cos(a))); },
      v3);
  CHECK(c.found() == c.lines());
}
