// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/einsum.cpp: einsum, and the products of arrays with named axes that implement it.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <numeric>

#include "functions/kit.h"
#include "functions/numpy/named.h"
#include "ops/structure/structure.h"
#include "weft/lax/dot.h"
#include "weft/lax/reduce.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"

namespace weft {
namespace fn {

using Sizes = std::vector<int64_t>;

Labels count_from(int first, int64_t n) {
  Labels l(static_cast<size_t>(n));
  std::iota(l.begin(), l.end(), first);
  return l;
}
int64_t Named::size(int label) const {
  const auto it = std::find(axes.begin(), axes.end(), label);
  return it == axes.end() ? 1 : x.shape()[it - axes.begin()];
}
Named without_repeats(Named v) {
  for (size_t i = 0; i < v.axes.size(); ++i)
    for (size_t j = i + 1; j < v.axes.size(); ++j) {
      if (v.axes[i] != v.axes[j]) continue;
      const int label = v.axes[i];
      v.x = diagonal(v.x, 0, static_cast<int64_t>(i), static_cast<int64_t>(j));
      v.axes.erase(v.axes.begin() + static_cast<std::ptrdiff_t>(j));
      v.axes.erase(v.axes.begin() + static_cast<std::ptrdiff_t>(i));
      v.axes.push_back(label);
      return without_repeats(std::move(v));
    }
  return v;
}
Named summed(Named v, Keep keep, std::optional<DType> type) {
  Sizes gone;
  Labels left;
  for (size_t i = 0; i < v.axes.size(); ++i) {
    if (keep(v.axes[i]))
      left.push_back(v.axes[i]);
    else
      gone.push_back(static_cast<int64_t>(i));
  }
  if (gone.empty()) return v;
  return {lax::reduce_sum(type ? as_dtype(v.x, *type) : v.x, gone), left};
}
namespace {
// Drops axes of size 1 that are larger in the other operand. The product broadcasts them.
Named without_ones(Named v, const Named& other) {
  Sizes gone;
  Labels left;
  for (size_t i = 0; i < v.axes.size(); ++i) {
    if (v.x.shape()[static_cast<int64_t>(i)] == 1 && other.has(v.axes[i]) &&
        other.size(v.axes[i]) != 1)
      gone.push_back(static_cast<int64_t>(i));
    else
      left.push_back(v.axes[i]);
  }
  return {squeeze_axes(v.x, gone), left};
}
}  // namespace
Array arranged(const Named& v, const Labels& out) {
  Sizes p;
  for (int label : out)
    p.push_back(std::find(v.axes.begin(), v.axes.end(), label) - v.axes.begin());
  return std::is_sorted(p.begin(), p.end()) ? v.x : transpose_axes(v.x, p);
}

Named product(Named a, Named b, Keep keep, std::optional<DType> type, lax::Precision precision) {
  a = without_ones(a, b);
  b = without_ones(b, a);
  a = summed(a, [&](int l) { return keep(l) || b.has(l); }, type);
  b = summed(b, [&](int l) { return keep(l) || a.has(l); }, type);
  if (type && a.x.dtype() != b.x.dtype()) a.x = as_dtype(a.x, *type), b.x = as_dtype(b.x, *type);
  lax::DotDims d;
  Named out;
  Labels free_a, free_b;
  for (size_t i = 0; i < a.axes.size(); ++i) {
    const int label = a.axes[i];
    const auto in_b = std::find(b.axes.begin(), b.axes.end(), label);
    if (in_b == b.axes.end()) {
      free_a.push_back(label);
      continue;
    }
    const int64_t j = in_b - b.axes.begin();
    (keep(label) ? d.lhs_batch : d.lhs_contract).push_back(static_cast<int64_t>(i));
    (keep(label) ? d.rhs_batch : d.rhs_contract).push_back(j);
    if (keep(label)) out.axes.push_back(label);
  }
  for (int label : b.axes)
    if (!a.has(label)) free_b.push_back(label);
  out.axes.insert(out.axes.end(), free_a.begin(), free_a.end());
  out.axes.insert(out.axes.end(), free_b.begin(), free_b.end());
  out.x = lax::dot_general(a.x, b.x, d, type, precision);
  return out;
}

}  // namespace fn

namespace {

using fn::arranged, fn::contains, fn::count_from, fn::Labels, fn::Named;

// A letter's label is its character code. The axes of an ellipsis have negative labels, counted
// from the right.
constexpr int ellipsis_label = std::numeric_limits<int>::max();
struct Formula {
  std::vector<Labels> in;
  Labels out;
  bool has_out = false;
};
[[noreturn]] void bad_formula(std::string_view f, const std::string& why) {
  fn::fail_shape(fmt::format("einsum: \"{}\": {}", f, why));
}
Formula parse(std::string_view f) {
  Formula r;
  r.in.emplace_back();
  for (size_t i = 0; i < f.size(); ++i) {
    const char c = f[i];
    Labels& to = r.has_out ? r.out : r.in.back();
    if (std::isalpha(static_cast<unsigned char>(c))) {
      to.push_back(c);
    } else if (f.substr(i, 3) == "...") {
      to.push_back(ellipsis_label);
      i += 2;
    } else if (f.substr(i, 2) == "->" && !r.has_out) {
      r.has_out = true;
      ++i;
    } else if (c == ',' && !r.has_out) {
      r.in.emplace_back();
    } else if (c != ' ') {
      bad_formula(f, fmt::format("unexpected '{}'", c));
    }
  }
  return r;
}
// Replaces the ellipsis by one label for each remaining axis, and returns their number.
int spread(std::string_view f, Labels* l, int64_t ndim) {
  const auto at = std::find(l->begin(), l->end(), ellipsis_label);
  const int n = static_cast<int>(ndim) - static_cast<int>(l->size()) + (at != l->end() ? 1 : 0);
  if (at == l->end() ? n != 0 : n < 0)
    bad_formula(
        f, fmt::format("{} letters for an array of {} axes", l->size() - (at != l->end()), ndim));
  if (at == l->end()) return 0;
  const Labels rest = count_from(-n, n);
  l->insert(l->erase(at), rest.begin(), rest.end());
  return n;
}
void implied_output(Formula* f, int ellipsis) {
  std::map<int, int> times;
  for (const Labels& l : f->in)
    for (int label : l) ++times[label];
  f->out = count_from(-ellipsis, ellipsis);
  for (auto [label, n] : times)
    if (label >= 0 && n == 1) f->out.push_back(label);
}
// Operands that are multiplied pair by pair, and the letters of the result.
struct Contraction {
  std::vector<Named> operands;
  Labels out;
  bool logic = false;
  // Returns true if the product of i and j must keep this letter, because the result or another
  // operand has it.
  bool keeps(size_t i, size_t j, int label) const {
    if (contains(out, label)) return true;
    for (size_t k = 0; k < operands.size(); ++k)
      if (k != i && k != j && operands[k].has(label)) return true;
    return false;
  }
  // The number of elements of the product, and the number of terms in all of its sums.
  std::pair<double, double> cost(size_t i, size_t j) const {
    const Named &a = operands[i], &b = operands[j];
    double size = 1, terms = 1;
    const auto count = [&](int l) {
      const auto n = static_cast<double>(std::max(a.size(l), b.size(l)));
      terms *= n;
      if (keeps(i, j, l)) size *= n;
    };
    for (int l : a.axes) count(l);
    for (int l : b.axes)
      if (!a.has(l)) count(l);
    return {size, terms};
  }
  // The pair with the smallest product.
  std::vector<int64_t> cheapest() const {
    std::vector<int64_t> best{0, 1};
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < operands.size(); ++i)
      for (size_t j = i + 1; j < operands.size(); ++j)
        if (const double size = cost(i, j).first; size < least) {
          least = size;
          best = {static_cast<int64_t>(i), static_cast<int64_t>(j)};
        }
    return best;
  }
  // Replaces the operands at these positions by their product, which becomes the last operand.
  void multiply(std::vector<int64_t> places, std::optional<DType> type, lax::Precision precision) {
    std::sort(places.begin(), places.end());
    Named first = operands[static_cast<size_t>(places[0])];
    for (size_t k = 1; k < places.size(); ++k) {
      const auto needed = [&](int label) {
        bool any = contains(out, label);
        for (size_t i = 0; i < operands.size(); ++i) {
          const bool done = std::binary_search(places.begin(),
                                               places.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                                               static_cast<int64_t>(i));
          any = any || (!done && operands[i].has(label));
        }
        return any;
      };
      first = fn::product(first, operands[static_cast<size_t>(places[k])], needed, type, precision);
    }
    for (size_t k = places.size(); k-- > 0;)
      operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(places[k]));
    operands.push_back(std::move(first));
  }
};

