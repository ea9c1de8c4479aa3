// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/compare.cpp: tolerances, and noise if they are exceeded.
#include "programs/compare.h"

#include "programs/effects.h"
#include "tracer/eval_trace.h"
#include "weft/error.h"

namespace weft::programs {
namespace {

double tolerance(DType d) {
  switch (is_complex(d) ? real_part(d) : d) {
    case F64: return 1e-10;
    case F32: return 1e-4;
    case F16: return 1e-2;
    default: return 6e-2;
  }
}
double largest(const std::vector<double>& x) {
  double m = 0;
  for (double v : x)
    if (std::isfinite(v)) m = std::max(m, std::fabs(v));
  return m;
}
bool differentiates(const Fn& f) {
  bool any = false;
  for_each_step(f, [&](const Step& s) { any = any || s.kind >= Kind::grad; });
  return any;
}
// A product in a lane leaves out zeros of constant matrices, which multiply infinities elsewhere
// (docs/decisions/0075).
bool skips_zeros(const Fn& f) {
  bool any = differentiates(f);
  for_each_step(f, [&](const Step& s) {
    any = any || s.kind == Kind::function || (s.kind == Kind::op && s.op->name() == "dot_general");
  });
  return any;
}
// The definition computes nothing for zero lanes. A map of zero lanes still computes values that do
// not depend on the lane.
bool maps_no_lanes(const Fn& f) {
  bool any = false;
  for_each_step(f, [&](const Step& s) { any = any || (s.kind == Kind::vmap && s.size == 0); });
  return any;
}
// Finds values that are not finite, operations with a slope that is not finite, and the largest
// finite value, in derivatives too. A slope that the program does not request may still be
// multiplied by a materialized zero.
struct Watching final : Interpreter {
  using Interpreter::Interpreter;
  const char* name() const override { return "watching"; }
  Arrays process(const Op& op, const Arrays& x, const AnyParams& params) override {
    Arrays out;
    {
      const CurrentTraceScope running(parent());
      out = bind_op(op, x, params);
    }
    see(out);
    if (depth_ == 2 || infinite) return out;
    ++depth_;
    try {
      Arrays dx;
      for (const Array& a : x) dx.push_back(is_inexact(a.dtype()) ? base::ones(a.type()) : Array());
      see(op.dual(x, dx, params).tangent);
    } catch (const Error&) {  // it has no slope
    }
    --depth_;
    return out;
  }
  void see(const Arrays& values) {
    for (const Array& a : values)
      if (!a.empty_handle() && is_inexact(a.dtype()))
        for (double d : laws::numbers(a)) {
          if (!std::isfinite(d))
            infinite = true;
          else if (depth_ == 0)  // slopes are not values of the program
            largest = std::max(largest, std::fabs(d));
        }
  }
  bool infinite = false;
  double largest = 0;

