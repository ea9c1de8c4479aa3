// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/collective.cpp: collectives as users call them. Checks names, groups and axes, and
// builds means, collectives over several names and blocks of an axis.
#include "weft/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "functions/kit.h"
#include "functions/lax/sums.h"
#include "ops/collective/collective.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "tracer/trace.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"

namespace weft {

AxisNames::AxisNames(std::initializer_list<AxisName> axes) {
  for (const AxisName& a : axes)
    if (a.name.empty())
      positions_.push_back(a.position);
    else
      names_.push_back(a.name);
}

namespace {

// ---- names and groups

std::string quoted(const std::vector<std::string>& names) {
  return names.size() == 1 ? "'" + names[0] + "'" : fmt::format("('{}')", fmt::join(names, "', '"));
}
// The number of lanes of all named axes. Raises AxisNameError for a name that is not bound or that
// occurs twice.
int64_t lanes_of(const char* who, const std::vector<std::string>& names) {
  int64_t n = 1;
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      throw AxisNameError(fmt::format("{}: axis '{}' is named twice", who, names[i]));
    n *= named_axis_size(names[i]);
  }
  return n;
}
// The same for a function that accepts only names, not positions.
int64_t named_lanes(const char* who, const AxisNames& axes) {
  if (axes.names().empty() && axes.positions().empty())
    throw AxisNameError(fmt::format("{}: no axis is named", who));
  if (!axes.positions().empty())
    throw AxisNameError(
        fmt::format("{}: takes names of mapped axes, got the position {}; psum, pmean, pmax and "
                    "pmin take positions of axes, too",
                    who, axes.positions()[0]));
  return lanes_of(who, axes.names());
}

void need_groups(const char* who, const AxisNames& axes, const AxisIndexGroups& groups,
                 int64_t lanes) {
  std::set<int64_t> seen;
  int64_t n = 0;
  for (const auto& g : groups) {
    n += std::ssize(g);
    seen.insert(g.begin(), g.end());
  }
  const bool in_range = seen.empty() || (*seen.begin() >= 0 && *seen.rbegin() < lanes);
  if (n != lanes || std::ssize(seen) != lanes || !in_range) {
    std::string text;
    for (const auto& g : groups)
      text += fmt::format("{}{{{}}}", text.empty() ? "" : ", ", fmt::join(g, ", "));
    fn::fail_index(
        fmt::format("{}: axis_index_groups must cover all indices exactly once: the lanes of {} "
                    "are 0 to {}, the groups {{{}}}",
                    who, quoted(axes.names()), lanes - 1, text));
  }
  for (const auto& g : groups)
    if (g.empty()) fn::fail_index(fmt::format("{}: axis_index_groups has an empty group", who));
}
// The number of lanes in a group. All groups must have the same size.
int64_t group_size(const char* who, const AxisNames& axes, const AxisIndexGroups& groups) {
  const int64_t lanes = named_lanes(who, axes);
  if (groups.empty()) return lanes;
  need_groups(who, axes, groups, lanes);
  for (const auto& g : groups)
    if (g.size() != groups[0].size())
      fn::fail_shape(
          fmt::format("{}: all groups of axis_index_groups must have the same size, got {} and {}",
                      who, groups[0].size(), g.size()));
  return std::ssize(groups[0]);
}

// ---- blocks of an axis

// Splits axis k, of n * size entries, into two axes of sizes n and size.
Array in_blocks(const Array& x, int k, int64_t n) {
  return reshape_to(x, x.shape().with(k, x.shape()[k] / n).inserted(k, n));
}
// Merges axes k and k + 1 into one.
Array merged(const Array& x, int k) {
  return reshape_to(x, x.shape().erased(k).with(k, x.shape()[k] * x.shape()[k + 1]));
}

// ---- sums and extremes

using detail::Across;
constexpr const char* names_of_folds[] = {"psum", "pmean", "pmax", "pmin"};

Array folded(Across what, const Array& x, const AxisNames& axes, const AxisIndexGroups& groups) {
  const auto along = fn::axes_of(names_of_folds[static_cast<int>(what)], axes.positions(),
                                 static_cast<int>(x.ndim()));
  // A sum over several axes is rounded once, after the last axis.
  const DType wide = accumulator_dtype(x.dtype());
  const bool sums = what == Across::sum || what == Across::mean;
  if (sums && wide != x.dtype() && along.size() + axes.names().size() > 1)
    return fn::as_dtype(folded(what, fn::as_dtype(x, wide, x.weak_type()), axes, groups), x.dtype(),
                        x.weak_type());
  const auto fold = what == Across::max   ? lax::reduce_max
                    : what == Across::min ? lax::reduce_min
                                          : lax::reduce_sum;
  const Array here = along.empty() ? x : fold(x, along);
  if (axes.names().empty()) return here;
  switch (what) {
    case Across::max: return pmax_over(here, axes.names(), groups);
    case Across::min: return pmin_over(here, axes.names(), groups);
    default: return psum_over(here, axes.names(), groups);
  }
}
// The sum over lanes of a C++ number is again a C++ number: it keeps its weak type.
bool is_number(const Array& x, const AxisIndexGroups& groups) {
  const Concrete* c = concrete_or_null(x);
  return c && c->literal && !is_complex(x.dtype()) && groups.empty() && !x.is_traced();
}
Array counted(const Array& number, int64_t lanes) {
  if (!is_integer(number.dtype()))
    return scalar_of(number.dtype(), number.item<double>() * static_cast<double>(lanes),
                     number.weak_type());
  // Integers wrap as sums of arrays do. Integers beyond I64 wrap too.
  const uint64_t n = number.dtype() == U64 ? number.item<uint64_t>()
                                           : static_cast<uint64_t>(number.item<int64_t>());
  return scalar_of_int(number.dtype(), static_cast<int64_t>(n * static_cast<uint64_t>(lanes)),
                       number.weak_type());
}
// The number of values in each lane's sum.
Array values_summed(const Array& like, int64_t all, const AxisNames& axes,
                    const AxisIndexGroups& groups) {
  const bool differ = std::any_of(groups.begin(), groups.end(),
                                  [&](const auto& g) { return g.size() != groups[0].size(); });
  if (!differ)
    return fn::number_like(like, static_cast<double>(groups.empty() ? all : std::ssize(groups[0])));
  return psum_over(fn::number_like(like, 1), axes.names(), groups);
}

}  // namespace

