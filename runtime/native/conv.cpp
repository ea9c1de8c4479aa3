// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/conv.cpp: convolutions by oneDNN, one call per thread at a time. Operands and
// results are reordered to the memory layout that oneDNN prefers.
#include "runtime/native/conv.h"

#include <algorithm>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>

#include "core/fork_mutex.h"
#include "core/ir.h"
#include "runtime/native/conv_patches.h"
#include "runtime/native/library_threads.h"
#include "weft/buffer.h"
#include "weft/device/threads.h"
#include "weft/error.h"

namespace weft::native {
namespace {

using dnnl::memory;
using Forward = dnnl::convolution_forward;

const dnnl::engine& cpu() {
  static const auto* const e = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *e;
}
memory::desc any_order(const memory::dims& d) {
  return {d, memory::data_type::f32, memory::format_tag::any};
}

// The dims and strides of an array of one call.
struct Laid {
  memory::dims dims, steps;
  memory::desc desc() const { return {dims, memory::data_type::f32, steps}; }
};
// An array with these leading axes, and spatial axes behind them.
Laid laid(memory::dims dims, memory::dims steps, const Convolution& c,
          int64_t Convolution::Axis::* size, int64_t Convolution::Axis::* step) {
  for (const Convolution::Axis& a : c.axes) {
    dims.push_back(a.*size);
    steps.push_back(a.*step);
  }
  return {std::move(dims), std::move(steps)};
}
// The same for an array that the library calls weights: an axis of groups comes first, if any.
Laid laid_weights(memory::dims dims, memory::dims steps, const Convolution& c,
                  int64_t Convolution::Axis::* size, int64_t Convolution::Axis::* step) {
  if (c.groups > 1) {
    steps.insert(steps.begin(), dims[0] * steps[0]);
    dims.insert(dims.begin(), c.groups);
  }
  return laid(std::move(dims), std::move(steps), c, size, step);
}
struct Operands {
  Laid lhs, rhs, out;
};
Operands operands_of(const Convolution& c) {
  using A = Convolution::Axis;
  if (c.form == Convolution::Form::backward_weights)
    return {
        laid({c.taken, c.groups * c.images}, {c.lhs_feature, c.lhs_image}, c, &A::in, &A::lhs_step),
        laid({c.taken, c.groups * c.given}, {c.rhs_taken, c.rhs_given}, c, &A::kernel,
             &A::rhs_step),
        laid_weights({c.given, c.images}, {c.out_feature, c.out_image}, c, &A::out, &A::out_step)};
  return {laid({1, c.groups * c.taken}, {1, c.lhs_feature}, c, &A::in, &A::lhs_step),
          laid_weights({c.given, c.taken}, {c.rhs_given, c.rhs_taken}, c, &A::kernel, &A::rhs_step),
          laid({1, c.groups * c.given}, {1, c.out_feature}, c, &A::out, &A::out_step)};
}
memory::dims each(const Convolution& c, int64_t Convolution::Axis::* what, int64_t less = 0) {
  memory::dims d;
  for (const Convolution::Axis& a : c.axes) d.push_back(a.*what - less);
  return d;
}

// A primitive of the library, the memory layouts that it prefers, and its arguments.
struct Prepared {
  dnnl::primitive primitive;
  memory::desc lhs, rhs, out, scratch;
  int lhs_argument = DNNL_ARG_SRC, rhs_argument = DNNL_ARG_WEIGHTS, out_argument = DNNL_ARG_DST;
};
dnnl::primitive_attr our_scratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

Prepared forward(const Convolution& c, const Operands& x) {
  using Axis = Convolution::Axis;
  const Forward::desc d(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                        any_order(x.lhs.dims), any_order(x.rhs.dims), any_order(x.out.dims),
                        each(c, &Axis::stride), each(c, &Axis::dilation, 1), each(c, &Axis::low),
                        each(c, &Axis::high));
  const Forward::primitive_desc p(d, our_scratchpad(), cpu());
  return {Forward(p), p.src_desc(), p.weights_desc(), p.dst_desc(), p.scratchpad_desc()};
}

// The padding is that of the strided convolution whose transposition this is. It may leave up to
// lhs_dilation - 1 rows at the end of the result without a term.
Prepared transposed(const Convolution& c, const Operands& x) {
  using Axis = Convolution::Axis;
  using Transposed = dnnl::deconvolution_forward;
  memory::dims low, high;
  for (const Axis& a : c.axes) {
    const int64_t window = (a.kernel - 1) * a.dilation + 1;
    low.push_back(window - 1 - a.low);
    high.push_back(std::max<int64_t>(window - 1 - a.high, 0));
  }
  const Transposed::desc d(dnnl::prop_kind::forward_inference,
                           dnnl::algorithm::deconvolution_direct, any_order(x.lhs.dims),
                           any_order(x.rhs.dims), any_order(x.out.dims),
                           each(c, &Axis::lhs_dilation), each(c, &Axis::dilation, 1), low, high);
  const Transposed::primitive_desc p(d, our_scratchpad(), cpu());
  return {Transposed(p), p.src_desc(), p.weights_desc(), p.dst_desc(), p.scratchpad_desc()};
}

// Strides and dilations change places: the window of our convolution is the other one's result.
Prepared backward_weights(const Convolution& c, const Operands& x) {
  using Axis = Convolution::Axis;
  using Gradient = dnnl::convolution_backward_weights;
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const memory::desc lhs = any_order(x.lhs.dims), rhs = any_order(x.rhs.dims),
                     out = any_order(x.out.dims);
  const memory::dims strides = each(c, &Axis::dilation), dilations = each(c, &Axis::stride, 1),
                     low = each(c, &Axis::low), high = each(c, &Axis::high);
  const Forward::desc other(dnnl::prop_kind::forward_training, algorithm, lhs, out, rhs, strides,
                            dilations, low, high);
  const Gradient::desc d(algorithm, lhs, out, rhs, strides, dilations, low, high);
  const Gradient::primitive_desc p(d, our_scratchpad(), cpu(), {other, cpu()});
  return {Gradient(p),         p.src_desc(), p.diff_dst_desc(), p.diff_weights_desc(),
          p.scratchpad_desc(), DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS};
}

Prepared prepared(const Convolution& c, const Operands& x) {
  switch (c.form) {
    case Convolution::Form::transposed: return transposed(c, x);
    case Convolution::Form::backward_weights: return backward_weights(c, x);
    case Convolution::Form::forward: break;
  }
  return forward(c, x);
}

// A row-major array of the same sizes.
Laid packed(Laid l) {
  int64_t step = 1;
  for (size_t a = l.dims.size(); a-- > 0; step *= l.dims[a]) l.steps[a] = step;
  return l;
}
// Copies a kernel to a row-major array, and reverses its spatial axes, which are the last ones.
void reverse_kernel(const Laid& kernel, size_t spatial, const float* from, float* to) {
  const memory::dims& dims = kernel.dims;
  memory::dims steps = kernel.steps, at(dims.size(), 0);
  int64_t rows = 1, place = 0;
  for (size_t a = 0; a < dims.size(); ++a) {
    if (a + 1 < dims.size()) rows *= dims[a];
    if (a + spatial < dims.size()) continue;
    place += (dims[a] - 1) * steps[a];
    steps[a] = -steps[a];
  }
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < dims.back(); ++i) *to++ = from[place + i * steps.back()];
    for (size_t a = dims.size() - 1; a-- > 0;) {
      place += steps[a];
      if (++at[a] < dims[a]) break;
      place -= dims[a] * steps[a];
      at[a] = 0;
    }
  }
}

