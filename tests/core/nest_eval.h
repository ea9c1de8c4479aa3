// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/nest_eval.h: evaluates the pure instructions and branches of a kernel for one lane by
// the plain arithmetic that they represent. The result of the instructions that a template emits is
// compared with the result of the template on plain numbers.
#pragma once
#include <map>
#include <stdexcept>
#include <vector>

#include "core/scalar/number.h"

namespace weft::test {

// Values are bits, zero-extended. Buffer b holds one element, inputs[b]. Stores set outputs[b].
class LaneEval {
 public:
  LaneEval(const nest::Kernel& k, std::vector<uint64_t> inputs)
      : k_(k), inputs_(std::move(inputs)), value_(k.insts.size()) {
    run(0);
  }
  uint64_t output(int buffer) const { return outputs_.at(buffer); }
  int executed() const { return executed_; }

 private:
  using O = nest::Opcode;
  using K = nest::Kind;

  template <class F>
  static uint64_t on_float(K k, F f) {
    return k == K::F32 ? f(float{}) : f(double{});
  }
  template <class F>
  static uint64_t on_int(K k, bool is_signed, F f) {
    switch (k) {
      case K::I8: return is_signed ? f(int8_t{}) : f(uint8_t{});
      case K::I16: return is_signed ? f(int16_t{}) : f(uint16_t{});
      case K::I32: return is_signed ? f(int32_t{}) : f(uint32_t{});
      case K::I64: return is_signed ? f(int64_t{}) : f(uint64_t{});
      default: throw std::logic_error("not an integer");
    }
  }
  static bool is_float(K k) { return k == K::F32 || k == K::F64; }

  template <class T>
  T in(const nest::Inst& i, int n) const {
    return num::detail::from_bits<T>(value_[i.args[n]]);
  }
  template <class T>
  static uint64_t out(T x) {
    return num::detail::to_bits(x);
  }

  template <class T>
  uint64_t arithmetic(const nest::Inst& i) const {
    const T a = in<T>(i, 0), b = i.args.size() > 1 ? in<T>(i, 1) : T{};
    switch (i.op) {
      case O::Add: return out(num::add(a, b));
      case O::Sub: return out(num::sub(a, b));
      case O::Mul: return out(num::mul(a, b));
      case O::Neg: return out(num::neg(a));
      case O::Div:
      case O::SDiv:
      case O::UDiv: return out(num::div(a, b));
      case O::Rem:
      case O::SRem:
      case O::URem: return out(num::rem(a, b));
      case O::FMin:
      case O::SMin:
      case O::UMin: return out(num::minimum(a, b));
      case O::FMax:
      case O::SMax:
      case O::UMax: return out(num::maximum(a, b));
      case O::Eq: return out(a == b);
      case O::Ne: return out(a != b);
      case O::Lt:
      case O::SLt:
      case O::ULt: return out(a < b);
      case O::Le:
      case O::SLe:
      case O::ULe: return out(a <= b);
      default: break;
    }
    if constexpr (num::Float<T>) {
      switch (i.op) {
        case O::Fma: return out(num::fma(a, b, in<T>(i, 2)));
        case O::Sqrt: return out(num::sqrt(a));
        case O::Abs: return out(num::abs(a));
        case O::Floor: return out(num::floor(a));
        case O::Ceil: return out(num::ceil(a));
        case O::Trunc: return out(num::trunc(a));
        case O::RoundEven: return out(num::round_even(a));
        default: break;
      }
    } else {
      switch (i.op) {
        case O::And: return out(num::bit_and(a, b));
        case O::Or: return out(num::bit_or(a, b));
        case O::Xor: return out(num::bit_xor(a, b));
        case O::Not: return out(num::bit_not(a));
        case O::Shl: return out(num::shift_left(a, b));
        case O::Shr: return out(num::shift_right_logical(a, b));
        case O::Sar: return out(num::shift_right_arithmetic(a, b));
        case O::MulHiS:
        case O::MulHiU: return out(num::mulhi(a, b));
        case O::Popcount: return out(num::popcount(a));
        case O::Clz: return out(num::clz(a));
        default: break;
      }
    }
    throw std::logic_error("opcode");
  }

  uint64_t mask(const nest::Inst& i) const {
    const bool a = in<bool>(i, 0), b = i.args.size() > 1 && in<bool>(i, 1);
    switch (i.op) {
      case O::And: return a && b;
      case O::Or: return a || b;
      case O::Xor:
      case O::Ne: return a != b;
      case O::Eq: return a == b;
      case O::Not: return !a;
      default: throw std::logic_error("mask opcode");
    }
  }

