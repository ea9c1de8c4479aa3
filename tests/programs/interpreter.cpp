// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/interpreter.cpp: the results of a program by definition. Lanes run one after
// another, step by step, so that collectives have the values of all lanes. Loops and branches are
// those of C++. No rules run.
#include <weft/weft.h>

#include "programs/compare.h"
#include "programs/effects.h"
#include "tracer/trace.h"

namespace weft::programs {
namespace {

using Lanes = std::vector<Arrays>;  // the values of each lane

Array row(const Array& x, int axis, int64_t i) { return laws::lane(x, axis, i); }
Array stacked(const Arrays& rows, int axis) {
  Arrays wide;
  for (const Array& r : rows) {
    const Shape& s = r.shape();
    wide.push_back(lax::reshape(r, s.inserted(axis, 1)));
  }
  return lax::concatenate(wide, axis);
}

class Definition {
 public:
  Definition(Random* noise, EffectRecords* done) : noise_(noise), done_{done} {}

  // Returns one list of results for each lane. The lanes of several named axes are in row-major
  // order, and `axes_` has the names.
  Lanes run(const Fn& f, Lanes env) {
    for (const Step& s : f.steps) {
      const Lanes out = step(s, env);
      for (size_t l = 0; l < env.size(); ++l) append(env[l], out[l]);
    }
    Lanes r;
    for (const Arrays& e : env) r.push_back(filter_list(e, f.out));
    return r;
  }

 private:
  // Hides the names of outer axes during its lifetime.
  class Alone {
   public:
    explicit Alone(Definition* d) : d_(d) { std::swap(before_, d->axes_); }
    ~Alone() { std::swap(before_, d_->axes_); }
    Alone(const Alone&) = delete;

   private:
    Definition* d_;
    std::vector<NamedAxis> before_;
  };

  Arrays alone(const Fn& f, const Arrays& x) {
    const Alone scope(this);
    return run(f, {x})[0];
  }

  Lanes step(const Step& s, const Lanes& env) {
    switch (s.kind) {
      case Kind::call:
      case Kind::custom_jvp:
      case Kind::custom_vjp:
      case Kind::custom_vmap:
      case Kind::checkpoint:
      case Kind::sequential: return run(s.bodies[0], inputs(s, env));
      case Kind::collective: return across(s, env);
      case Kind::scan: return scan(s, env);
      case Kind::vmap: return map(s, env);
      default: break;
    }
    Lanes r;
    const std::vector<EffectRecords*> done = done_;
    for (size_t l = 0; l < env.size(); ++l) {
      done_ = {done[l]};
      r.push_back(one(s, filter_list(env[l], s.in), filter_list(env[l], s.captured)));
    }
    done_ = done;
    return r;
  }
  static Lanes inputs(const Step& s, const Lanes& env) {
    Lanes r;
    for (const Arrays& e : env)
      r.push_back(concat_lists(filter_list(e, s.in), filter_list(e, s.captured)));
    return r;
  }