// Returns f(). An error of the library, which means that memory is insufficient, becomes
// OutOfMemoryError.
template <class F>
auto asked(F f) {
  try {
    return f();
  } catch (const dnnl::error& e) {
    throw OutOfMemoryError(std::string("oneDNN could not run a convolution: ") + e.what());
  }
}

constexpr int64_t aligned(size_t bytes) { return (static_cast<int64_t>(bytes) + 63) / 64 * 64; }

// The offsets of one item in the three arrays.
struct ItemOffsets {
  int64_t lhs = 0, rhs = 0, out = 0;
};
ItemOffsets offsets_of(const Convolution& c, int64_t i) {
  ItemOffsets p;
  for (auto w = c.walks.rbegin(); w != c.walks.rend(); ++w) {
    const int64_t k = i % w->count;
    i /= w->count;
    p.lhs += k * w->lhs;
    p.rhs += k * w->rhs;
    p.out += k * w->out;
  }
  return p;
}

// The caller's layout of an array and the layout that the library prefers.
struct Sides {
  memory::desc given, wanted;
  bool differ() const { return given != wanted; }
  int64_t bytes() const { return differ() ? aligned(wanted.get_size()) : 0; }
};
void move(const dnnl::stream& s, const memory& from, const memory& to) {
  memory source = from, target = to;
  dnnl::reorder(source, target).execute(s, source, target);
}

}  // namespace