namespace detail {

Array across(Across what, const Array& x, const AxisNames& axes, const CollectiveOptions& o,
             Location at) {
  const SourceScope s(at);
  const char* who = names_of_folds[static_cast<int>(what)];
  if (axes.names().empty() && axes.positions().empty())
    throw AxisNameError(fmt::format("{}: no axis is named", who));
  fn::need_numbers(who, x);
  const int64_t lanes = lanes_of(who, axes.names());
  if (!o.axis_index_groups.empty()) {
    if (!axes.positions().empty())
      throw AxisNameError(fmt::format(
          "{}: axis_index_groups only supported for sums over just named axes, got the position {}",
          who, axes.positions()[0]));
    need_groups(who, axes, o.axis_index_groups, lanes);
  }
  if (what == Across::max || what == Across::min) return folded(what, x, axes, o.axis_index_groups);
  const Array number = fn::numeric(x);
  if (what == Across::sum && axes.positions().empty() && is_number(number, o.axis_index_groups))
    return counted(number, lanes);
  if (what == Across::sum) return folded(what, number, axes, o.axis_index_groups);
  int64_t values = lanes;
  for (int64_t a : fn::axes_of(who, axes.positions(), static_cast<int>(x.ndim())))
    values *= x.shape()[a];
  // As in mean, integers become floats before they are summed, because their sum might wrap.
  const Array given = fn::inexact(number);
  const Array sum =
      folded(what, fn::as_dtype(given, accumulator_dtype(given.dtype()), given.weak_type()), axes,
             o.axis_index_groups);
  // A mean over zero lanes is undefined and has no reader. Dividing by 1 instead keeps 0 / 0 out of
  // the gradients of values that all lanes share.
  const Array count = values_summed(sum, std::max<int64_t>(values, 1), axes, o.axis_index_groups);
  return fn::as_dtype(lax::div(sum, count), given.dtype(), given.weak_type());
}

Array gather_lanes(const Array& x, const AxisNames& axes, const AllGatherOptions& o, Location at) {
  const SourceScope s(at);
  const int64_t size = group_size("all_gather", axes, o.axis_index_groups);
  const int axis =
      fn::axis_of("all_gather", o.axis, static_cast<int>(x.ndim()) + (o.tiled ? 0 : 1));
  const auto& names = axes.names();
  if (!o.axis_index_groups.empty()) {
    const Array r = all_gather_over(x, names, o.axis_index_groups, size, axis);
    return o.tiled ? merged(r, axis) : r;
  }
  Array r = x;
  // The index of the last name varies fastest, so it is gathered first.
  for (size_t i = names.size(); i-- > 0;) {
    r = all_gather_over(r, {names[i]}, {}, named_axis_size(names[i]), axis);
    if (o.tiled || i + 1 < names.size()) r = merged(r, axis);
  }
  return r;
}

Array scatter_sum(const Array& x, const AxisNames& axes, const PsumScatterOptions& o, Location at) {
  const SourceScope s(at);
  fn::need_numbers("psum_scatter", x);
  const int64_t size = group_size("psum_scatter", axes, o.axis_index_groups);
  const int axis = fn::axis_of("psum_scatter", o.scatter_dimension, static_cast<int>(x.ndim()));
  const int64_t n = x.shape()[axis];
  if (o.tiled ? size == 0 || n % size != 0 : n != size)
    fn::fail_shape(
        o.tiled ? fmt::format("psum_scatter: tiled reduce_scatter operand scatter dimension size "
                              "{} must be divisible by shard_count {}: axis {} of {}, the lanes "
                              "of {}",
                              n, size, axis, to_string(x.type()), quoted(axes.names()))
                : fmt::format("psum_scatter: reduce_scatter operand scatter dimension size {} must "
                              "match shard count {}: axis {} of {}, the lanes of {}; blocks of "
                              "more take {{.tiled = true}}",
                              n, size, axis, to_string(x.type()), quoted(axes.names())));
  return reduce_scatter_over(o.tiled ? in_blocks(fn::numeric(x), axis, size) : fn::numeric(x),
                             axes.names(), o.axis_index_groups, size, axis);
}

Array exchange(const char* who, const Array& x, const AxisNames& axes, int64_t split_axis,
               int64_t concat_axis, const AllToAllOptions& o, Location at) {
  const ApiNameScope s(who, at);
  const int64_t size = group_size(who, axes, o.axis_index_groups);
  const int split = fn::axis_of(who, split_axis, static_cast<int>(x.ndim())),
            concat = fn::axis_of(who, concat_axis, static_cast<int>(x.ndim()));
  const int64_t n = x.shape()[split];
  if (!o.tiled) {
    if (n != size)
      fn::fail_shape(
          fmt::format("{}: all_to_all requires the size of the mapped axis axis_name to equal "
                      "x.shape[split_axis], but they are {} and {} respectively: axis {} of {}, "
                      "the lanes of {}",
                      who, size, n, split, to_string(x.type()), quoted(axes.names())));
    return all_to_all_over(x, axes.names(), o.axis_index_groups, size, split, concat);
  }
  if (size == 0 || n % size != 0)
    fn::fail_shape(fmt::format(
        "{}: the size of all_to_all split_axis ({}) has to be divisible by the size of the named "
        "axis {} ({}): axis {} of {}",
        who, n, quoted(axes.names()), size, split, to_string(x.type())));
  // The exchange removes the axis of the blocks and inserts the axis of their lanes before
  // concat_axis.
  const Array blocks = all_to_all_over(in_blocks(x, split, size), axes.names(), o.axis_index_groups,
                                       size, split, concat);
  return merged(blocks, concat);
}

Array permute(const char* who, const Array& x, const AxisNames& axes, const LanePairs& perm,
              Location at) {
  const ApiNameScope s(who, at);
  const int64_t lanes = named_lanes(who, axes);
  std::vector<int64_t> ends[2];
  std::set<int64_t> seen[2];
  for (const auto& [source, destination] : perm)
    for (const int k : {0, 1}) {
      const int64_t lane = k == 0 ? source : destination;
      if (lane < 0 || lane >= lanes)
        fn::fail_index(
            fmt::format("{}: the pair {{{}, {}}} names lane {}, but the lanes of {} are 0 to {}",
                        who, source, destination, lane, quoted(axes.names()), lanes - 1));
      if (!seen[k].insert(lane).second)
        fn::fail_index(
            fmt::format("{} sources and destinations must be unique, got lane {} as the {} of two "
                        "pairs",
                        who, lane, k == 0 ? "source" : "destination"));
      ends[k].push_back(lane);
    }
  return ppermute_over(x, axes.names(), lanes, ends[0], ends[1]);
}

Array shuffle(const Array& x, const AxisNames& axes, const std::vector<int64_t>& perm,
              Location at) {
  const SourceScope s(at);
  const int64_t lanes = named_lanes("pshuffle", axes);
  std::vector<int64_t> sorted = perm, all;
  std::sort(sorted.begin(), sorted.end());
  for (int64_t l = 0; l < lanes; ++l) all.push_back(l);
  if (sorted != all)
    fn::fail_index(fmt::format(
        "pshuffle: `perm` does not represent a permutation: {{{}}} of the lanes 0 to {} of {}",
        fmt::join(perm, ", "), lanes - 1, quoted(axes.names())));
  return ppermute_over(x, axes.names(), lanes, perm, all);
}

Array from_lane(const Array& x, const AxisNames& axes, int64_t source, Location at) {
  const SourceScope s(at);
  const int64_t lanes = named_lanes("pbroadcast", axes);
  if (source < 0 || source >= lanes)
    fn::fail_index(
        fmt::format("pbroadcast: collective broadcast doesn't fit in the axis size: the lanes of "
                    "{} are 0 to {}, not {}",
                    quoted(axes.names()), lanes - 1, source));
  Array r = x;
  int64_t rest = source;
  for (size_t i = axes.names().size(); i-- > 0;) {
    const int64_t n = named_axis_size(axes.names()[i]);
    r = pbroadcast_over(r, axes.names()[i], rest % n);
    rest /= n;
  }
  return r;
}

void need_names(const char* who, const AxisNames& axes, Location at) {
  const ApiNameScope s(who, at);
  named_lanes(who, axes);
}
void need_varying(const AxisNames& axes, const std::string& to, Location at) {
  const SourceScope s(at);
  if (to != "varying")
    fn::fail_index(fmt::format(
        "pcast: `to` must be \"varying\", got \"{}\": lanes of maps have no sums that are not "
        "made yet; psum and psum_scatter make them",
        to));
  named_lanes("pcast", axes);
}

}  // namespace detail

Array axis_index(const AxisNames& axes, Location at) {
  const SourceScope s(at);
  named_lanes("axis_index", axes);
  Array r;
  for (const std::string& name : axes.names()) {
    const Array i = axis_index_of(name);
    r = r.empty_handle()
            ? i
            : lax::add(lax::mul(r, fn::number_like(r, static_cast<double>(named_axis_size(name)))),
                       i);
  }
  return r;
}

int64_t axis_size(const AxisNames& axes, Location at) {
  const SourceScope s(at);
  return named_lanes("axis_size", axes);
}

}  // namespace weft