  // Runs a step for one lane.
  Arrays one(const Step& s, const Arrays& x, const Arrays& captured) {
    switch (s.kind) {
      case Kind::op:
        return noisy(call_op(*s.op, widened_noisily(s, x), s.params), s.op->tolerance() > 0);
      case Kind::constant: return {made(s.out[0], s.seed, s.lo, s.hi)};
      case Kind::number: {
        Fn f{{s.out[0]}, {s}, {1}};
        f.steps[0].in = {0};
        return noisy(programs::run(f, x));
      }
      case Kind::function: return noisy({composed()[static_cast<size_t>(s.variant)].run(x)});
      case Kind::cond: return branch(s, x, captured);
      case Kind::while_loop: return loop(s, x, captured);
      case Kind::fori: return counted(s, x, captured);
      case Kind::checked_end: return {ended(x[0])};
      case Kind::effect: return act(s, x[0], done_[0]);
      default: return derivative(s, x, captured);
    }
  }
  // With `together`, all numbers are rounded like the largest one.
  Arrays noisy(Arrays out, bool together = false) {
    if (!noise_) return out;
    const bool cancels =
        together && laws::random_array(Type(F64, {}), -1, 1, *noise_).item<double>() > 0;
    for (Array& a : out) {
      double size = 0;
      if (together && is_inexact(a.dtype()))
        for (double v : laws::numbers(a))
          if (std::isfinite(v)) size = std::max(size, std::fabs(v));
      if (is_floating(a.dtype())) a = off(a, size, cancels);
      if (is_complex(a.dtype()))
        a = lax::complex(off(lax::real(a), size, cancels), off(lax::imag(a), size, cancels));
    }
    return out;
  }
  // When a narrow number is widened, its cotangent is rounded to the narrow dtype.
  Arrays widened_noisily(const Step& s, const Arrays& x) {
    const bool widens =
        s.op->name() == "convert_element_type" && (x[0].dtype() == BF16 || x[0].dtype() == F16);
    return widens ? Arrays{off(x[0])} : x;
  }
  // If there is noise, changes each number by some ulps of it and of `size`. A zero gets a random
  // sign. With `cancels`, a result that consists only of rounding errors of `size` becomes 0.
  Array off(const Array& a, double size = 0, bool cancels = false) {
    if (!noise_ || a.size() == 0) return a;
    const double ulp = ulp_of(a.dtype());
    const Type t(a.dtype() == F64 ? F64 : F32, a.shape());
    // Random numbers of F32 have few digits.
    const Array factor = lax::convert_element_type(
        laws::random_array(Type(F64, a.shape()), 1 - 4 * ulp, 1 + 4 * ulp, *noise_), t.dtype());
    const Array sign = lax::convert_element_type(
        lax::sign(laws::random_array(Type(F64, a.shape()), -1, 1, *noise_)), t.dtype());
    const Array wide = lax::convert_element_type(a, t.dtype());
    const Array zero = lax::eq(wide, base::zeros(t));
    Array moved = lax::mul(wide, lax::select(zero, sign, factor));
    if (size > 0) {
      const Array more = lax::convert_element_type(
          laws::random_array(Type(F64, a.shape()), -4 * ulp * size, 4 * ulp * size, *noise_),
          t.dtype());
      moved = lax::add(moved, more);
      const Array nothing =
          lax::lt(lax::abs(moved), lax::full(a.shape(), 8 * ulp * size, t.dtype()));
      if (cancels) moved = lax::select(nothing, base::zeros(t), moved);
    }
    return lax::convert_element_type(moved, a.dtype());
  }

  Arrays branch(const Step& s, const Arrays& x, const Arrays& captured) {
    const int64_t n = static_cast<int64_t>(s.bodies.size());
    const int64_t which = s.variant == 0 ? (x[0].item<bool>() ? 1 : 0)
                                         : std::clamp<int64_t>(x[0].item<int64_t>(), 0, n - 1);
    return alone(s.bodies[static_cast<size_t>(which)],
                 concat_lists(sublist(x, 1, x.size()), captured));
  }
  Arrays loop(const Step& s, Arrays c, const Arrays& captured) {
    for (int64_t trips = 0;; ++trips) {
      if (trips > max_trips) throw Endless();
      // The condition also runs after the last trip.
      if (!alone(s.bodies[0], concat_lists(c, captured))[0].item<bool>() ||
          (s.count > 0 && trips == s.count))
        break;
      c = alone(s.bodies[1], concat_lists(c, captured));
    }
    return c;
  }
  Arrays counted(const Step& s, const Arrays& x, const Arrays& captured) {
    Arrays c = sublist(x, 2, x.size());
    const int64_t lo = x[0].item<int64_t>(), hi = x[1].item<int64_t>();
    if (hi - lo > max_trips) throw Endless();
    for (int64_t i = lo; i < hi; ++i)
      c = alone(
          s.bodies[0],
          concat_lists(concat_lists({lax::full({}, static_cast<int32_t>(i), I32)}, c), captured));
    return c;
  }
  // Halves the value until it is small.
  static Array ended(Array s) {
    for (int64_t trips = 0; (s * s > .01).item<bool>(); ++trips) {
      if (trips > max_trips || (s > .5).item<bool>()) throw Endless();
      s = s * .5;
    }
    return s;
  }

