// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/dot.cpp: dot_general.
#include "weft/lax/dot.h"

#include <fmt/format.h>

#include "ops/kit/axes.h"
#include "ops/kit/fold.h"
#include "ops/kit/lists.h"
#include "ops/linear/device/calls.h"
#include "ops/linear/ordered_product.h"
#include "ops/linear/product.h"
#include "ops/linear/product_parts.h"
#include "ops/structure/structure.h"
#include "runtime/native/gemm.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/fma.h"

namespace weft {
namespace {

using lax::DotDims;
using native::Product;

struct Dot {
  Ints lhs_contract, rhs_contract, lhs_batch, rhs_batch;
  DType preferred_element_type = F32;
  lax::Precision precision = lax::Precision::DEFAULT;
  WEFT_FIELDS(lhs_contract, rhs_contract, lhs_batch, rhs_batch, preferred_element_type, precision)
};

Ints free_axes(int64_t rank, const Ints& contract, const Ints& batch) {
  return other_axes(rank, concat_lists(contract, batch));
}

Types dot_type(const Types& in, const Dot& p) {
  const char* op = "dot_general";
  require_product(op, in, p.preferred_element_type);
  const auto check = [&](const Ints& l, const Ints& r, const char* what) {
    if (l.size() != r.size())
      reject_shape(op, fmt::format("{} dimensions must come in pairs", what), in);
    for (size_t i = 0; i < l.size(); ++i) {
      if (l[i] < 0 || l[i] >= in[0].ndim() || r[i] < 0 || r[i] >= in[1].ndim())
        reject_shape(op, fmt::format("{} dimensions must be axes of the operands", what), in);
      const int64_t a = in[0].shape()[l[i]], b = in[1].shape()[r[i]];
      if (a != b)
        reject_shape(
            op, fmt::format("{} dimensions must have equal sizes, got {} and {}", what, a, b), in);
    }
  };
  check(p.lhs_contract, p.rhs_contract, "contracting");
  check(p.lhs_batch, p.rhs_batch, "batch");
  for (Ints used :
       {concat_lists(p.lhs_contract, p.lhs_batch), concat_lists(p.rhs_contract, p.rhs_batch)}) {
    std::sort(used.begin(), used.end());
    if (std::adjacent_find(used.begin(), used.end()) != used.end())
      reject_shape(op, "contracting and batch dimensions must be distinct", in);
  }
  std::vector<int64_t> shape;
  for (int64_t a : p.lhs_batch) shape.push_back(in[0].shape()[a]);
  for (int64_t a : free_axes(in[0].ndim(), p.lhs_contract, p.lhs_batch))
    shape.push_back(in[0].shape()[a]);
  for (int64_t a : free_axes(in[1].ndim(), p.rhs_contract, p.rhs_batch))
    shape.push_back(in[1].shape()[a]);
  return {Type(p.preferred_element_type, Shape(shape), in[0].weak() && in[1].weak())};
}

template <class Out>
void dot_dense(const Array& x, const Array& y, const Dot& p, Out* out) {
  using F = factor_t<Out>;
  const F* a = data_of<F>(x);
  const F* b = data_of<F>(y);
  using P = typename Element<Out>::plain;
  const auto batch_a = offsets_along(x.shape(), p.lhs_batch),
             batch_b = offsets_along(y.shape(), p.rhs_batch);
  const auto free_a = offsets_along(x.shape(), free_axes(x.ndim(), p.lhs_contract, p.lhs_batch));
  const auto free_b = offsets_along(y.shape(), free_axes(y.ndim(), p.rhs_contract, p.rhs_batch));
  const auto term_a = offsets_along(x.shape(), p.lhs_contract),
             term_b = offsets_along(y.shape(), p.rhs_contract);
  const auto extents = extents_of(x.shape(), p.lhs_contract);
  for (size_t k = 0; k < batch_a.size(); ++k)
    for (int64_t i : free_a)
      for (int64_t j : free_b) {
        const F* row = a + batch_a[k] + i;
        const F* column = b + batch_b[k] + j;
        *out++ = Element<Out>::store(fold_order::fold(
            extents, arith::constant<P>(0),
            [&](int64_t t) {
              const size_t at = t;
              return product_term(Element<F>::load(row[term_a[at]]),
                                  Element<F>::load(column[term_b[at]]));
            },
            SumOfProducts()));
      }
}

Arrays dot_reference(const Arrays& x, const Dot& p) {
  const Fresh r = fresh_array(dot_type({x[0].type(), x[1].type()}, p)[0]);
  const Arrays f = factors_of(x, p.preferred_element_type);
  with_class<DTypes::numbers>(p.preferred_element_type, [&](auto* o) {
    using Out = std::remove_pointer_t<decltype(o)>;
    dot_dense<Out>(f[0], f[1], p, static_cast<Out*>(r.data));
  });
  return {r.array};
}

// The cotangent of x for the product of x and y (first), or of y and x.
Array dot_cotangent(const Array& ct, const Type& x, const Array& y, const Ints& x_contract,
                    const Ints& y_contract, const Ints& x_batch, const Ints& y_batch, bool first,
                    lax::Precision precision) {
  const Ints x_kept = free_axes(x.ndim(), x_contract, x_batch),
             y_kept = free_axes(y.ndim(), y_contract, y_batch);
  const int64_t before_y = std::ssize(x_batch) + (first ? std::ssize(x_kept) : 0);
  const Ints batch = axis_range(std::ssize(x_batch)),
             of_y = axis_range(before_y, before_y + std::ssize(y_kept));
  // The axes of the product correspond to those of x. They are batch, kept and contracted axes, the
  // latter in the order of y. With the factors swapped, the contracted axes precede the kept ones.
  // One of the two orders is often that of x itself.
  Ints order = axis_range(std::ssize(x_contract));
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return y_contract[a] < y_contract[b]; });
  Ints contracted;
  for (int64_t k : order) contracted.push_back(x_contract[k]);
  const auto permutation = [&](const Ints& first_part, const Ints& second_part) {
    const Ints stands_for = concat_lists(concat_lists(x_batch, first_part), second_part);
    Ints p(stands_for.size());
    for (size_t i = 0; i < stands_for.size(); ++i) p[stands_for[i]] = static_cast<int64_t>(i);
    return p;
  };
  const Array other = base::convert(y, ct.dtype());
  const Ints swapped = permutation(contracted, x_kept);
  if (std::is_sorted(swapped.begin(), swapped.end()))
    return base::convert(
        lax::dot_general(other, ct, DotDims{y_kept, of_y, y_batch, batch}, {}, precision),
        x.dtype());
  const Array product =
      lax::dot_general(ct, other, DotDims{of_y, y_kept, batch, y_batch}, {}, precision);
  const Ints straight = permutation(x_kept, contracted);
  return base::convert(std::is_sorted(straight.begin(), straight.end())
                           ? product
                           : transpose_axes(product, straight),
                       x.dtype());
}

