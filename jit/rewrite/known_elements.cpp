// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/known_elements.cpp: runs lowering rules on known elements.
#include "jit/rewrite/known_elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "core/derivative_zero.h"
#include "core/scalar/number.h"

namespace weft::compiler {

using nest::Id, nest::Opcode;

void for_each_index(const Indices& extents, FunctionRef<void(const Indices&)> f) {
  Indices at(extents.size(), 0);
  if (std::ranges::find(extents, 0) != extents.end()) return;
  for (;;) {
    f(at);
    size_t a = at.size();
    while (a > 0 && ++at[a - 1] == extents[a - 1]) at[--a] = 0;
    if (a == 0) return;
  }
}

KnownElements::KnownElements(Indices extents, std::vector<Known> elements)
    : extents_(std::move(extents)), elements_(std::move(elements)) {
  const auto nothing = [](const Known& k) { return k.kind == Known::Kind::nothing; };
  if (std::ranges::all_of(elements_, nothing)) *this = {};
}

KnownElements::KnownElements(const Literal& l) {
  if (components(l.dtype) == 2) return;
  elements_.push_back({Known::Kind::zero, 0});
  if (is_derivative_zero(l)) return;
  nest::Builder b("literal");
  const num::Writing writing(b);
  int64_t bits = 0;
  b.is_constant(literal_elem(l).re, &bits);
  elements_[0] = {Known::Kind::constant, static_cast<uint64_t>(bits)};
}

Known KnownElements::at(const Indices& index) const {
  if (empty()) return {};
  size_t offset = 0;
  for (size_t a = 0; a < extents_.size(); ++a) {
    if (extents_[a] == 1) continue;
    if (index[a] < 0 || index[a] >= extents_[a]) return {};
    offset = offset * static_cast<size_t>(extents_[a]) + static_cast<size_t>(index[a]);
  }
  return elements_[offset];
}

KnownElements KnownElements::meet(const KnownElements& other) const {
  if (empty() || other.empty()) return {};
  Indices extents;
  for (size_t a = 0; a < extents_.size(); ++a)
    extents.push_back(std::max(extents_[a], other.extents_[a]));
  std::vector<Known> both;
  for_each_index(extents, [&](const Indices& at) {
    const Known k = this->at(at);
    both.push_back(k == other.at(at) ? k : Known());
  });
  return {std::move(extents), std::move(both)};
}

KnownElements KnownElements::zeros() const {
  KnownElements r = *this;
  for (Known& k : r.elements_)
    if (k.kind != Known::Kind::zero) k = {};
  return {std::move(r.extents_), std::move(r.elements_)};
}

KnownElements KnownElements::stacked() const {
  KnownElements r = *this;
  if (!empty()) r.extents_.insert(r.extents_.begin(), 1);
  return r;
}

KnownElements KnownElements::row() const {
  if (empty()) return {};
  const Indices extents(extents_.begin() + 1, extents_.end());
  const auto n = static_cast<size_t>(extents_[0]), size = elements_.size() / n;
  std::vector<Known> all(elements_.begin(), elements_.begin() + static_cast<std::ptrdiff_t>(size));
  for (size_t i = size; i < elements_.size(); ++i)
    if (all[i % size] != elements_[i]) all[i % size] = {};
  return {extents, std::move(all)};
}

namespace {

// Gives a lowering rule constants for known elements. An unknown element, and a zero of a
// derivative, is a load that no instruction can simplify.
class KnownReader final : public Reader {
 public:
  KnownReader(nest::Builder& b, const Types& types, const std::vector<KnownElements>& in)
      : b_(b), types_(types), in_(in) {}
  Elem read(int operand, const Coords& at) override {
    const DType d = types_[operand].dtype();
    const nest::Kind kind = nest::loaded_kind(storage_of(d));
    if (components(d) == 2) {
      const Id re = unknown(kind);
      return {re, unknown(kind)};
    }
    Indices index(at.size(), -1);
    for (size_t a = 0; a < at.size(); ++a) b_.is_constant(at[a], &index[a]);
    const Known k = in_[operand].at(index);
    switch (k.kind) {
      case Known::Kind::nothing: return {unknown(kind), nest::no_id};
      case Known::Kind::constant: return {b_.constant(kind, k.bits), nest::no_id};
      case Known::Kind::zero: break;
    }
    return {b_.pure(Opcode::Load, kind, {b_.integer(0)}, zeros), nest::no_id};
  }
  // The buffers of these loads.
  static constexpr int64_t unknowns = 0, zeros = 1;

 private:
  Id unknown(nest::Kind kind) {
    return b_.pure(Opcode::Load, kind, {b_.integer(next_++)}, unknowns);
  }
  nest::Builder& b_;
  const Types& types_;
  const std::vector<KnownElements>& in_;
  int64_t next_ = 0;
};

// Finds the values of a nest that are zeros of derivatives.
class Zeros {
 public:
  // `exact`: by the arithmetic of floats. `by_rule`: since such a zero times any number is zero.
  enum Zero : uint8_t { no, exact, by_rule };
  explicit Zeros(const nest::Builder& b) : b_(b) {}
  Zero of(Id v) {
    const auto it = known_.find(v);
    if (it != known_.end()) return it->second;
    const Zero z = find(b_.inst(v));
    return known_[v] = z;
  }

