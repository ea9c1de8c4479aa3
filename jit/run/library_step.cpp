// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/library_step.cpp: steps that call code which is not generated here, and scatters.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "weft/core/error.h"
#include "weft/core/text/print.h"
#include "weft/jit/run/bound_kernel.h"
#include "weft/jit/run/steps.h"
#include "weft/runtime/buffer.h"
#include "weft/runtime/native/gemm.h"
#include "weft/runtime/threads.h"

namespace weft::compiler {
namespace {

std::vector<int32_t> variables(const Eqn& e) {
  std::vector<int32_t> r;
  for (Atom a : e.in)
    if (!a.is_literal()) r.push_back(a.index);
  return r;
}
std::vector<int32_t> results(const Eqn& e) {
  std::vector<int32_t> r;
  for (int32_t k = 0; k < e.n_out; ++k) r.push_back(e.out + k);
  return r;
}
const void* address(const JaxprData& j, Atom a, void* const* ptrs) {
  return a.is_literal()
             ? static_cast<const void*>(j.literals[static_cast<size_t>(a.literal())].bits)
             : ptrs[a.index];
}

class NativeStep final : public RunStep {
 public:
  NativeStep(Jaxpr j, const Eqn& e, Lowering l)
      : j_(std::move(j)),
        e_(e),
        native_(std::move(l.native)),
        workspace_(std::move(l.workspace)),
        name_(e.op->name()) {}
  void run(void* const* ptrs, const int32_t*) const override {
    std::vector<std::span<const std::byte>> in;
    std::vector<std::span<std::byte>> out;
    for (Atom a : e_.in)
      in.emplace_back(static_cast<const std::byte*>(address(*j_, a, ptrs)),
                      static_cast<size_t>(j_->type(a).bytes()));
    for (int32_t v = e_.out; v < e_.out + e_.n_out; ++v)
      out.emplace_back(static_cast<std::byte*>(ptrs[v]),
                       static_cast<size_t>(j_->types[static_cast<size_t>(v)].bytes()));
    native_({in, out});
  }
  std::string describe() const override { return "native " + name_; }
  int64_t temporaries() const override { return workspace_ ? workspace_() : 0; }

 private:
  Jaxpr j_;
  const Eqn& e_;
  NativeFn native_;
  std::function<int64_t()> workspace_;
  std::string name_;
};

// ---- products

// How an operand is laid out for a GEMM: batch axes lead, then rows and columns as groups of axes.
struct Side {
  bool ok = false;
  bool contracted_last = false;
  int64_t free = 1, contracted = 1;
};
Side side_of(const Type& t, const Ints& batch, const Ints& contract) {
  Side s;
  std::vector<int> role;  // 0 batch, 1 free, 2 contracted, in axis order
  Ints seen_batch, seen_contract;
  for (int a = 0; a < t.ndim(); ++a) {
    const auto b = std::find(batch.begin(), batch.end(), a);
    const auto c = std::find(contract.begin(), contract.end(), a);
    role.push_back(b != batch.end() ? 0 : c != contract.end() ? 2 : 1);
    if (b != batch.end()) seen_batch.push_back(b - batch.begin());
    if (c != contract.end()) seen_contract.push_back(c - contract.begin());
    if (role.back() == 1) s.free *= t.shape()[a];
    if (role.back() == 2) s.contracted *= t.shape()[a];
  }
  const auto groups = std::unique(role.begin(), role.end()) - role.begin();
  role.resize(static_cast<size_t>(groups));
  if (!role.empty() && role[0] == 0) role.erase(role.begin());
  s.ok = role.size() <= 2 && std::count(role.begin(), role.end(), 0) == 0 &&
         std::is_sorted(seen_batch.begin(), seen_batch.end()) &&
         std::is_sorted(seen_contract.begin(), seen_contract.end());
  s.contracted_last = role.empty() || role.back() == 2;
  return s;
}

class GemmStep final : public RunStep {
 public:
  GemmStep(Jaxpr j, const Eqn& e, const Lowering& l)
      : j_(std::move(j)), e_(e), type_(j_->types[static_cast<size_t>(e.out)].dtype()) {
    const Type tl = j_->type(e.in[0]), tr = j_->type(e.in[1]);
    const Side a = side_of(tl, l.lhs_batch, l.lhs_contract),
               b = side_of(tr, l.rhs_batch, l.rhs_contract);
    m_ = a.free;
    n_ = b.free;
    k_ = a.contracted;
    for (int64_t x : l.lhs_batch) batch_ *= tl.shape()[x];
    trans_a_ = !a.contracted_last;
    trans_b_ = b.contracted_last;
    if (tl.elements() != batch_ * m_ * k_ || tr.elements() != batch_ * k_ * n_ ||
        j_->types[static_cast<size_t>(e.out)].elements() != batch_ * m_ * n_ || b.contracted != k_)
      throw InternalError("a product has other sizes than its operands: " +
                          equation_text(*j_, static_cast<size_t>(&e - j_->eqns.data())));
    share_out();
  }
  void run(void* const* ptrs, const int32_t*) const override {
    const Reserved workspace(temporaries());
    if (type_ == F32)
      run_as<float>(ptrs);
    else
      run_as<double>(ptrs);
  }
  std::string describe() const override {
    return fmt::format("gemm {}x[{},{}]x[{},{}]", batch_, m_, k_, k_, n_);
  }
  int64_t temporaries() const override {
    const int64_t at_once = std::min<int64_t>(num_threads(), (items_ + grain_ - 1) / grain_);
    const bool whole = batch_ > 1;
    Gemm part;
    part.m = whole || !rows_ ? m_ : std::min(grain_, m_);
    part.n = whole || rows_ ? n_ : std::min(grain_, n_);
    part.k = k_;
    return at_once * gemm_workspace(part, itemsize(type_));
  }