Arrays dot_transpose(const TransposeArgs<Dot>& t) {
  const Dot& p = t.params;
  Arrays r(2);
  if (t.linear[0])
    r[0] = dot_cotangent(t.ct[0], t.in[0], t.x[1], p.lhs_contract, p.rhs_contract, p.lhs_batch,
                         p.rhs_batch, true, p.precision);
  if (t.linear[1])
    r[1] = dot_cotangent(t.ct[0], t.in[1], t.x[0], p.rhs_contract, p.lhs_contract, p.rhs_batch,
                         p.lhs_batch, false, p.precision);
  return r;
}

// An operand that is not mapped remains so: the lanes of the other operand become one more free
// axis.
Batched dot_batch(const BatchArgs<Dot>& b) {
  Dot p = b.params;
  const auto shift = [](Ints& axes, int at) { axes = shifted_axes(axes, at); };
  if (b.mapped(0)) shift(p.lhs_contract, *b.axis[0]), shift(p.lhs_batch, *b.axis[0]);
  if (b.mapped(1)) shift(p.rhs_contract, *b.axis[1]), shift(p.rhs_batch, *b.axis[1]);
  int out = 0;
  const auto free_before = [](const Ints& contract, const Ints& batch, int64_t rank, int at) {
    const Ints free = free_axes(rank, contract, batch);
    return static_cast<int>(
        std::count_if(free.begin(), free.end(), [at](int64_t a) { return a < at; }));
  };
  if (b.mapped(0) && b.mapped(1)) {
    p.lhs_batch.insert(p.lhs_batch.begin(), *b.axis[0]);
    p.rhs_batch.insert(p.rhs_batch.begin(), *b.axis[1]);
  } else if (b.mapped(0)) {
    out = static_cast<int>(p.lhs_batch.size()) +
          free_before(p.lhs_contract, p.lhs_batch, b.x[0].ndim(), *b.axis[0]);
  } else {
    out = static_cast<int>(b.x[0].ndim() - static_cast<int64_t>(p.lhs_contract.size())) +
          free_before(p.rhs_contract, p.rhs_batch, b.x[1].ndim(), *b.axis[1]);
  }
  return {b.op.bind(b.x, p), {out}};
}