struct Convolver::Plan {
  Operands given;
  bool reversed;  // the kernel is reversed and packed before it is moved
  Prepared made;
  Sides lhs, rhs, out;
  explicit Plan(const Convolution& c)
      : given(operands_of(c)),
        reversed(c.form == Convolution::Form::transposed),
        made(prepared(c, given)),
        lhs{given.lhs.desc(), made.lhs},
        rhs{(reversed ? packed(given.rhs) : given.rhs).desc(), made.rhs},
        out{given.out.desc(), made.out} {}
  int64_t scratch() const { return aligned(made.scratch.get_size()); }
  int64_t packed_bytes() const { return reversed ? aligned(rhs.given.get_size()) : 0; }
  // Bytes for one thread, without the kernel.
  int64_t bytes() const { return lhs.bytes() + out.bytes() + scratch(); }
  // Bytes for the kernel in the order of the library, and packed.
  int64_t kernel_bytes() const { return rhs.bytes() + packed_bytes(); }
  bool moves_kernel() const { return reversed || rhs.differ(); }
};

namespace {

// The grain does not affect the result: every call is computed the same way.
int64_t grain_of(const Convolution& c) {
  return static_cast<int64_t>(std::max(1., 1e6 / std::max(1., c.multiplications())));
}
int64_t calls_at_once(const Convolution& c) {
  const int64_t grain = grain_of(c);
  return std::min<int64_t>(num_threads(), (c.calls() + grain - 1) / std::max<int64_t>(grain, 1));
}
bool shares_kernel(const Convolution& c) {
  return std::all_of(c.walks.begin(), c.walks.end(),
                     [](const Convolution::Walk& w) { return w.count == 1 || w.rhs == 0; });
}

}  // namespace

int64_t Convolution::calls() const {
  int64_t n = 1;
  for (const Walk& w : walks) n *= w.count;
  return n;
}

double Convolution::multiplications() const {
  auto n = static_cast<double>(groups * images * taken * given);
  for (const Axis& a : axes)
    n *= static_cast<double>(a.kernel * a.out) / static_cast<double>(a.lhs_dilation);
  return n;
}

namespace {

std::unique_ptr<const PatchProduct> product_of(const Convolution& c) {
  const double library_ns = conv_call_ns + conv_multiplication_ns * c.multiplications();
  if (PatchProduct::cost_ns(c) > library_ns) return nullptr;
  return std::make_unique<PatchProduct>(c);
}

}  // namespace

Convolver::Convolver(Convolution c) : c_(std::move(c)), product_(product_of(c_)) {}
Convolver::~Convolver() = default;

const Convolver::Plan& Convolver::plan() const {
  static auto& mutex = *new ForkMutex;
  const std::lock_guard lock(mutex);
  if (!plan_) {
    const OneOpenMpThread alone;  // otherwise the primitive starts threads whenever it runs
    plan_ = asked([&] { return std::make_unique<Plan>(c_); });
  }
  return *plan_;
}

int64_t Convolver::workspace() const {
  const int64_t at_once = calls_at_once(c_);
  if (product_) {
    constexpr int64_t item = sizeof(float);
    const int64_t kernels = shares_kernel(c_) ? 1 : at_once;
    return (kernels * product_->kernel_elements() + at_once * product_->window_elements()) * item;
  }
  const Plan& p = plan();
  return p.kernel_bytes() * (shares_kernel(c_) ? 1 : at_once) + at_once * p.bytes();
}

namespace {

memory at(const memory::desc& d, const void* data) {
  return memory(d, cpu(), const_cast<void*>(data));
}

}  // namespace