  uint64_t conversion(const nest::Inst& i) const {
    const K from = k_.insts[i.args[0]].kind;
    const bool is_signed = i.op == O::FToS || i.op == O::SToF || i.op == O::SExt;
    const auto to = [&](auto x) {
      if (is_float(i.kind))
        return on_float(i.kind, [&](auto t) { return out(num::convert<decltype(t)>(x)); });
      return on_int(i.kind, is_signed, [&](auto t) { return out(num::convert<decltype(t)>(x)); });
    };
    if (is_float(from)) return on_float(from, [&](auto t) { return to(in<decltype(t)>(i, 0)); });
    return on_int(from, is_signed, [&](auto t) { return to(in<decltype(t)>(i, 0)); });
  }

  uint64_t pure(const nest::Inst& i) const {
    switch (i.op) {
      case O::Const: return static_cast<uint64_t>(i.imm);
      case O::Index: return 0;
      case O::Load: return inputs_.at(i.imm);
      case O::Select: return value_[i.args[in<bool>(i, 0) ? 1 : 2]];
      case O::FToS:
      case O::FToU:
      case O::SToF:
      case O::UToF:
      case O::FConv:
      case O::SExt:
      case O::ZExt:
      case O::Narrow: return conversion(i);
      case O::MaskToInt:
      case O::Bitcast: return value_[i.args[0]];
      case O::RoundBF16: return out(num::round_to_bf16(in<float>(i, 0)));
      case O::RoundF16: return out(num::round_to_f16(in<float>(i, 0)));
      default: break;
    }
    const K k = k_.insts[i.args[0]].kind;
    if (k == K::Mask) return mask(i);
    if (is_float(k)) return on_float(k, [&](auto t) { return arithmetic<decltype(t)>(i); });
    const bool is_unsigned = i.op == O::UDiv || i.op == O::URem || i.op == O::UMin ||
                             i.op == O::UMax || i.op == O::MulHiU || i.op == O::ULt ||
                             i.op == O::ULe;
    return on_int(k, !is_unsigned, [&](auto t) { return arithmetic<decltype(t)>(i); });
  }

  void run(nest::BlockId b) {
    for (nest::Id v : k_.blocks[b].body) {
      const nest::Inst& i = k_.insts[v];
      ++executed_;
      if (i.op == O::Store)
        outputs_[static_cast<int>(i.imm)] = value_[i.args[1]];
      else if (i.op == O::If) {
        const nest::BlockId side = i.blocks[value_[i.args[0]] ? 0 : 1];
        run(side);
        taken_[v] = side;
      } else if (i.op == O::Result)
        value_[v] = value_[k_.blocks[taken_.at(i.args[0])].yields[i.imm]];
      else
        value_[v] = pure(i);
    }
  }

  const nest::Kernel& k_;
  std::vector<uint64_t> inputs_, value_;
  std::map<int, uint64_t> outputs_;
  std::map<nest::Id, nest::BlockId> taken_;
  int executed_ = 0;
};

template <class T>
nest::Storage storage_of() {
  using nest::Storage;
  if constexpr (std::same_as<T, bool>)
    return Storage::Bool;
  else if constexpr (std::same_as<T, float>)
    return Storage::F32;
  else if constexpr (std::same_as<T, double>)
    return Storage::F64;
  else
    return sizeof(T) == 1   ? Storage::I8
           : sizeof(T) == 2 ? Storage::I16
           : sizeof(T) == 4 ? Storage::I32
                            : Storage::I64;
}

// A function of numbers A... as a kernel, which can be called on plain numbers.
template <class... A>
class Emitted {
 public:
  template <class F>
  explicit Emitted(F f) {
    nest::Builder b("test");
    num::Writing writing(b);
    const nest::Id zero = b.index(0);
    const auto load = [&]<class T>(T*) {
      return num::Ir<T>::at(b.load(b.buffer(storage_of<T>(), false), zero));
    };
    const std::tuple<num::Ir<A>...> x{load(static_cast<A*>(nullptr))...};
    const auto y = std::apply(f, x);
    using T = num::scalar_t<std::remove_const_t<decltype(y)>>;
    out_ = b.buffer(storage_of<T>(), true);
    b.store(out_, zero, y.id);
    kernel_ = b.finish(1, 0, {});
    const std::string wrong = nest::verify(kernel_);
    if (!wrong.empty()) throw std::logic_error(wrong);
  }
  uint64_t bits(A... a) const {
    return LaneEval(kernel_, {num::detail::to_bits(a)...}).output(out_);
  }
  template <class T>
  T as(A... a) const {
    return num::detail::from_bits<T>(bits(a...));
  }
  const nest::Kernel& kernel() const { return kernel_; }

 private:
  nest::Kernel kernel_;
  int out_ = 0;
};

}  // namespace weft::test
