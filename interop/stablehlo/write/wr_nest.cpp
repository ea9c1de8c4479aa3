// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/wr_nest.cpp: writes ops that StableHLO does not have. The lowering rule
// describes one element by a straight-line loop program, which becomes the same arithmetic on whole
// arrays. Both sides of a branch are computed. StableHLO has no fma. For F32 it is computed in F64,
// in which products are exact. For F64 it rounds twice.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "core/op.h"
#include "core/scalar/number.h"
#include "interop/stablehlo/write/write.h"

namespace weft::hlo {
namespace {

using nest::Id;
using nest::Kind;
using nest::Opcode;

// Integers in nests have no sign. They are written as signed integers unless an instruction
// requires unsigned ones.
DType dtype_of(Kind k) {
  switch (k) {
    case Kind::Mask: return Bool;
    case Kind::I8: return I8;
    case Kind::I16: return I16;
    case Kind::I32: return I32;
    case Kind::I64: return I64;
    case Kind::F32: return F32;
    default: return F64;
  }
}
DType unsigned_of(DType d) {
  switch (d) {
    case I8: return U8;
    case I16: return U16;
    case I32: return U32;
    case I64: return U64;
    default: return d;
  }
}
DType signed_of(DType d) {
  switch (d) {
    case U8: return I8;
    case U16: return I16;
    case U32: return I32;
    case U64: return I64;
    default: return d;
  }
}
bool is_narrow_float(DType d) { return d == BF16 || d == F16; }

// The elements that a rule reads, by operand, component and position.
class Reads final : public Reader {
 public:
  struct Load {
    size_t operand;
    int component;
    Coords at;
    friend bool operator<(const Load& a, const Load& b) {
      return std::tie(a.operand, a.component, a.at) < std::tie(b.operand, b.component, b.at);
    }
  };
  Reads(nest::Builder& b, const Types& in) : b_(b), in_(in) {
    for (const Type& t : in) buffers_.push_back(b.buffer(storage_of(t.dtype()), false));
  }
  Elem read(int operand, const Coords& at) override {
    const auto k = static_cast<size_t>(operand);
    const auto part = [&](int component) {
      const auto [it, fresh] = number_.emplace(Load{k, component, at}, loads_.size());
      if (fresh) loads_.push_back(it->first);
      return b_.load(buffers_[k], b_.integer(static_cast<int64_t>(it->second)));
    };
    return {part(0), components(in_[k].dtype()) == 2 ? part(1) : nest::no_id};
  }
  const Load& load(int64_t number) const { return loads_[static_cast<size_t>(number)]; }

 private:
  nest::Builder& b_;
  const Types& in_;
  std::vector<int> buffers_;
  std::map<Load, size_t> number_;
  std::vector<Load> loads_;
};

class Transcriber {
 public:
  Transcriber(Writer& w, const Equation& e, const Vals& x)
      : w_(w), e_(e), x_(x), shape_(e.out[0].shape()) {}

  Vals run(const Lowering& l) {
    nest::Builder b(e_.name());
    Reads reads(b, e_.in);
    std::vector<Elem> out;
    {
      const num::Writing writing(b);
      Coords at;
      for (int a = 0; a < shape_.ndim(); ++a) at.push_back(b.index(a));
      for (size_t o = 0; o < e_.out.size(); ++o)
        out.push_back(l.element(reads, static_cast<int>(o), at));
    }
    reads_ = &reads;
    k_ = b.finish(static_cast<int>(shape_.ndim()), 0, {});
    values_.resize(k_.insts.size());
    find_needed(out);
    for (Id v = 0; v < static_cast<Id>(k_.insts.size()); ++v)
      if (needed_[slot(v)]) values_[slot(v)] = written_inst(k_.insts[slot(v)]);
    Vals results;
    for (size_t o = 0; o < out.size(); ++o) results.push_back(assembled(e_.out[o].dtype(), out[o]));
    return results;
  }

 private:
  static size_t slot(Id v) { return static_cast<size_t>(v); }
  const Val& value(Id v) const { return values_[slot(v)]; }
  Type type(DType d) const { return Type(d, shape_); }