// Brings a kernel into the order of the library, at the beginning of `to`.
void Convolver::move_kernel(const Plan& p, const float* rhs, std::byte* to) const {
  const float* from = rhs;
  if (p.reversed) {
    // Without a move, rhs.bytes() is 0, and the packed kernel is at the beginning.
    auto* const packed = reinterpret_cast<float*>(to + p.rhs.bytes());
    reverse_kernel(p.given.rhs, c_.axes.size(), rhs, packed);
    from = packed;
  }
  if (!p.rhs.differ()) return;
  dnnl::stream s(cpu());
  move(s, at(p.rhs.given, from), at(p.rhs.wanted, to));
  s.wait();
}

void Convolver::run_products(const Data& x) const {
  constexpr int64_t item = sizeof(float);
  const int64_t kernel_bytes = aligned(product_->kernel_elements() * item);
  const bool shared = shares_kernel(c_);
  const Temporaries kernel(shared ? kernel_bytes : 0);
  const auto copied = [&](const float* rhs, std::byte* to) -> const float* {
    if (kernel_bytes == 0) return rhs;
    auto* const copy = reinterpret_cast<float*>(to);
    product_->copy_kernel(rhs, copy);
    return copy;
  };
  const float* const first_kernel = shared ? copied(x.rhs, kernel.data()) : nullptr;
  parallel_for(c_.calls(), grain_of(c_), [&](int64_t first, int64_t last) {
    const Temporaries own((shared ? 0 : kernel_bytes) + product_->window_elements() * item);
    auto* const windows = reinterpret_cast<float*>(own.data() + (shared ? 0 : kernel_bytes));
    for (int64_t i = first; i < last; ++i) {
      const ItemOffsets at = offsets_of(c_, i);
      product_->image(x.lhs + at.lhs, shared ? first_kernel : copied(x.rhs + at.rhs, own.data()),
                      x.out + at.out, windows);
    }
  });
}

void Convolver::run(const float* lhs, const float* rhs, float* out) const {
  if (product_) return run_products({lhs, rhs, out});
  const Plan& p = plan();
  const bool shared = shares_kernel(c_);
  const Temporaries kernel(shared ? p.kernel_bytes() : 0);
  if (shared && p.moves_kernel())
    asked([&] {
      const OneOpenMpThread alone;
      move_kernel(p, rhs, kernel.data());
    });
  parallel_for(c_.calls(), grain_of(c_), [&](int64_t first, int64_t last) {
    const OneOpenMpThread alone;
    const Temporaries workspace(p.bytes() + (shared ? 0 : p.kernel_bytes()));
    asked([&] {
      some_calls(p, {lhs, rhs, out}, first, last, workspace.data(), shared, kernel.data());
    });
  });
}

// Computes calls first … last - 1; `workspace` holds the reordered arrays. A kernel that all calls
// share has already been moved to `kernel`.
void Convolver::some_calls(const Plan& p, const Data& x, int64_t first, int64_t last,
                           std::byte* workspace, bool shared, std::byte* kernel) const {
  const auto take = [&](int64_t bytes) { return std::exchange(workspace, workspace + bytes); };
  const memory scratch = at(p.made.scratch, take(p.scratch())),
               lhs_moved = at(p.lhs.wanted, take(p.lhs.bytes())),
               out_moved = at(p.out.wanted, take(p.out.bytes()));
  if (!shared) kernel = take(p.kernel_bytes());
  const memory rhs_moved = at(p.rhs.wanted, kernel);
  dnnl::stream s(cpu());
  int64_t moved = -1;
  for (int64_t i = first; i < last; ++i) {
    const ItemOffsets item = offsets_of(c_, i);
    const memory a = at(p.lhs.given, x.lhs + item.lhs), b = at(p.rhs.given, x.rhs + item.rhs),
                 r = at(p.out.given, x.out + item.out);
    if (p.lhs.differ()) move(s, a, lhs_moved);
    if (p.moves_kernel() && !shared && moved != item.rhs) move_kernel(p, x.rhs + item.rhs, kernel);
    moved = item.rhs;
    p.made.primitive.execute(s, {{p.made.lhs_argument, p.lhs.differ() ? lhs_moved : a},
                                 {p.made.rhs_argument, p.moves_kernel() ? rhs_moved : b},
                                 {p.made.out_argument, p.out.differ() ? out_moved : r},
                                 {DNNL_ARG_SCRATCHPAD, scratch}});
    if (p.out.differ()) move(s, out_moved, r);
    s.wait();
  }
}

}  // namespace weft::native