 private:
  static Zero both(Zero a, Zero b) { return a == no || b == no ? no : std::max(a, b); }
  // A product of a zero and a number is zero by arithmetic if the number is finite.
  Zero product(Id a, Id b) {
    const Zero x = of(a), y = of(b);
    if (x == no && y == no) return no;
    if (x != no && y != no) return std::max(x, y);
    return is_finite(x == no ? a : b) ? std::max(x, y) : by_rule;
  }
  Zero find(const nest::Inst& i) {
    switch (i.op) {
      case Opcode::Load: return i.imm == KnownReader::zeros ? exact : no;
      case Opcode::Neg:
      case Opcode::Abs:
      case Opcode::FConv:
      case Opcode::RoundBF16:
      case Opcode::RoundF16: return of(i.args[0]);
      case Opcode::Mul: return product(i.args[0], i.args[1]);
      case Opcode::Div: return of(i.args[0]) == no ? no : by_rule;
      case Opcode::Fma: return both(product(i.args[0], i.args[1]), of(i.args[2]));
      case Opcode::Add:
      case Opcode::Sub: return both(of(i.args[0]), of(i.args[1]));
      // A comparison of a seed is a mask. Where it is false, its conversion selects a 0.
      case Opcode::Select:
        if (of(i.args[0]) != no) return is_zero_constant(i.args[2]) ? exact : of(i.args[2]);
        return both(of(i.args[1]), of(i.args[2]));
      default: return no;
    }
  }
  bool is_zero_constant(Id v) const {
    int64_t bits = 0;
    return b_.is_constant(v, &bits) && bits == 0;
  }
  bool is_finite(Id v) const {
    int64_t bits = 0;
    if (!b_.is_constant(v, &bits)) return false;
    return b_.kind(v) == nest::Kind::F32
               ? std::isfinite(std::bit_cast<float>(static_cast<uint32_t>(bits)))
               : std::isfinite(std::bit_cast<double>(bits));
  }
  const nest::Builder& b_;
  std::unordered_map<Id, Zero> known_;
};

}  // namespace

namespace {

// Runs a rule at single indices.
class Runner {
 public:
  Runner(const KnownOperands& in, const Shape& shape, const Indices& extents)
      : l_(in.lowering),
        shape_(shape),
        extents_(extents),
        reader_(b_, in.types, in.known),
        zeros_(b_) {}
  // The element at these indices; *rule becomes true if it is zero by rule.
  Known element(const Indices& index, bool* rule) {
    Coords at;
    for (size_t a = 0; a < index.size(); ++a) {
      const bool lane = extents_[a] != shape_[static_cast<int64_t>(a)];
      at.push_back(lane ? b_.index(static_cast<int>(a)) : b_.integer(index[a]));
    }
    Zeros::Zero zero = Zeros::exact;
    if (l_.form == Lowering::Form::pull) {
      const Id v = l_.element(reader_, 0, at).re;
      int64_t bits = 0;
      if (b_.is_constant(v, &bits)) return {Known::Kind::constant, static_cast<uint64_t>(bits)};
      zero = zeros_.of(v);
    } else {
      zero = sum(at);
    }
    *rule = zero == Zeros::by_rule;
    return {zero == Zeros::no ? Known::Kind::nothing : Known::Kind::zero, 0};
  }

 private:
  // A sum is zero if all its terms are.
  Zeros::Zero sum(const Coords& at) {
    Indices folded;
    for (int64_t a : l_.axes) folded.push_back(l_.space[a]);
    Zeros::Zero all = Zeros::exact;
    for_each_index(folded, [&](const Indices& digits) {
      if (all == Zeros::no) return;
      Coords c;
      size_t next_out = 0, next_fold = 0;
      for (int64_t a = 0; a < l_.space.ndim(); ++a) {
        const bool is_folded = std::ranges::find(l_.axes, a) != l_.axes.end();
        c.push_back(is_folded ? b_.integer(digits[next_fold++]) : at[next_out++]);
      }
      const Zeros::Zero z = zeros_.of(l_.element(reader_, 0, c).re);
      all = z == Zeros::no ? z : std::max(all, z);
    });
    return all;
  }
  const Lowering& l_;
  const Shape& shape_;
  const Indices& extents_;
  nest::Builder b_{"known"};
  const num::Writing writing_{b_};
  KnownReader reader_;
  Zeros zeros_;
};

}  // namespace

KnownResult known_result(const KnownOperands& in, const Shape& shape, const Indices& extents) {
  const Lowering& l = in.lowering;
  const bool sum = l.form == Lowering::Form::reduce && l.combine == std::vector{nest::Combine::Add};
  if (l.form != Lowering::Form::pull && !sum) return {};
  Runner run(in, shape, extents);
  std::vector<Known> elements;
  std::vector<bool> by_rule;
  for_each_index(extents, [&](const Indices& index) {
    bool rule = false;
    elements.push_back(run.element(index, &rule));
    by_rule.push_back(rule);
  });
  return {KnownElements(extents, std::move(elements)), std::move(by_rule)};
}

}  // namespace weft::compiler