  Lanes scan(const Step& s, const Lanes& env) {
    const auto carry = static_cast<size_t>(s.count);
    const size_t lanes = env.size();
    Lanes c(lanes), all(lanes);
    for (size_t l = 0; l < lanes; ++l) c[l] = sublist(filter_list(env[l], s.in), 0, carry);
    const size_t results = s.bodies[0].out.size();
    std::vector<std::vector<Arrays>> ys(lanes, std::vector<Arrays>(results - carry));
    for (int64_t t = 0; t < s.length; ++t) {
      const int64_t i = s.reverse ? s.length - 1 - t : t;
      Lanes in;
      for (size_t l = 0; l < lanes; ++l) {
        Arrays x = c[l];
        for (size_t k = carry; k < s.in.size(); ++k)
          x.push_back(row(env[l][static_cast<size_t>(s.in[k])], 0, i));
        in.push_back(concat_lists(std::move(x), filter_list(env[l], s.captured)));
      }
      const Lanes out = run(s.bodies[0], in);
      for (size_t l = 0; l < lanes; ++l) {
        c[l] = sublist(out[l], 0, carry);
        for (size_t k = carry; k < results; ++k) ys[l][k - carry].push_back(out[l][k]);
      }
    }
    for (size_t l = 0; l < lanes; ++l) {
      all[l] = c[l];
      for (size_t k = 0; k < ys[l].size(); ++k) {
        Arrays& rows = ys[l][k];
        if (s.reverse) std::reverse(rows.begin(), rows.end());
        all[l].push_back(rows.empty() ? base::zeros(s.out[carry + k]) : stacked(rows, 0));
      }
    }
    return all;
  }

  Lanes map(const Step& s, const Lanes& env) {
    Lanes in;
    for (const Arrays& e : env) {
      const Arrays x = filter_list(e, s.in), captured = filter_list(e, s.captured);
      for (int64_t l = 0; l < s.size; ++l) {
        Arrays lane;
        for (size_t k = 0; k < x.size(); ++k)
          lane.push_back(s.in_axes[k] ? row(x[k], *s.in_axes[k], l) : x[k]);
        in.push_back(concat_lists(std::move(lane), captured));
      }
    }
    std::vector<EffectRecords> records(in.size());
    std::vector<EffectRecords*> done;
    const auto n = static_cast<size_t>(s.size);
    for (size_t l = 0; l < in.size(); ++l) done.push_back(done_[l / n] ? &records[l] : nullptr);
    done_.swap(done);
    axes_.push_back({s.name, s.size});
    const Lanes out = run(s.bodies[0], in);
    axes_.pop_back();
    done_.swap(done);
    for (size_t l = 0; l < in.size(); ++l)
      if (done_[l / n]) *done_[l / n] += records[l];
    Lanes r;
    for (size_t o = 0; o < env.size(); ++o) {
      r.emplace_back();
      for (size_t k = 0; k < s.out_axes.size(); ++k) {
        Arrays rows;
        for (size_t l = 0; l < n; ++l) rows.push_back(out[o * n + l][k]);
        r.back().push_back(rows.empty()     ? base::zeros(s.out[k])
                           : !s.out_axes[k] ? rows[0]
                                            : stacked(rows, *s.out_axes[k]));
      }
    }
    return r;
  }