Contraction contraction_of(std::string_view text, Formula f, const Arrays& x) {
  if (f.in.size() != x.size())
    bad_formula(text, fmt::format("{} operands for {} arrays", f.in.size(), x.size()));
  const Arrays given = fn::same_dtype(x);
  Contraction c;
  c.logic = !given.empty() && is_bool(given[0].dtype());
  int dots = 0;
  std::map<int, int64_t> size;
  for (size_t i = 0; i < x.size(); ++i) {
    dots = std::max(dots, spread(text, &f.in[i], x[i].ndim()));
    for (size_t k = 0; k < f.in[i].size(); ++k) {
      int64_t& n = size.emplace(f.in[i][k], 1).first->second;
      const int64_t m = x[i].shape()[static_cast<int64_t>(k)];
      if (n != m && n != 1 && m != 1)
        bad_formula(
            text, fmt::format("an axis of operand {} has size {}, the same letter has {} before", i,
                              m, n));
      if (m != 1) n = m;
    }
    c.operands.push_back(
        fn::without_repeats({c.logic ? fn::as_dtype(given[i], I32) : given[i], f.in[i]}));
  }
  if (!f.has_out) {
    implied_output(&f, dots);
  } else if (const auto it = std::find(f.out.begin(), f.out.end(), ellipsis_label);
             it != f.out.end()) {
    const Labels rest = count_from(-dots, dots);
    f.out.insert(f.out.erase(it), rest.begin(), rest.end());
  }
  for (size_t i = 0; i < f.out.size(); ++i)
    if (size.find(f.out[i]) == size.end() || std::count(f.out.begin(), f.out.end(), f.out[i]) > 1)
      bad_formula(text, "each letter of the result must stand there once, and in an operand");
  c.out = f.out;
  return c;
}