  // Marks the instructions that are needed. The operands of an instruction precede it, so one pass
  // backwards suffices.
  void find_needed(const std::vector<Elem>& out) {
    needed_.assign(k_.insts.size(), false);
    for (const Elem& e : out)
      for (Id v : {e.re, e.im})
        if (v != nest::no_id) needed_[slot(v)] = true;
    for (Id v = static_cast<Id>(k_.insts.size()) - 1; v >= 0; --v) {
      if (!needed_[slot(v)]) continue;
      const nest::Inst& i = k_.insts[slot(v)];
      if (i.op == Opcode::If) {
        needed_[slot(i.args[0])] = true;
        for (nest::BlockId b : i.blocks)
          for (Id y : k_.blocks[static_cast<size_t>(b)].yields) needed_[slot(y)] = true;
      } else if (i.op == Opcode::Load) {
        for (Id c : reads_->load(number_of(i)).at) needed_[slot(c)] = true;
      } else {
        for (Id a : i.args) needed_[slot(a)] = true;
      }
    }
  }
  int64_t number_of(const nest::Inst& load) const { return k_.insts[slot(load.args[0])].imm; }

  // ---- reads

  std::optional<int64_t> known(Id v) const {
    const nest::Inst& i = k_.insts[slot(v)];
    return i.op == Opcode::Const ? std::optional(i.imm) : std::nullopt;
  }
  // Broadcasts the operand to the axes of the result. Each coordinate must be an axis of the result
  // or a constant.
  std::optional<Val> placed(const Val& x, const Coords& at) {
    Ints start, limit, stride, dims;
    std::vector<int64_t> kept;
    for (size_t a = 0; a < at.size(); ++a) {
      const nest::Inst& i = k_.insts[slot(at[a])];
      const auto constant = known(at[a]);
      if (!constant && i.op != Opcode::Index) return {};
      if (!constant && std::find(dims.begin(), dims.end(), i.imm) != dims.end()) return {};
      start.push_back(constant.value_or(0));
      limit.push_back(constant ? *constant + 1 : shape_[i.imm]);
      stride.push_back(1);
      if (constant) continue;
      dims.push_back(i.imm);
      kept.push_back(shape_[i.imm]);
    }
    const Val y = w_.reshape(at.empty() ? x : w_.slice(x, start, limit, stride), Shape(kept));
    return std::is_sorted(dims.begin(), dims.end()) && y.shape() == shape_
               ? y
               : w_.one("stablehlo.broadcast_in_dim", {y}, y.type.with_shape(shape_),
                        {{"broadcast_dimensions", ints_attr(dims)}});
  }
  // Gathers one element for each position.
  Val gathered(const Val& x, const Coords& at) {
    Shape column = shape_.inserted(static_cast<int>(shape_.ndim()), 1);
    Vals parts;
    Ints all, ones;
    for (size_t a = 0; a < at.size(); ++a) {
      parts.push_back(w_.reshape(value(at[a]), column));
      all.push_back(static_cast<int64_t>(a));
      ones.push_back(1);
    }
    const auto n = static_cast<int64_t>(at.size());
    const Type indices(I64, column.with(static_cast<int>(shape_.ndim()), n));
    const Val index = n == 1 ? parts[0]
                             : w_.one("stablehlo.concatenate", parts, indices,
                                      {{"dimension", integer_attr(shape_.ndim())}});
    return w_.one("stablehlo.gather", {x, index}, x.type.with_shape(shape_),
                  {{"dimension_numbers",
                    text_attr("#stablehlo.gather<collapsed_slice_dims = " + list_text(all) +
                              ", start_index_map = " + list_text(all) +
                              ", index_vector_dim = " + std::to_string(shape_.ndim()) + ">")},
                   {"indices_are_sorted", bool_attr(false)},
                   {"slice_sizes", ints_attr(ones)}});
  }
  // A component of an element, in the representation of nests.
  Val component(Val v, DType d, int which) {
    if (is_key(d)) {
      if (which == 1)
        v = w_.binary("stablehlo.shift_right_logical", v, w_.integer(v.type, 32));
      else
        v = w_.binary("stablehlo.and", v, w_.integer(v.type, 0xFFFFFFFF));
      v = w_.convert(v, U32);
    } else if (is_complex(d)) {
      v = w_.one(which ? "stablehlo.imag" : "stablehlo.real", {v}, type(real_part(d)));
    }
    if (is_narrow_float(v.dtype())) return w_.convert(v, F32);
    return w_.bitcast(v, type(signed_of(v.dtype())));
  }
  Val written_load(const nest::Inst& i) {
    const Reads::Load& l = reads_->load(number_of(i));
    const DType d = e_.in[l.operand].dtype();
    if (const auto known = elements_.find(std::pair(l.operand, l.at)); known != elements_.end())
      return component(known->second, d, l.component);
    const auto there = placed(x_[l.operand], l.at);
    const Val v = there ? *there : gathered(x_[l.operand], l.at);
    elements_.emplace(std::pair(l.operand, l.at), v);
    return component(v, d, l.component);
  }

  // ---- results

