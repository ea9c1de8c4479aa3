// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/cuda/sass.h: counts the instructions of kernels and of their loops in the output of
// nvdisasm.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace weft::toolkit {

struct SassCounts {
  int instructions = 0;  // without the padding at the end
  // For each innermost loop, the longest first. The check of the stop word, which runs once per
  // millisecond, is not counted as part of a loop.
  std::vector<int> inner_loops = {};
  // Instructions on the path from the beginning through a 16-byte access to the end, if no loop has
  // such an access.
  int wide_path = 0;
  std::vector<int> inner_loads = {};  // for each: 32-bit words that it loads from memory
};

// The code of one kernel, as basic blocks.
class SassKernel {
 public:
  void label(const std::string& name) {
    start_block();
    labels_[name] = blocks_.size() - 1;
  }
  void instruction(const std::string& text) {
    if (blocks_.empty() || blocks_.back().ended) start_block();
    Block& b = blocks_.back();
    b.begun = true;
    if (text == "NOP") return;
    ++b.instructions;
    // Only the check of the stop word reads memory that the host may write.
    if (text.find("LDG") != std::string::npos) b.loads += words_of(text);
    b.wide = b.wide || text.find("G.E.128") != std::string::npos;
    b.cold = b.cold || text.find(".STRONG.SYS") != std::string::npos;
    const bool predicated = text.starts_with('@');
    const std::string plain = predicated ? text.substr(text.find(' ') + 1) : text;
    const std::string op = plain.substr(0, plain.find_first_of(" ."));
    if (op == "BRA") {
      const size_t from = plain.find("`(") + 2;
      b.target = plain.substr(from, plain.find(')') - from);
    }
    b.ended = op == "BRA" || op == "EXIT" || op == "RET" || op == "BRX" || op == "JMP";
    b.leaves = op == "EXIT";
    b.falls_through = !b.ended || predicated || (op == "BRA" && !plain.starts_with("BRA `("));
  }

  SassCounts counts() {
    connect();
    SassCounts c;
    for (const Block& b : blocks_)
      if (b.next != std::vector<size_t>{index(b)}) c.instructions += b.instructions;
    std::vector<std::set<size_t>> all = loops();
    const bool in_loops = std::any_of(all.begin(), all.end(), [&](const auto& l) {
      return std::any_of(l.begin(), l.end(), [&](size_t b) { return blocks_[b].wide; });
    });
    if (!in_loops) c.wide_path = wide_path();
    std::vector<std::pair<int, int>> inner;
    for (const auto& l : all) {
      const bool innermost = std::none_of(all.begin(), all.end(), [&](const auto& other) {
        return other.size() < l.size() &&
               std::includes(l.begin(), l.end(), other.begin(), other.end());
      });
      if (!innermost) continue;
      auto& [n, loads] = inner.emplace_back();
      for (size_t b : l) n += blocks_[b].instructions, loads += blocks_[b].loads;
    }
    std::sort(inner.rbegin(), inner.rend());
    for (const auto& [n, loads] : inner) {
      c.inner_loops.push_back(n);
      c.inner_loads.push_back(loads);
    }
    return c;
  }