void check_step(std::string_view text, const std::vector<int64_t>& step, size_t operands) {
  std::vector<int64_t> sorted = step;
  std::sort(sorted.begin(), sorted.end());
  if (step.empty() || sorted.front() < 0 || sorted.back() >= static_cast<int64_t>(operands) ||
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    bad_formula(text, fmt::format("a step multiplies ({}) of {} operands", fmt::join(step, ", "),
                                  operands));
}
Array contracted(std::string_view text, Contraction c, const EinsumOptions& o) {
  const std::optional<DType> type = c.logic ? std::nullopt : o.preferred_element_type;
  if (o.optimize)
    for (const std::vector<int64_t>& step : *o.optimize) {
      check_step(text, step, c.operands.size());
      c.multiply(step, type, o.precision);
    }
  while (c.operands.size() > 1) c.multiply(c.cheapest(), type, o.precision);
  const Array r =
      arranged(fn::summed(c.operands[0], [&](int l) { return contains(c.out, l); }, type), c.out);
  const Array out = c.logic ? not_equal(r, 0) : r;
  return o.preferred_element_type ? fn::as_dtype(out, *o.preferred_element_type) : out;
}
}  // namespace

Array ir::einsum_of(std::string_view text, const Arrays& x, const EinsumOptions& o, Location at) {
  const SourceScope s(at);
  return contracted(text, contraction_of(text, parse(text), x), o);
}
Array einsum(std::string_view f, const Arg& x, const EinsumOptions& o) {
  return einsum_of(f, {x}, o, x.at());
}
Array einsum(std::string_view f, const Arg& x, const Arg& y, const EinsumOptions& o) {
  return einsum_of(f, {x, y}, o, x.at());
}
Array einsum(std::string_view f, const Arg& x, const Arg& y, const Arg& z, const EinsumOptions& o) {
  return einsum_of(f, {x, y, z}, o, x.at());
}
Array einsum(std::string_view f, const Arg& x, const Arg& y, const Arg& z, const Arg& w,
             const EinsumOptions& o) {
  return einsum_of(f, {x, y, z, w}, o, x.at());
}
Array einsum(const std::vector<EinsumOperand>& operands, const std::vector<int64_t>& out,
             const EinsumOptions& o, Location at) {
  const ApiNameScope s("einsum", at);
  const auto labels = [](const std::vector<int64_t>& axes) {
    for (int64_t a : axes)
      if (a < 0 || a >= ellipsis_label)
        fn::fail_shape(fmt::format("einsum: {} is not the number of an axis", a));
    return Labels(axes.begin(), axes.end());
  };
  Formula f;
  Arrays x;
  for (const EinsumOperand& e : operands) {
    f.in.push_back(labels(e.axes));
    x.push_back(e.x);
  }
  f.out = labels(out);
  f.has_out = true;
  return contracted("by numbers", contraction_of("by numbers", f, x), o);
}