std::vector<Sample<Dot>> dot_samples() {
  std::vector<Sample<Dot>> s;
  for (int i = 1; i <= static_cast<int>(C128); ++i)
    if (const auto d = static_cast<DType>(i); is_number(d))
      s.push_back({{Type(d, {3, 5}), Type(d, {5, 2})}, {{1}, {0}, {}, {}, d}});
  const DType d = F64;
  s.push_back({{Type(d, {4}), Type(d, {4})}, {{0}, {0}, {}, {}, d}});
  s.push_back({{Type(d, {2, 3, 4}), Type(d, {4, 2, 5})}, {{2}, {0}, {0}, {1}, d}});
  s.push_back({{Type(d, {2, 3, 4}), Type(d, {4, 5, 3})}, {{1, 2}, {2, 0}, {}, {}, d}});
  s.push_back({{Type(d, {3}), Type(d, {2})}, {{}, {}, {}, {}, d}});
  s.push_back({{Type(d, {2, 3, 2}), Type(d, {2, 2, 3})}, {{}, {}, {2, 0}, {0, 1}, d}});
  s.push_back({{Type(d, {2, 0}), Type(d, {0, 3})}, {{1}, {0}, {}, {}, d}});
  s.push_back({{Type(F32, {2, 1100}), Type(F32, {1100, 2})}, {{1}, {0}, {}, {}, F32}});
  s.push_back({{Type(BF16, {2, 3}), Type(BF16, {3, 2})}, {{1}, {0}, {}, {}, F32}});
  s.push_back({{Type(I8, {2, 3}), Type(I8, {3, 2})}, {{1}, {0}, {}, {}, I32}, -100, 100});
  s.push_back(
      {{Type(F32, {2, 3}), Type(F32, {3, 2})}, {{1}, {0}, {}, {}, F32, lax::Precision::HIGHEST}});
  // Samples for tiles, tensor cores and parts, in tests that select them.
  s.push_back({{Type(BF16, {5, 40}), Type(BF16, {40, 9})}, {{1}, {0}, {}, {}, F32}});
  s.push_back({{Type(F32, {2, 4100}), Type(F32, {4100, 1})}, {{1}, {0}, {}, {}, F32}});
  // Operands whose axes are not in the order of matrices: the left one, the right one, both.
  s.push_back({{Type(d, {4, 3, 2}), Type(d, {2, 4, 5})}, {{0, 2}, {1, 0}, {}, {}, d}});
  s.push_back({{Type(d, {3, 2, 4}), Type(d, {2, 5, 4})}, {{1, 2}, {0, 2}, {}, {}, d}});
  s.push_back({{Type(d, {4, 3, 2, 6}), Type(d, {4, 5, 6, 2})}, {{0, 2}, {0, 3}, {3}, {2}, d}});
  return s;
}

std::vector<Reject<Dot>> dot_rejects() {
  return {
      {{Type(F32, {2, 3}), Type(F32, {2, 3})}, {{1}, {0}, {}, {}, F32}, "equal sizes, got 3 and 2"},
      {{Type(F32, {3}), Type(F64, {3})}, {{0}, {0}, {}, {}, F32}, "same dtypes"},
      {{Type(F32, {3}), Type(F32, {3})}, {{0}, {}, {}, {}, F32}, "come in pairs"},
      {{Type(F32, {3}), Type(F32, {3})}, {{1}, {0}, {}, {}, F32}, "axes of the operands"},
      {{Type(F32, {3}), Type(F32, {3})}, {{0}, {0}, {0}, {0}, F32}, "must be distinct"},
      {{Type(F32, {3}), Type(F32, {3})}, {{0}, {0}, {}, {}, I32}, "does not hold"},
      {{Type(Bool, {3}), Type(Bool, {3})}, {{0}, {0}, {}, {}, I32}, "takes numbers"}};
}

