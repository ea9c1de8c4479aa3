// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/equation_set.h: sets of the equations of a program, as bits.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

namespace weft::compiler {

class EquationSet {
 public:
  explicit EquationSet(size_t equations) : words_((equations + 63) / 64, 0) {}
  bool contains(size_t i) const { return words_[i / 64] >> (i % 64) & 1; }
  void insert(size_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  bool intersects(const EquationSet& o) const {
    for (size_t w = 0; w < words_.size(); ++w)
      if (words_[w] & o.words_[w]) return true;
    return false;
  }
  EquationSet& operator|=(const EquationSet& o) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] |= o.words_[w];
    return *this;
  }
  // The equations in order.
  std::vector<size_t> members() const {
    std::vector<size_t> r;
    for (size_t w = 0; w < words_.size(); ++w)
      for (uint64_t rest = words_[w]; rest; rest &= rest - 1)
        r.push_back(64 * w + static_cast<size_t>(std::countr_zero(rest)));
    return r;
  }
  friend bool operator==(const EquationSet&, const EquationSet&) = default;

 private:
  std::vector<uint64_t> words_;
};

}  // namespace weft::compiler