 private:
  // To threads: whole products, or parts of one along the longer side of the result, which do not
  // depend on the number of threads.
  void share_out() {
    const double work = static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_);
    rows_ = m_ >= n_;
    const int64_t side = rows_ ? m_ : n_;
    items_ = batch_ > 1 ? batch_ : side;
    if (batch_ > 1)
      grain_ = static_cast<int64_t>(std::max(1., 1e6 / std::max(1., work)));
    else
      grain_ = work < 2e6 ? std::max<int64_t>(1, side)
                          : std::max<int64_t>(48, (side / 2 + 15) / 16 * 16);
  }
  template <class T>
  void run_as(void* const* ptrs) const {
    const T* a = static_cast<const T*>(address(*j_, e_.in[0], ptrs));
    const T* b = static_cast<const T*>(address(*j_, e_.in[1], ptrs));
    T* c = static_cast<T*>(ptrs[e_.out]);
    parallel_for(items_, grain_, [&](int64_t lo, int64_t hi) {
      if (batch_ == 1) return rows_ ? gemm(a, b, c, lo, hi, 0, n_) : gemm(a, b, c, 0, m_, lo, hi);
      for (int64_t i = lo; i < hi; ++i)
        gemm(a + i * m_ * k_, b + i * k_ * n_, c + i * m_ * n_, 0, m_, 0, n_);
    });
  }
  // Rows m0..m1 and columns n0..n1 of the product.
  template <class T>
  void gemm(const T* a, const T* b, T* c, int64_t m0, int64_t m1, int64_t n0, int64_t n1) const {
    const Gemm g{trans_a_,           trans_b_,           m1 - m0, n1 - n0, k_,
                 trans_a_ ? m_ : k_, trans_b_ ? k_ : n_, n_};
    compiler::gemm(g, a + (trans_a_ ? m0 : m0 * k_), b + (trans_b_ ? n0 * k_ : n0),
                   c + m0 * n_ + n0);
  }
  Jaxpr j_;
  const Eqn& e_;
  DType type_;
  int64_t batch_ = 1, m_ = 1, n_ = 1, k_ = 1;
  bool trans_a_ = false, trans_b_ = false;
  bool rows_ = true;               // parts are of the rows of the result, not of its columns
  int64_t items_ = 0, grain_ = 1;  // what is shared out, and how much a part has
};

// ---- scatters: the operand is copied, unless the result has its place, then the updates are
// combined into it in their order.
class ScatterStep final : public RunStep {
 public:
  ScatterStep(const Program& p, size_t eqn)
      : j_(p.j), e_(p.j->eqns[eqn]), bound_(written(p, eqn)) {}
  void compile_code() override { bound_.compile(); }
  void run(void* const* ptrs, const int32_t* stop) const override {
    const int64_t bytes = j_->types[static_cast<size_t>(e_.out)].bytes();
    const void* from = address(*j_, e_.in[0], ptrs);
    if (from != ptrs[e_.out])
      parallel_for(bytes, int64_t{1} << 20, [&](int64_t begin, int64_t end) {
        std::memcpy(static_cast<std::byte*>(ptrs[e_.out]) + begin,
                    static_cast<const std::byte*>(from) + begin, static_cast<size_t>(end - begin));
      });
    BoundKernel::Run(bound_, ptrs, stop).all_of_one_point();
  }
  std::string describe() const override { return "kernel (scatter)"; }
  const nest::Kernel* kernel() const override { return &bound_.kernel(); }
  std::shared_ptr<const Code> code() const override { return bound_.code(); }

 private:
  static BoundKernel written(const Program& p, size_t eqn) {
    LaneWriter w(p, "scatter", std::vector<bool>(p.j->types.size(), true));
    w.set_grid({}, false);
    w.emit_scatter(eqn);
    nest::Schedule s;
    s.vector = nest::Schedule::Vector::none;
    nest::Kernel k = w.finish(s);
    return {std::move(k), w.buffers(), {}, *p.j};
  }
  Jaxpr j_;
  const Eqn& e_;
  BoundKernel bound_;
};

}  // namespace

bool gemm_ready(const JaxprData& j, const Eqn& e, const Lowering& l) {
  return side_of(j.type(e.in[0]), l.lhs_batch, l.lhs_contract).ok &&
         side_of(j.type(e.in[1]), l.rhs_batch, l.rhs_contract).ok;
}

Built build_library(const Program& p, const Step& s) {
  const Eqn& e = p.j->eqns[s.eqn];
  Built b;
  b.reads = variables(e);
  b.writes = results(e);
  switch (s.kind) {
    case Step::Kind::dot:
      b.step = std::make_unique<GemmStep>(p.j, e, p.scope.lowering[s.eqn]);
      break;
    case Step::Kind::native:
      b.step = std::make_unique<NativeStep>(p.j, e, p.scope.lowering[s.eqn]);
      break;
    case Step::Kind::scatter:
      b.step = std::make_unique<ScatterStep>(p, s.eqn);
      if (!e.in[0].is_literal()) b.over.emplace_back(e.out, e.in[0].index);
      break;
    default: {
      b.step = build_lockstep(p, s);
      const LoopForm& v = p.scope.lowering[s.eqn].loop;
      for (int t = 0; t < v.carry; ++t)
        if (const Atom a = e.in[static_cast<size_t>(v.first_carry() + t)]; !a.is_literal())
          b.over.emplace_back(e.out + t, a.index);
      break;
    }
  }
  return b;
}

}  // namespace weft::compiler