// Sets the term at an index of (batch, lhs free, rhs free, contracted), and how terms are summed.
template <class Out>
void describe_terms(const LowerArgs<Dot>& l, Lowering* r) {
  const Dot& p = l.params;
  const size_t batch = p.lhs_batch.size(), contract = p.lhs_contract.size();
  const Ints lf = free_axes(l.in[0].ndim(), p.lhs_contract, p.lhs_batch),
             rf = free_axes(l.in[1].ndim(), p.rhs_contract, p.rhs_batch);
  const size_t first_contracted = batch + lf.size() + rf.size();
  const auto side = [=](const Ints& of_batch, const Ints& free, size_t first_free,
                        const Ints& contracted, const Coords& at) {
    Coords c(of_batch.size() + free.size() + contracted.size());
    for (size_t i = 0; i < batch; ++i) c[of_batch[i]] = at[i];
    for (size_t i = 0; i < free.size(); ++i) c[free[i]] = at[first_free + i];
    for (size_t i = 0; i < contract; ++i) c[contracted[i]] = at[first_contracted + i];
    return c;
  };
  r->element = [=, in = l.in[0].dtype()](Reader& x, int, const Coords& at) {
    const auto operand = [&](int k, const Coords& c) {
      return Element<factor_t<Out>>::in(factor_elem(x.read(k, c), in, p.preferred_element_type));
    };
    const auto a = operand(0, side(p.lhs_batch, lf, batch, p.lhs_contract, at));
    const auto b = operand(1, side(p.rhs_batch, rf, batch + lf.size(), p.rhs_contract, at));
    return term_elem(product_term(a, b));
  };
  describe_fused_sum<Out>(r);
}

Lowering dot_lower(const LowerArgs<Dot>& l) {
  const Dot& p = l.params;
  Lowering r;
  r.form = Lowering::Form::contract;
  std::vector<int64_t> space = l.out[0].shape().sizes();
  for (int64_t a : p.lhs_contract) {
    r.axes.push_back(static_cast<int64_t>(space.size()));
    space.push_back(l.in[0].shape()[a]);
  }
  r.space = Shape(space);
  with_class<DTypes::numbers>(p.preferred_element_type, [&](auto* o) {
    describe_terms<std::remove_pointer_t<decltype(o)>>(l, &r);
  });
  return r;
}

// ---- matrix products in which threads share tiles of both operands

// Each element is the sum of its terms in order, so a thread keeps one accumulator for it.
bool tiles_apply(const Use<Dot>& u) {
  const DType d = u.out[0].dtype();
  return !u.params.lhs_contract.empty() && is_inexact(d) && !is_complex(d);
}
Lowering tiles_lower(const Use<Dot>& u) {
  Lowering l = dot_lower({u.in, u.out, u.params});
  l.in_order = true;
  return l;
}

// The same in any order, for tensor cores. Products of narrow floats are exact in F32.
bool tensor_applies(const Use<Dot>& u) {
  const auto is_narrow = [](DType d) { return d == BF16 || d == F16; };
  const DType out = u.out[0].dtype();
  return tiles_apply(u) && is_narrow(u.in[0].dtype()) && (is_narrow(out) || out == F32);
}
Lowering tensor_lower(const Use<Dot>& u) {
  Lowering l = tiles_lower(u);
  l.any_order = true;
  return l;
}

lax::DotDims dims_of(const Dot& p) {
  return {p.lhs_contract, p.rhs_contract, p.lhs_batch, p.rhs_batch};
}

// Transposes an operand that native code cannot read, as of a gradient that is summed over two axes
// which are apart. Replaces other long sums of few elements by sums of parts, which are a batch of
// matrix products.
Arrays dot_expand(const ExpandArgs<Dot>& e) {
  const Dot& p = e.params;
  const DType out = p.preferred_element_type;
  if (const auto o = ordered_product(e.x[0].shape(), e.x[1].shape(), dims_of(p))) {
    const auto ordered = [](const Array& x, const Ints& order) {
      return order.empty() ? x : transpose_axes(x, order);
    };
    return {lax::dot_general(ordered(e.x[0], o->lhs_order), ordered(e.x[1], o->rhs_order), o->dims,
                             out, p.precision)};
  }
  return {product_in_parts(e.x[0], e.x[1], dims_of(p), out)};
}