  Lanes across(const Step& s, const Lanes& env) {
    size_t at = axes_.size();
    while (at > 0 && axes_[at - 1].name != s.name) --at;
    if (at == 0) throw Endless();
    if (axes_[at - 1].size != s.size) throw Endless();
    const auto n = static_cast<size_t>(s.size);
    size_t stride = 1;
    for (size_t a = at; a < axes_.size(); ++a) stride *= static_cast<size_t>(axes_[a].size);
    Lanes r;
    for (size_t l = 0; l < env.size(); ++l) {
      const size_t mine = l / stride % n, first = l - mine * stride;
      if (s.variant == axis_index) {
        r.push_back({lax::full({}, static_cast<int32_t>(mine), I32)});
        continue;
      }
      Arrays rows;
      for (size_t k = 0; k < n; ++k)
        rows.push_back(env[first + k * stride][static_cast<size_t>(s.in[0])]);
      r.push_back(joined_lanes(s, rows, mine));
    }
    return r;
  }
  // Returns the value that lane `mine` gets from the lanes of an axis.
  Arrays joined_lanes(const Step& s, const Arrays& rows, size_t mine) {
    const auto sum = [&](const Arrays& x) { return lax::reduce_sum(stacked(x, 0), {0}); };
    const auto own = [&](const Array& x) { return row(x, 0, static_cast<int64_t>(mine)); };
    switch (s.variant) {
      case psum: return noisy({sum(rows)});
      case pmean: return noisy({sum(rows) / static_cast<double>(rows.size())});
      case pmax: return {lax::reduce_max(stacked(rows, 0), {0})};
      case pmin: return {lax::reduce_min(stacked(rows, 0), {0})};
      case all_gather: return {stacked(rows, 0)};
      case psum_scatter: return noisy({own(sum(rows))});
      case pswapaxes: {
        Arrays entries;
        for (const Array& x : rows) entries.push_back(own(x));
        return {stacked(entries, 0)};
      }
      case pbroadcast: return {rows[static_cast<size_t>(s.count)]};
      case permuted:
        return {s.order[mine] < 0 ? base::zeros(rows[0].type())
                                  : rows[static_cast<size_t>(s.order[mine])]};
      default: break;
    }
    Arrays group;
    for (const Ints& g : groups_of(s))
      if (std::find(g.begin(), g.end(), static_cast<int64_t>(mine)) != g.end())
        for (int64_t l : g) group.push_back(rows[static_cast<size_t>(l)]);
    return s.variant == grouped_sum ? noisy({sum(group)}) : Arrays{stacked(group, 0)};
  }

  Arrays derivative(const Step& s, const Arrays& x, const Arrays& captured) {
    const auto wrt = static_cast<size_t>(s.count);
    const size_t primals = s.bodies[0].in.size() - captured.size();
    const Arrays d = sublist(x, 0, wrt), rest = concat_lists(sublist(x, wrt, primals), captured),
                 more = sublist(x, primals, x.size());
    const auto f = [&](Arrays a) { return alone(s.bodies[0], concat_lists(std::move(a), rest)); };
    const auto scalar = [&](Arrays a) { return f(std::move(a))[0]; };
    switch (s.kind) {
      case Kind::grad: {
        const auto [value, g] = value_and_grad(scalar)(d);
        return s.variant == 0 ? g : concat_lists({value}, g);
      }
      case Kind::vjp: {
        const auto [out, back] = vjp(f, d);
        return concat_lists(out, std::get<0>(back(more)));
      }
      case Kind::jvp:
      case Kind::linearize: {
        const auto [out, tangent] = jvp(f, std::make_tuple(d), std::make_tuple(more));
        return concat_lists(out, tangent);
      }
      default: return {jacobian(s, f, d)};
    }
  }
  // Computes one column at a time (for a hessian one row). The effects of f happen once.
  template <class F>
  Array jacobian(const Step& s, F f, const Arrays& d) {
    const Type& in = d[0].type();
    const auto first = [&](Array a) {
      Arrays all = d;
      all[0] = a;
      return f(all)[0];
    };
    Arrays columns;
    for (int64_t i = 0; i < in.elements(); ++i) {
      const Array unit =
          lax::reshape(lax::convert_element_type(
                           lax::eq(lax::iota(I32, in.elements()),
                                   lax::full({in.elements()}, static_cast<int32_t>(i), I32)),
                           in.dtype()),
                       in.shape());
      if (i > 0) done_ = {nullptr};
      const auto at = std::make_tuple(d[0]), along = std::make_tuple(unit);
      columns.push_back(s.variant == 2 ? jvp(grad(first), at, along).second
                                       : jvp(first, at, along).second);
    }
    if (columns.empty()) return base::zeros(s.out[0]);
    const Array all = stacked(columns, columns[0].type().ndim());
    return lax::reshape(all, s.out[0].shape());
  }

  static constexpr int64_t max_trips = 400;
  Random* noise_;
  // The list for the effects of each lane, as if the lanes ran in order.
  std::vector<EffectRecords*> done_;
  std::vector<NamedAxis> axes_;
};

}  // namespace

Arrays defined(const Fn& f, const Arrays& x, Random* noise, EffectRecords* done) {
  return Definition(noise, done).run(f, {x})[0];
}

}  // namespace weft::programs