 private:
  struct Block {
    int instructions = 0, loads = 0;
    bool wide = false, begun = false, ended = false, falls_through = true, cold = false,
         leaves = false;
    std::string target = {};
    std::vector<size_t> next = {};
  };
  static int words_of(const std::string& load) {
    return load.find(".128") != std::string::npos   ? 4
           : load.find(".64 ") != std::string::npos ? 2
                                                    : 1;
  }
  size_t index(const Block& b) const { return static_cast<size_t>(&b - blocks_.data()); }
  void start_block() {
    if (blocks_.empty() || blocks_.back().begun) blocks_.emplace_back();
  }
  void connect() {
    for (Block& b : blocks_) {
      if (b.cold) continue;
      if (b.falls_through && index(b) + 1 < blocks_.size()) b.next.push_back(index(b) + 1);
      if (const auto to = labels_.find(b.target); to != labels_.end()) b.next.push_back(to->second);
    }
  }
  // The fewest instructions from block `from` to the end of each block; -1: unreachable.
  std::vector<int> shortest(size_t from) const {
    std::vector<int> n(blocks_.size(), -1);
    n[from] = blocks_[from].instructions;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Block& b : blocks_)
        for (size_t to : b.next) {
          const int way = n[index(b)] + blocks_[to].instructions;
          if (n[index(b)] < 0 || (n[to] >= 0 && n[to] <= way)) continue;
          n[to] = way;
          changed = true;
        }
    }
    return n;
  }
  int wide_path() const {
    int best = 0;
    if (blocks_.empty()) return best;
    const std::vector<int> there = shortest(0);
    for (const Block& b : blocks_) {
      if (!b.wide || there[index(b)] < 0) continue;
      const std::vector<int> on = shortest(index(b));
      for (const Block& end : blocks_) {
        if (!end.leaves || on[index(end)] < 0) continue;
        const int way = there[index(b)] + on[index(end)] - b.instructions;
        best = best == 0 ? way : std::min(best, way);
      }
    }
    return best;
  }
  // The dominators of each block; empty for unreachable blocks.
  std::vector<std::set<size_t>> dominators() const {
    std::vector<bool> reached(blocks_.size(), false);
    std::vector<std::set<size_t>> of(blocks_.size());
    if (blocks_.empty()) return of;
    of[0] = {0};
    reached[0] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = 0; b < blocks_.size(); ++b) {
        if (!reached[b]) continue;
        for (size_t n : blocks_[b].next) {
          if (n == 0) continue;
          std::set<size_t> ways = of[b];
          if (reached[n]) {
            ways.clear();
            std::set_intersection(of[b].begin(), of[b].end(), of[n].begin(), of[n].end(),
                                  std::inserter(ways, ways.end()));
          }
          ways.insert(n);
          if (reached[n] && ways == of[n]) continue;
          of[n] = std::move(ways);
          reached[n] = changed = true;
        }
      }
    }
    return of;
  }
  // The blocks of each loop; loops with the same head are merged.
  std::vector<std::set<size_t>> loops() const {
    const std::vector<std::set<size_t>> dominators = this->dominators();
    std::vector<std::vector<size_t>> before(blocks_.size());
    for (const Block& b : blocks_)
      for (size_t n : b.next) before[n].push_back(index(b));
    std::map<size_t, std::set<size_t>> by_head;
    for (size_t latch = 0; latch < blocks_.size(); ++latch)
      for (size_t head : blocks_[latch].next) {
        if (!dominators[latch].contains(head)) continue;
        std::set<size_t>& inside = by_head[head];
        inside.insert(head);
        std::vector<size_t> todo{latch};
        while (!todo.empty()) {
          const size_t b = todo.back();
          todo.pop_back();
          if (dominators[b].empty() || !inside.insert(b).second) continue;
          todo.insert(todo.end(), before[b].begin(), before[b].end());
        }
      }
    std::vector<std::set<size_t>> r;
    for (auto& [head, inside] : by_head) r.push_back(std::move(inside));
    return r;
  }

  std::vector<Block> blocks_;
  std::map<std::string, size_t> labels_;
};

// By kernel, from the output of `nvdisasm -c` for a cubin.
inline std::map<std::string, SassCounts> read_sass(const std::string& text) {
  std::map<std::string, SassKernel> kernels;
  SassKernel* at = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string section = "\t.section\t", code = ".text.";
    if (line.starts_with(section)) {
      const std::string name = line.substr(section.size(), line.find(',') - section.size());
      at = name.starts_with(code) ? &kernels[name.substr(code.size())] : nullptr;
      continue;
    }
    if (!at || line.empty()) continue;
    if (line.ends_with(':')) at->label(line.substr(0, line.size() - 1));
    const size_t comment = line.find("/*"), from = line.find("*/"), to = line.rfind(';');
    if (comment == line.find_first_not_of(' ') && to != std::string::npos) {
      const size_t begin = line.find_first_not_of(' ', from + 2);
      const std::string body = line.substr(begin, to - begin);
      at->instruction(body.substr(0, body.find_last_not_of(' ') + 1));
    }
  }
  std::map<std::string, SassCounts> r;
  for (auto& [name, k] : kernels) r[name] = k.counts();
  return r;
}

}  // namespace weft::toolkit