// ---- matrix products by a library

std::optional<Product> product_of(const Use<Dot>& u) {
  const Dot& p = u.params;
  const DType d = u.in[0].dtype();
  if ((d != F32 && d != F64) || u.out[0].dtype() != d || u.target.gpu) return {};
  const auto product = native::matrix_product(u.in[0].shape(), p.lhs_batch, p.lhs_contract,
                                              u.in[1].shape(), p.rhs_batch, p.rhs_contract);
  if (!product || std::min({product->batch, product->m, product->n, product->k}) == 0) return {};
  return product;
}

// Nanoseconds per multiplication in generated code and in native code, which blocks for registers
// and caches. The values are chosen so that products with at least 4096 multiplications use native
// code. With a side below 4 it cannot reuse registers, but it reads a row of the operand for all
// rows of the result.
constexpr double generated_ns = 1. / 8, native_ns = 1. / 64, few_rows_ns = 1. / 20,
                 native_call_ns = 4096 * (generated_ns - native_ns);
constexpr int64_t shortest_side = 4;
// The costs in a loop that each lane can run itself. All are measured (docs/decisions/0002). Lanes
// keep both sides of the matrix that multiplies all of them in registers, or only its shorter side,
// or none. Vectors of a single lane run along the row. Native code takes twice as long for doubles,
// computes at least 8 columns, and its result goes through memory; its call includes the launch.
constexpr double in_registers_ns = 1. / 112, short_side_ns = 1. / 30, middle_side_ns = 1. / 15,
                 in_memory_ns = 1. / 4, in_one_lane_ns = 1. / 16, native_in_loop_ns = 1. / 48,
                 native_element_ns = 1. / 8, native_call_in_loop_ns = 250;
constexpr int64_t half_in_registers = 8, longest_in_registers = 16, least_columns = 8;

struct Sides {
  int64_t rows = 1, columns = 1, terms = 1;
  double multiplications() const {
    return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(terms);
  }
  // The longer side of the matrix that multiplies all rows, or all columns.
  int64_t longer_of_shared() const { return std::max(std::min(rows, columns), terms); }
  // The shorter side of the same matrix. If both rows and columns may be lanes, it is unknown which
  // of them are, and the worse case counts.
  int64_t shorter_of_shared() const {
    const bool either = std::min(rows, columns) >= fewest_lanes;
    return std::min(terms, either ? std::max(rows, columns) : std::min(rows, columns));
  }
  static constexpr int64_t fewest_lanes = 8;
  // Returns true if lanes along the rows or columns of each product of a batch fill vectors. They
  // share its other matrix, as without a batch.
  bool has_lanes() const {
    constexpr int64_t vector = 16;
    return std::max(rows, columns) >= vector;
  }
};
Sides sides(const Use<Dot>& u) {
  const Dot& p = u.params;
  Sides s;
  for (int64_t a : free_axes(u.in[0].ndim(), p.lhs_contract, p.lhs_batch))
    s.rows *= u.in[0].shape()[a];
  for (int64_t a : free_axes(u.in[1].ndim(), p.rhs_contract, p.rhs_batch))
    s.columns *= u.in[1].shape()[a];
  for (int64_t a : p.lhs_contract) s.terms *= u.in[0].shape()[a];
  return s;
}

