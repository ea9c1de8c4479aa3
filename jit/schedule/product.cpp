// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/product.cpp: finds what each value of a kernel depends on.
#include "jit/schedule/product.h"

#include <algorithm>

#include "core/loops/strides.h"
#include "jit/schedule/loops.h"
#include "jit/schedule/nest_names.h"
#include "weft/shape.h"

namespace weft::compiler {

namespace {

// The dependencies of a value: the row, the column, the term, the matrix of the row; or of_more, if
// it cannot be computed for a single term.
constexpr uint8_t of_row = 1, of_column = 2, of_term = 4, of_matrix = 8, of_more = 16;

class Finder {
 public:
  explicit Finder(const Kernel& k) : k_(k), depends_(k.insts.size(), of_more) {}

  std::optional<ProductLoop> run() {
    if (k_.rank != 2 || !find_loop()) return {};
    const Inst& loop = inst(p_.loop);
    const nest::Block& body = block(loop.blocks[0]);
    const Inst& sum = inst(body.yields[0]);
    if (sum.op != Opcode::Fma || sum.args[2] != body.params[1]) return {};
    note(0);
    for (const auto& [rows, columns] :
         {std::pair(sum.args[0], sum.args[1]), std::pair(sum.args[1], sum.args[0])}) {
      if (depends_[rows] & (of_column | of_more) || depends_[columns] & (of_row | of_more))
        continue;
      p_.rows = factor(rows, 0);
      p_.columns = factor(columns, 1);
      if (!(depends_[columns] & of_matrix)) p_.matrix = 0;
      return p_;
    }
    return {};
  }

 private:
  const Inst& inst(Id v) const { return k_.insts[v]; }
  const nest::Block& block(BlockId b) const { return k_.blocks[b]; }

  bool find_loop() {
    for (const Id v : block(0).body) {
      const Inst& i = inst(v);
      if (!is_structured(i.op) || i.op == Opcode::If) continue;
      if (p_.loop != no_id || i.op != Opcode::For) return false;
      p_.loop = v;
    }
    if (p_.loop == no_id) return false;
    const Inst& i = inst(p_.loop);
    const Inst &first = inst(i.args[0]), &end = inst(i.args[1]);
    if (i.imm != 1 || i.kinds.size() != 1 || end.imm < 1 || first.op != Opcode::Const ||
        first.imm != 0 || end.op != Opcode::Const || inst(i.args[2]).op != Opcode::Const)
      return false;
    p_.terms = end.imm;
    p_.any_order = !i.fold.empty();
    const auto& body = block(i.blocks[0]).body;
    return std::ranges::none_of(body, [&](Id v) {
      const Opcode op = inst(v).op;
      return is_structured(op) || op == Opcode::Store || op == Opcode::Local ||
             op == Opcode::LocalLoad || op == Opcode::LocalStore;
    });
  }

  void note(BlockId b) {
    for (const Id v : block(b).body) {
      depends_[v] = found(v);
      if (v != p_.loop) continue;
      const nest::Block& body = block(inst(v).blocks[0]);
      depends_[body.params[0]] = of_term;
      note(inst(v).blocks[0]);
    }
  }
  uint8_t found(Id v) {
    const Inst& i = inst(v);
    switch (i.op) {
      case Opcode::Param: return depends_[v];
      case Opcode::Index: return i.imm == 0 ? of_row : of_column;
      case Opcode::Load: return k_.buffers[i.imm].written ? of_more : depends_[i.args[0]];
      case Opcode::Result:
      case Opcode::Local:
      case Opcode::LocalLoad: return of_more;
      case Opcode::SDiv:
        if (const int64_t n = matrix_rows(i)) {
          p_.matrix = n;
          return of_matrix;
        }
        break;
      default: break;
    }
    uint8_t all = 0;
    for (const Id a : i.args) all |= depends_[a];
    return is_structured(i.op) ? of_more : all;
  }
  // Returns n if the instruction divides the row by the n rows of a matrix, else 0.
  int64_t matrix_rows(const Inst& i) const {
    const Inst &x = inst(i.args[0]), &n = inst(i.args[1]);
    const bool ok = x.op == Opcode::Index && x.imm == 0 && n.op == Opcode::Const && n.imm > 0 &&
                    (p_.matrix == 0 || p_.matrix == n.imm);
    return ok ? n.imm : 0;
  }