  Val assembled(DType d, const Elem& e) {
    if (is_key(d)) {
      const auto word = [&](Id id) { return w_.convert(w_.bitcast(value(id), type(U32)), U64); };
      const Val high = w_.binary("stablehlo.shift_left", word(e.im), w_.integer(type(U64), 32));
      return w_.binary("stablehlo.or", high, word(e.re));
    }
    if (is_complex(d)) return w_.one("stablehlo.complex", {value(e.re), value(e.im)}, type(d));
    const Val& v = value(e.re);
    if (is_narrow_float(d) || is_bool(d)) return w_.convert(v, d);
    return w_.bitcast(v, type(d));
  }

  // ---- arithmetic

  Val as(DType d, Id v) { return w_.bitcast(value(v), type(d)); }
  Val plain(std::string_view name, const nest::Inst& i) {
    Vals x;
    for (Id a : i.args) x.push_back(value(a));
    return w_.one(name, x, type(dtype_of(i.kind)));
  }
  // Applies an op to the operands as unsigned integers.
  Val on_unsigned(std::string_view name, const nest::Inst& i) {
    Vals x;
    for (Id a : i.args) x.push_back(as(unsigned_of(value(a).dtype()), a));
    const DType d = dtype_of(i.kind);
    return w_.bitcast(w_.one(name, x, type(unsigned_of(d))), type(d));
  }
  Val compared(std::string_view how, const nest::Inst& i, bool is_unsigned) {
    const DType d = value(i.args[0]).dtype(), to = is_unsigned ? unsigned_of(d) : d;
    return w_.compare(how, as(to, i.args[0]), as(to, i.args[1]));
  }
  Val fused(const nest::Inst& i) {
    const bool wide = i.kind == Kind::F64;
    const auto up = [&](Id v) { return wide ? value(v) : w_.convert(value(v), F64); };
    const Val product = w_.binary("stablehlo.multiply", up(i.args[0]), up(i.args[1]));
    return w_.convert(w_.binary("stablehlo.add", product, up(i.args[2])), dtype_of(i.kind));
  }
  Val truncated(const nest::Inst& i) {
    const Val& x = value(i.args[0]);
    const Val below = w_.compare("LT", x, w_.number(x.type, 0));
    return w_.select(below, plain("stablehlo.ceil", i), plain("stablehlo.floor", i));
  }
  Val rounded_to(DType d, const nest::Inst& i) {
    return w_.convert(w_.convert(value(i.args[0]), d), F32);
  }
  Val result(const nest::Inst& i) {
    const nest::Inst& owner = k_.insts[slot(i.args[0])];
    const auto yielded = [&](size_t side) {
      return value(
          k_.blocks[static_cast<size_t>(owner.blocks[side])].yields[static_cast<size_t>(i.imm)]);
    };
    return w_.select(value(owner.args[0]), yielded(0), yielded(1));
  }

  // Returns true for a sum with a number so large that the sum is rounded to an integer. XLA would
  // combine adjacent constants, and would remove a constant that is added and subtracted.
  bool rounds(const nest::Inst& i) const {
    if (i.op != Opcode::Add && i.op != Opcode::Sub) return false;
    return std::any_of(i.args.begin(), i.args.end(), [&](Id a) {
      const auto bits = known(a);
      if (!bits) return false;
      if (i.kind == Kind::F64) return std::fabs(std::bit_cast<double>(*bits)) >= 0x1p51;
      return i.kind == Kind::F32 &&
             std::fabs(std::bit_cast<float>(static_cast<uint32_t>(*bits))) >= 0x1p22f;
    });
  }
  Val held(const Val& v) { return w_.one("stablehlo.optimization_barrier", {v}, v.type); }
  Val rounding_sum(const nest::Inst& i) {
    Vals x;
    for (Id a : i.args) x.push_back(known(a) ? value(a) : held(value(a)));
    return held(w_.one(plain_names().at(i.op), x, type(dtype_of(i.kind))));
  }