// The multiplications outside of loops. Vectors of the target run along rows of the result, so that
// shorter rows take as long.
double outside_of_loops(const Use<Dot>& u) {
  const Sides s = sides(u);
  const bool rows = !u.in_loop && !u.target.gpu && u.params.lhs_batch.empty() &&
                    std::min({s.rows, s.columns, s.terms}) >= shortest_side;
  const int64_t vector = 64 / itemsize(u.out[0].dtype());
  return s.multiplications() *
         (rows ? std::max(1., static_cast<double>(vector) / static_cast<double>(s.columns)) : 1);
}
// The time of the result in memory. Lanes of a loop keep theirs.
double stored_ns(const Use<Dot>& u) {
  const double item = u.out[0].dtype() == F64 ? 2 : 1;
  const Sides s = sides(u);
  if (u.in_loop || u.target.gpu) return 0;
  return static_cast<double>(s.rows * s.columns) * item * native_element_ns;
}
double generated_cost(const Use<Dot>& u) {
  const Sides s = sides(u);
  const bool batch = !u.params.lhs_batch.empty() && !s.has_lanes();
  const int64_t shorter = s.shorter_of_shared();
  const double ns = !u.in_loop                                     ? generated_ns
                    : s.longer_of_shared() <= longest_in_registers ? in_registers_ns
                    : u.target.gpu                                 ? generated_ns
                    : !batch && std::min(s.rows, s.columns) == 1   ? in_one_lane_ns
                    : !batch && shorter <= half_in_registers       ? short_side_ns
                    : !batch && shorter <= longest_in_registers    ? middle_side_ns
                                                                   : in_memory_ns;
  return (u.in_loop ? s.multiplications() : outside_of_loops(u)) * ns + stored_ns(u);
}
// The cost of a GPU multiplication with shared tiles, with and without tensor cores, and of
// products that do not fill the tiles. The numbers are not measured.
constexpr double tiles_ns = 1. / 64, tensor_ns = 1. / 512,
                 tiles_unfilled_ns = 4096 * (generated_ns - tiles_ns);
constexpr int64_t shortest_tiled = 16;

double tiled_cost(const Use<Dot>& u, double ns) {
  if (!u.target.gpu) return 1 + generated_cost(u);  // threads of the host do not share memory
  const Sides s = sides(u);
  const bool thin = std::min({s.rows, s.columns, s.terms}) < shortest_tiled;
  return tiles_unfilled_ns + s.multiplications() * (thin ? generated_ns : ns);
}
double tiles_cost(const Use<Dot>& u) { return tiled_cost(u, tiles_ns); }
double tensor_cost(const Use<Dot>& u) { return tiled_cost(u, tensor_ns); }

double library_cost(const Use<Dot>& u) {
  const Product p = *product_of(u);
  // Generated code is as fast for one row, and loops of one lane have its bits.
  const bool thin = std::min({p.m, p.n, p.k}) < shortest_side,
             few_rows =
                 p.batch == 1 && std::min(p.n, p.k) >= shortest_side && (p.m > 1 || u.in_loop);
  const double thin_ns = few_rows ? few_rows_ns : generated_ns, work = sides(u).multiplications();
  if (!u.in_loop || (p.batch > 1 && !sides(u).has_lanes()))
    return native_call_ns + (thin ? work * thin_ns : outside_of_loops(u) * native_ns) +
           stored_ns(u);
  const double item = u.out[0].dtype() == F64 ? 2 : 1;
  const double computed =
      work / static_cast<double>(p.n) * static_cast<double>(std::max(p.n, least_columns));
  return native_call_in_loop_ns +
         item * (computed * (few_rows && thin ? few_rows_ns : native_in_loop_ns) +
                 static_cast<double>(p.m * p.n) * native_element_ns);
}

// The cost on a GPU of additional launches, and the share of the time that a product of few tiles
// needs if more blocks run. The numbers are not measured.
constexpr double parts_ns = 10'000, parts_share = 1. / 8;

// On the host: the product of operands in the order of batched matrices (dot_expand). A loop that
// leaves the lane chooses again, so that transpositions do not keep lanes from running loops.
// Matrices with short sides are better off in kernels of lanes.
struct OrderedUse {
  Types in;
  Dot params;
  double copied_ns;
};
std::optional<OrderedUse> ordered_use(const Use<Dot>& u) {
  constexpr double moved_element_ns = 1. / 4, kernel_ns = 500;
  constexpr int64_t longest_in_lane = 64;
  if (u.target.gpu || u.in_loop || sides(u).longer_of_shared() <= longest_in_lane) return {};
  const auto o = ordered_product(u.in[0].shape(), u.in[1].shape(), dims_of(u.params));
  if (!o) return {};
  OrderedUse r{u.in, u.params, 0};
  const auto put_in_order = [&](size_t k, const Ints& order) {
    if (order.empty()) return;
    r.in[k] = Type(u.in[k].dtype(), in_order(u.in[k].shape(), order), u.in[k].weak());
    r.copied_ns += kernel_ns + moved_element_ns * static_cast<double>(u.in[k].bytes()) / 4;
  };
  put_in_order(0, o->lhs_order);
  put_in_order(1, o->rhs_order);
  r.params.lhs_contract = o->dims.lhs_contract;
  r.params.rhs_contract = o->dims.rhs_contract;
  r.params.lhs_batch = o->dims.lhs_batch;
  r.params.rhs_batch = o->dims.rhs_batch;
  const Use<Dot> ordered{r.in, u.out, r.params, u.target, u.in_loop};
  return product_of(ordered) ? std::optional(r) : std::nullopt;
}