  ProductFactor factor(Id v, int64_t axis) const {
    ProductFactor f;
    f.value = v;
    f.slice = slice(v);
    f.is_bf16 = is_exactly(v, Storage::BF16);
    f.is_f16 = is_exactly(v, Storage::F16);
    const BlockId body = inst(p_.loop).blocks[0];
    const nest::Along terms{.index = block(body).params[0], .block = body}, points{.axis = axis};
    const auto side_by_side = [&](Id load, const nest::Along& along) {
      return nest::stride_along(k_, inst(load).args[0], along) == 1;
    };
    for (const Id x : f.slice)
      if (is_load(x)) f.along_terms = side_by_side(x, terms) && !side_by_side(x, points);
    int64_t widest = 0;
    for (const Id x : f.slice) {
      if (!is_load(x)) continue;
      ProductFactor::Read r{x, slice(inst(x).args[0]), false};
      if (std::ranges::any_of(r.offset, [&](Id of) { return is_load(of); })) continue;
      r.side_by_side = side_by_side(x, f.along_terms ? terms : points) &&
                       nest::stride_along(k_, inst(x).args[0], terms).has_value();
      if (r.side_by_side) widest = std::max(widest, element_bytes(k_, x));
      f.reads.push_back(std::move(r));
    }
    if (widest > 0) f.together = static_cast<int>(16 / widest);
    return f;
  }
  bool is_load(Id v) const { return inst(v).op == Opcode::Load; }
  // Returns the instructions in order, v last, without those that are the same for all points and
  // terms.
  std::vector<Id> slice(Id v) const {
    std::vector<char> seen(k_.insts.size(), 0);
    std::vector<Id> all;
    collect(v, &seen, &all);
    return all;
  }
  void collect(Id v, std::vector<char>* seen, std::vector<Id>* slice) const {
    const Inst& i = inst(v);
    if ((*seen)[v]++ || depends_[v] == 0 || i.op == Opcode::Param) return;
    for (const Id a : i.args) collect(a, seen, slice);
    slice->push_back(v);
  }
  // Returns true if the narrow type holds the F32 number v exactly.
  bool is_exactly(Id v, Storage narrow) const {
    const Inst& i = inst(v);
    if (i.kind != nest::Kind::F32) return false;
    const auto all = [&](size_t first) {
      return std::all_of(i.args.begin() + static_cast<std::ptrdiff_t>(first), i.args.end(),
                         [&](Id a) { return is_exactly(a, narrow); });
    };
    switch (i.op) {
      case Opcode::Load: return k_.buffers[i.imm].storage == narrow;
      case Opcode::RoundBF16: return narrow == Storage::BF16;
      case Opcode::RoundF16: return narrow == Storage::F16;
      case Opcode::Const: return i.imm == 0;
      case Opcode::Neg:
      case Opcode::Abs:
      case Opcode::FMin:
      case Opcode::FMax: return all(0);
      case Opcode::Select: return all(1);
      default: return false;
    }
  }

  const Kernel& k_;
  std::vector<uint8_t> depends_;  // by value
  ProductLoop p_;
};

int64_t parts(int64_t n, int64_t of) { return (n + of - 1) / of; }

}  // namespace

std::optional<ProductLoop> product_loop(const Kernel& k) { return Finder(k).run(); }

bool has_mma(const ProductLoop& p, const Kernel& k, const TargetInfo& target) {
  const bool exact = (p.rows.is_bf16 && p.columns.is_bf16) || (p.rows.is_f16 && p.columns.is_f16);
  return target.tensor_cores && p.any_order && exact && k.insts[p.loop].kinds[0] == nest::Kind::F32;
}

// Fma reads four neighbouring points of a term in one access. Mma reads eight terms of a point, or
// eight points of a term, which its loads transpose.
ProductStage product_stage(const ProductSchedule& s, const ProductLoop& p, const Kernel& k) {
  const bool wide = k.insts[s.loop].kinds[0] == nest::Kind::F64;
  ProductStage stage;
  stage.number = s.mma ? 2 : wide ? 8 : 4;
  const auto add = [&](int points, bool along_terms) {
    const bool by_terms = s.mma && along_terms;
    ProductStage::Side side{by_terms, by_terms ? points : s.terms, by_terms ? s.terms : points, 0,
                            stage.bytes};
    side.pitch = side.of_line * stage.number + 16;
    stage.bytes += side.lines * side.pitch;
    return side;
  };
  stage.rows = add(s.rows, p.rows.along_terms);
  stage.columns = add(s.columns, p.columns.along_terms);
  return stage;
}

int64_t blocks_of_grid(const Schedule& s, const std::vector<int64_t>& extents) {
  const int64_t points = Shape(extents).elements();
  if (const ProductSchedule& p = s.product; p.loop != no_id && points > 0) {
    const int64_t all = points / extents.back(), matrix = p.matrix ? p.matrix : all;
    return parts(all, matrix) * parts(matrix, p.rows) * parts(extents.back(), p.columns);
  }
  if (s.tile > 0 && points > 0)
    return parts(points / extents.back(), s.tile) * parts(extents.back(), s.tile);
  return parts(points, int64_t{s.block / s.threads} * s.points * s.interleave);
}

}  // namespace weft::compiler