  Val written_inst(const nest::Inst& i) {
    if (rounds(i)) return rounding_sum(i);
    const auto name = plain_names().find(i.op);
    if (name != plain_names().end()) return plain(name->second, i);
    const DType d = dtype_of(i.kind);
    const auto bits = static_cast<uint64_t>(i.imm);
    switch (i.op) {
      case Opcode::Const: return w_.repeated(type(d), &bits);
      case Opcode::Index: return w_.iota(type(I64), i.imm);
      case Opcode::Load: return written_load(i);
      case Opcode::If: return {};
      case Opcode::Result: return result(i);
      case Opcode::UDiv: return on_unsigned("stablehlo.divide", i);
      case Opcode::URem: return on_unsigned("stablehlo.remainder", i);
      case Opcode::UMin: return on_unsigned("stablehlo.minimum", i);
      case Opcode::UMax: return on_unsigned("stablehlo.maximum", i);
      case Opcode::MulHiU: return on_unsigned("chlo.mulhi", i);
      case Opcode::Fma: return fused(i);
      case Opcode::Trunc: return truncated(i);
      case Opcode::Eq: return compared("EQ", i, false);
      case Opcode::Ne: return compared("NE", i, false);
      case Opcode::Lt:
      case Opcode::SLt: return compared("LT", i, false);
      case Opcode::Le:
      case Opcode::SLe: return compared("LE", i, false);
      case Opcode::ULt: return compared("LT", i, true);
      case Opcode::ULe: return compared("LE", i, true);
      case Opcode::FToS:
      case Opcode::SToF:
      case Opcode::FConv:
      case Opcode::SExt:
      case Opcode::Narrow:
      case Opcode::MaskToInt: return w_.convert(value(i.args[0]), d);
      case Opcode::FToU: return w_.bitcast(w_.convert(value(i.args[0]), unsigned_of(d)), type(d));
      case Opcode::UToF: return w_.convert(as(unsigned_of(value(i.args[0]).dtype()), i.args[0]), d);
      case Opcode::ZExt:
        return w_.bitcast(
            w_.convert(as(unsigned_of(value(i.args[0]).dtype()), i.args[0]), unsigned_of(d)),
            type(d));
      case Opcode::Bitcast: return w_.bitcast(value(i.args[0]), type(d));
      case Opcode::RoundBF16: return rounded_to(BF16, i);
      case Opcode::RoundF16: return rounded_to(F16, i);
      default: e_.refuse("StableHLO has no such op, and its elements are computed in loops");
    }
  }
  // The instructions that correspond to one op of StableHLO.
  static const std::map<Opcode, std::string_view>& plain_names() {
    static const std::map<Opcode, std::string_view> names = {
        {Opcode::Add, "stablehlo.add"},
        {Opcode::Sub, "stablehlo.subtract"},
        {Opcode::Mul, "stablehlo.multiply"},
        {Opcode::Neg, "stablehlo.negate"},
        {Opcode::Div, "stablehlo.divide"},
        {Opcode::SDiv, "stablehlo.divide"},
        {Opcode::SRem, "stablehlo.remainder"},
        {Opcode::Rem, "stablehlo.remainder"},
        {Opcode::Sqrt, "stablehlo.sqrt"},
        {Opcode::Abs, "stablehlo.abs"},
        {Opcode::Floor, "stablehlo.floor"},
        {Opcode::Ceil, "stablehlo.ceil"},
        {Opcode::RoundEven, "stablehlo.round_nearest_even"},
        {Opcode::FMin, "stablehlo.minimum"},
        {Opcode::FMax, "stablehlo.maximum"},
        {Opcode::SMin, "stablehlo.minimum"},
        {Opcode::SMax, "stablehlo.maximum"},
        {Opcode::And, "stablehlo.and"},
        {Opcode::Or, "stablehlo.or"},
        {Opcode::Xor, "stablehlo.xor"},
        {Opcode::Not, "stablehlo.not"},
        {Opcode::Shl, "stablehlo.shift_left"},
        {Opcode::Shr, "stablehlo.shift_right_logical"},
        {Opcode::Sar, "stablehlo.shift_right_arithmetic"},
        {Opcode::MulHiS, "chlo.mulhi"},
        {Opcode::Popcount, "stablehlo.popcnt"},
        {Opcode::Clz, "stablehlo.count_leading_zeros"},
        {Opcode::Select, "stablehlo.select"}};
    return names;
  }

  Writer& w_;
  const Equation& e_;
  const Vals& x_;
  const Shape shape_;
  nest::Kernel k_;
  const Reads* reads_ = nullptr;
  std::vector<bool> needed_;
  Vals values_;
  std::map<std::pair<size_t, Coords>, Val> elements_;  // whole operands, read at these coordinates
};

}  // namespace

Vals write_nest(Writer& w, const Equation& e, const Lowering& l, const Vals& x) {
  for (const Type& t : e.out)
    if (!(t.shape() == e.out[0].shape())) e.refuse("its results differ in shape");
  const auto keys = [](const Type& t) { return is_key(t.dtype()); };
  if (!e.eqn.params->fields().empty() || std::any_of(e.in.begin(), e.in.end(), keys) ||
      std::any_of(e.out.begin(), e.out.end(), keys))
    return Transcriber(w, e, x).run(l);
  return write_composite(w, e, x, [&](const Vals& args) { return Transcriber(w, e, args).run(l); });
}

}  // namespace weft::hlo