bool expansion_applies(const Use<Dot>& u) {
  const Sides s = sides(u);
  return ordered_use(u) || has_parts(dims_of(u.params), u.in[0].shape(), s.rows * s.columns);
}
double expansion_cost(const Use<Dot>& u) {
  if (const auto o = ordered_use(u))
    return o->copied_ns + library_cost({o->in, u.out, o->params, u.target, u.in_loop});
  if (!u.target.gpu) return 2 + generated_cost(u);  // the host already computes long sums in blocks
  const double whole =
      std::min(generated_cost(u), tensor_applies(u) ? tensor_cost(u) : tiles_cost(u));
  return parts_ns + parts_share * whole;
}

// NativeCall::axis_map
std::vector<std::vector<int>> axis_map_of(const Use<Dot>& u) {
  const Dot& p = u.params;
  std::vector<std::vector<int>> all;
  for (const Ints& axes : axes_in_product({u.in[0].ndim(), u.in[1].ndim()}, dims_of(p))) {
    std::vector<int>& map = all.emplace_back();
    for (int64_t a : axes) map.push_back(static_cast<int>(std::max<int64_t>(a, -1)));
  }
  return all;
}

NativeCall library_call(const Use<Dot>& u) {
  const Product p = *product_of(u);
  NativeCall call;
  call.run = [p, d = u.out[0].dtype()](const NativeArgs& a) { native::multiply(p, d, a); };
  call.workspace = [p, d = u.out[0].dtype()] { return native::multiply_workspace(p, d); };
  call.axis_map = axis_map_of(u);
  return call;
}

// ---- matrix products by a GPU library

std::optional<cuda::MatrixProduct> device_product(const Use<Dot>& u) {
  const DType d = u.in[0].dtype(), out = u.out[0].dtype();
  const bool narrow = d == BF16 || d == F16;
  if ((!narrow && d != F32 && d != F64) || u.in[1].dtype() != d) return {};
  if (out != d && !(narrow && out == F32)) return {};
  const Dot& p = u.params;
  const auto m = native::matrix_product(u.in[0].shape(), p.lhs_batch, p.lhs_contract,
                                        u.in[1].shape(), p.rhs_batch, p.rhs_contract);
  constexpr int64_t most = std::numeric_limits<int>::max() / 2;
  if (!m || std::max(m->interleaved_lhs, m->interleaved_rhs) > 1 || p.lhs_contract.empty() ||
      std::min({m->batch, m->m, m->n, m->k}) == 0 || std::max({m->batch, m->m, m->n, m->k}) > most)
    return {};
  return cuda::MatrixProduct{m->batch,          m->m, m->n, m->k, m->transposed_lhs,
                             m->transposed_rhs, d,    out};
}

// The cost per multiplication of the GPU library. It includes the number of multiplications from
// which on the call pays although nothing is fused with it and the program is not a graph. The
// estimates come from the throughput of current GPUs (docs/decisions/0037) and are not measured.
double device_cost(const Use<Dot>& u) {
  const DType d = u.in[0].dtype();
  const bool narrow = d == BF16 || d == F16;
  const double each_ns = narrow ? tiles_ns / 10 : tiles_ns / 2;
  const double own_ns = narrow ? tensor_ns : tiles_ns;
  const double pays_from = narrow ? 768. * 768 * 768 : 1024. * 1024 * 1024;
  return tiles_unfilled_ns + pays_from * (own_ns - each_ns) + sides(u).multiplications() * each_ns;
}