EinsumPath einsum_path(std::string_view text, const Arrays& x, Location at) {
  const ApiNameScope s("einsum_path", at);
  Contraction c = contraction_of(text, parse(text), x);
  // Only shapes are computed here, not the products themselves.
  const auto letters = [](const Labels& l) {
    std::string out;
    for (int label : l)
      out += label < 0 ? std::string(".") : std::string(1, static_cast<char>(label));
    return out;
  };
  EinsumPath path;
  double all = 0, largest = 0;
  std::string lines;
  while (c.operands.size() > 1) {
    const std::vector<int64_t> step = c.cheapest();
    const auto i = static_cast<size_t>(step[0]), j = static_cast<size_t>(step[1]);
    const auto [size, terms] = c.cost(i, j);
    const Named &a = c.operands[i], &b = c.operands[j];
    Named p;
    Labels joint = a.axes;
    joint.insert(joint.end(), b.axes.begin(), b.axes.end());
    std::vector<int64_t> shape;
    for (int l : joint)
      if (!p.has(l) && c.keeps(i, j, l)) {
        p.axes.push_back(l);
        shape.push_back(std::max(a.size(l), b.size(l)));
      }
    p.x = zeros(Shape(shape), Bool);
    lines += fmt::format("  ({}, {})  {},{}->{}  {} products, {} elements\n", i, j, letters(a.axes),
                         letters(b.axes), letters(p.axes), terms, size);
    all += terms;
    largest = std::max(largest, size);
    c.operands.erase(c.operands.begin() + static_cast<std::ptrdiff_t>(j));
    c.operands.erase(c.operands.begin() + static_cast<std::ptrdiff_t>(i));
    c.operands.push_back(p);
    path.steps.push_back(step);
  }
  if (path.steps.empty()) path.steps.push_back({0});
  path.text = fmt::format("{}: {} products, the largest intermediate has {} elements\n{}", text,
                          all, largest, lines);
  return path;
}

}  // namespace weft