 private:
  int depth_ = 0;
};
bool alike(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

double ulp_of(DType d) {
  switch (is_complex(d) ? real_part(d) : d) {
    case F64: return 0x1p-52;
    case F32: return 0x1p-23;
    case BF16: return 0x1p-7;
    default: return 0x1p-10;
  }
}
double widest_ulp(const Fn& f) {
  double u = 0;
  const auto see = [&](const Types& ts) {
    for (const Type& t : ts)
      if (is_inexact(t.dtype())) u = std::max(u, ulp_of(t.dtype()));
  };
  see(f.in);
  for_each_step(f, [&](const Step& s) { see(s.out); });
  return u;
}

std::string bits_differ(const Arrays& a, const Arrays& b) {
  if (a.size() != b.size()) return "another number of results";
  for (size_t k = 0; k < a.size(); ++k)
    if (const std::string d = laws::difference(a[k], b[k]); !d.empty())
      return fmt::format("result {}, {}", k, d);
  return {};
}

Expected::Expected(const Fn& f, Arrays x, uint64_t seed)
    : f_(f), x_(std::move(x)), seed_(seed), acts_(holds(f, Kind::effect)) {
  values_ = by_definition(nullptr);
}

Arrays Expected::by_definition(Random* noise) const {
  const ReferenceMode reference;
  EffectRecords done;
  Arrays r = defined(f_, x_, noise, &done);
  if (!acts_) return r;
  if (!done.failed.empty()) r = no_results(f_);
  return concat_lists(std::move(r), as_arrays(std::move(done)));
}
bool Expected::fails() const {
  return acts_ && values_[values_.size() - arrays_of_a_failure].size() > 0;
}

const Expected::Magnitudes& Expected::magnitudes() {
  if (!magnitudes_) {
    const ReferenceMode reference;
    TraceScope<Watching> watching;
    defined(f_, x_);
    magnitudes_ = {watching->infinite, watching->largest};
  }
  return *magnitudes_;
}

void Expected::spread() {
  if (spread_) return;
  spread_ = true;
  if (differentiates(f_)) unmeasured_ = widest_ulp(f_);
  for (uint64_t k = 0; k < 8; ++k) {
    Random noise(seed_ * 31 + k);
    try {
      noisy_.push_back(by_definition(&noise));
    } catch (const Endless&) {
      noisy_.clear();
      return;
    } catch (const Error&) {
      noisy_.clear();
      return;
    }
  }
}

bool Expected::turns_otherwise(size_t k) {
  spread();
  if (noisy_.empty()) return true;
  return std::any_of(noisy_.begin(), noisy_.end(),
                     [&](const Arrays& n) { return n[k].shape() != values_[k].shape(); });
}

std::string Expected::differs(const Arrays& got) {
  if (got.size() != values_.size()) return "another number of results";
  for (size_t k = 0; k < got.size(); ++k) {
    const Array &a = got[k], &b = values_[k];
    if (a.shape() != b.shape() && k >= f_.out.size() && turns_otherwise(k)) {
      ill_ = true;
      continue;
    }
    if (a.shape() != b.shape() || a.dtype() != b.dtype())
      return fmt::format("result {}: {} instead of {}", k, to_string(a.type()),
                         to_string(b.type()));
    if (is_key(a.dtype())) {
      if (const std::string d = laws::difference(a, b); !d.empty()) return d;
      continue;
    }
    const std::vector<double> x = laws::numbers(a), y = laws::numbers(b);
    const double t = is_inexact(a.dtype()) ? tolerance(a.dtype()) : 0, scale = largest(y);
    for (size_t i = 0; i < x.size(); ++i) {
      if (alike(x[i], y[i]) || std::fabs(x[i] - y[i]) <= t * (.1 + std::fabs(y[i]) + .1 * scale))
        continue;
      // A materialized zero times infinity is NaN, while a symbolic zero stays zero.
      if ((!std::isfinite(x[i]) || !std::isfinite(y[i])) && skips_zeros(f_) &&
          (magnitudes().infinite || maps_no_lanes(f_))) {
        ill_ = true;
        continue;
      }
      spread();
      double moved = unmeasured_ * (1 + scale);
      bool unsure = noisy_.empty();
      unsure = unsure || turns_otherwise(k);
      for (const Arrays& n : noisy_) {
        if (unsure) break;
        const double z = laws::numbers(n[k])[i];
        unsure = unsure || std::isnan(z) != std::isnan(y[i]) || std::isinf(z) != std::isinf(y[i]);
        if (!is_inexact(a.dtype())) unsure = unsure || z != y[i];
        moved = std::max(moved, std::fabs(z - y[i]));
      }
      if (unsure || std::fabs(x[i] - y[i]) <= 40 * moved) {
        ill_ = true;
        continue;
      }
      // Large parts of a derivative may cancel: the second one of x/x is 0 up to their rounding.
      if (unmeasured_ > 0 && std::fabs(x[i] - y[i]) <= unmeasured_ * magnitudes().largest) {
        ill_ = true;
        continue;
      }
      return fmt::format("result {}, element {} of {}: {:.9g} instead of {:.9g}", k, i,
                         to_string(a.type()), x[i], y[i]);
    }
  }
  return {};
}

}  // namespace weft::programs