NativeCall device_call(const Use<Dot>& u) {
  NativeCall c = device_calls::product(*device_product(u));
  c.axis_map = axis_map_of(u);
  return c;
}

std::vector<Implementation<Dot>> dot_implementations() {
  const Implementation<Dot> nest{.name = std::string(generated), .cost = generated_cost};
  const Implementation<Dot> library{
      .name = "library",
      .applies = [](const Use<Dot>& u) { return product_of(u).has_value(); },
      .cost = library_cost,
      .make = library_call};
  const Implementation<Dot> tiles{
      .name = "tiled", .applies = tiles_apply, .cost = tiles_cost, .lower = tiles_lower};
  const Implementation<Dot> device{
      .name = "cublas",
      .applies = [](const Use<Dot>& u) { return device_product(u).has_value(); },
      .cost = device_cost,
      .make = device_call,
      .library = "cuBLASLt"};
  const Implementation<Dot> tensor{
      .name = "tensor", .applies = tensor_applies, .cost = tensor_cost, .lower = tensor_lower};
  const Implementation<Dot> parts{
      .name = std::string(expanded), .applies = expansion_applies, .cost = expansion_cost};
  return {nest, library, tiles, tensor, parts, device};
}

// A product with one term is elementwise: it has no contracted axes, or these have size 1. For
// floats 0 is added, as in any sum, because -0 must become 0. The fma adds it before rounding, so a
// product that underflows keeps its sign.
Arrays outer_product(const SimplifyArgs<Dot>& s) {
  const Dot& p = s.params;
  const DType d = p.preferred_element_type;
  if (s.x[0].dtype() != d || is_complex(d)) return {};
  for (int64_t a : p.lhs_contract)
    if (s.x[0].shape()[a] != 1) return {};
  const Type out = dot_type({s.x[0].type(), s.x[1].type()}, p)[0];
  const auto placed = [&](const Array& x, const Ints& contract, const Ints& batch,
                          int64_t first_free) {
    const Ints kept = concat_lists(batch, free_axes(x.ndim(), contract, batch)),
               order = concat_lists(kept, contract);
    Ints sizes, at = axis_range(std::ssize(kept));
    for (int64_t a : kept) sizes.push_back(x.shape()[a]);
    for (size_t i = batch.size(); i < at.size(); ++i) at[i] += first_free - std::ssize(batch);
    const Array y = std::is_sorted(order.begin(), order.end()) ? x : transpose_axes(x, order);
    return broadcast_in_dim(reshape_to(y, Shape(sizes)), out.shape(), at);
  };
  const int64_t rows = s.x[0].ndim() - std::ssize(p.lhs_contract);
  const Array x = placed(s.x[0], p.lhs_contract, p.lhs_batch, std::ssize(p.lhs_batch)),
              y = placed(s.x[1], p.rhs_contract, p.rhs_batch, rows);
  return {is_inexact(d) ? lax::fma(x, y, base::zeros(out)) : lax::mul(x, y)};
}

const Primitive<Dot>& dot_op = define<Dot>({
    .name = "dot_general",
    .doc = "Multiplies two arrays and sums the products over pairs of contracting axes, for each "
           "index of the pairs of batch axes.",
    .type = dot_type,
    .reference = dot_reference,
    .jvp = product_jvp<Dot>,
    .transpose = dot_transpose,
    .batch = dot_batch,
    .lower = dot_lower,
    .expand = dot_expand,
    .implementations = dot_implementations,
    .simplify = outer_product,
    .tolerance = 32,  // thousands of terms, summed in order or in blocks
    .samples = dot_samples,
    .rejects = dot_rejects,
});

}  // namespace

namespace lax {
Array dot_general(const Arg& x, const Arg& y, const DotDims& d, std::optional<DType> preferred,
                  Precision precision) {
  const SourceScope s(x.at());
  const auto axes = [](const Ints& list, const Array& a) {
    Ints r;
    for (int64_t i : list) r.push_back(canonical_axis(i, a.ndim(), "dot_general"));
    return r;
  };
  return dot_op({x, y}, {axes(d.lhs_contract, x), axes(d.rhs_contract, y), axes(d.lhs_batch, x),
                         axes(d.rhs_batch, y), preferred.value_or(x->dtype()), precision});
}
}  // namespace lax

}  // namespace weft
