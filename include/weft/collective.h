// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/collective.h: collectives between the lanes of a named map: psum, all_gather,
// ppermute, ….
//
// Inside vmap(f, in, out, {.axis_name = "i"}), lane l of f has the value x_l of x. All lanes
// contribute, including lanes whose loop has ended and lanes that do not take the branch; see psum
// for derivatives. Each function takes an Array or a tree of Arrays, whose leaves it processes
// separately.
//
// Errors of all functions: AxisNameError "unbound axis name 'i'" where no map of that name is being
// applied, and for a name given twice. BatchingError where that map has a chunk_size or a
// memory_budget, because lanes of one chunk cannot read those of another; axis_index and axis_size
// work there. For axis_index_groups: IndexError unless each lane is in exactly one group, and
// ShapeError where all groups must have one size and do not.
#pragma once
#include <string>
#include <vector>

#include "weft/tree.h"

namespace weft {

namespace typing {
// The name of a mapped axis. Reductions also accept the position of an axis of x.
struct AxisName {
  std::string name;
  int64_t position = 0;  // used if `name` is empty
  AxisName(const char* text) : name(text) {}
  AxisName(std::string text) : name(std::move(text)) {}
  template <ir::Integer I>
  AxisName(I axis) : position(static_cast<int64_t>(axis)) {}
};
}  // namespace typing
// One or several axes: "i", {"i", "j"}, {"i", 0}. With several names the lanes are numbered with
// the last name varying fastest.
class AxisNames {
 public:
  AxisNames(const char* name) : AxisNames({typing::AxisName(name)}) {}
  AxisNames(std::string name) : AxisNames({typing::AxisName(std::move(name))}) {}
  template <ir::Integer I>
  AxisNames(I position) : AxisNames({typing::AxisName(position)}) {}
  AxisNames(std::initializer_list<typing::AxisName> axes);
  AxisNames(std::vector<std::string> names) : names_(std::move(names)) {}
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<int64_t>& positions() const { return positions_; }

 private:
  std::vector<std::string> names_;
  std::vector<int64_t> positions_;
};

namespace typing {
// Groups of lane numbers, such as {{0, 1}, {2, 3}}: a collective joins only the lanes of one group.
// Each lane is in exactly one group. With several names the lanes are numbered with the last name
// varying fastest. {}: all lanes are one group.
using AxisIndexGroups = std::vector<std::vector<int64_t>>;

struct CollectiveOptions {
  // The groups of lanes that are joined. They must have one size where lanes exchange elements, as
  // in pswapaxes.
  AxisIndexGroups axis_index_groups = {};
};
struct AllGatherOptions {
  AxisIndexGroups axis_index_groups = {};  // all of one size
  int64_t axis = 0;    // the axis of the result along which the lanes are placed
  bool tiled = false;  // concatenated along an axis of x instead of stacked along a new one
};
struct PsumScatterOptions {
  int64_t scatter_dimension = 0;           // the axis of x that is distributed over the lanes
  AxisIndexGroups axis_index_groups = {};  // all of one size
  bool tiled = false;  // each lane gets a block of the axis, which stays, instead of one entry
};
struct AllToAllOptions {
  AxisIndexGroups axis_index_groups = {};  // all of one size
  bool tiled = false;  // split_axis is split into blocks, which are concatenated along concat_axis
};
// Pairs {source, destination}.
using LanePairs = std::vector<std::pair<int64_t, int64_t>>;
}  // namespace typing

namespace detail {
enum class Across { sum, mean, max, min };
Array across(Across what, const Array& x, const AxisNames& axes, const typing::CollectiveOptions& o,
             typing::Location at);
Array gather_lanes(const Array& x, const AxisNames& axes, const typing::AllGatherOptions& o,
                   typing::Location at);
Array scatter_sum(const Array& x, const AxisNames& axes, const typing::PsumScatterOptions& o,
                  typing::Location at);
Array exchange(const char* who, const Array& x, const AxisNames& axes, int64_t split_axis,
               int64_t concat_axis, const typing::AllToAllOptions& o, typing::Location at);
Array permute(const char* who, const Array& x, const AxisNames& axes, const typing::LanePairs& perm,
              typing::Location at);
Array shuffle(const Array& x, const AxisNames& axes, const std::vector<int64_t>& perm,
              typing::Location at);
Array from_lane(const Array& x, const AxisNames& axes, int64_t source, typing::Location at);
void need_names(const char* who, const AxisNames& axes, typing::Location at);
void need_varying(const AxisNames& axes, const std::string& to, typing::Location at);
template <class T, class F>
typing::arrays_t<T> each_leaf(const T& x, F f) {
  return tree::map(f, tree::detail::convert<typing::arrays_t<T>>(x));
}
}  // namespace detail

// Returns the elementwise sum of x_l over the lanes l. The result has the shape and dtype of x (I32
// for bools) and is the same in all lanes of a group. Integers among the axes are positions of axes
// of x, which are summed as well and removed from the result: psum(x, {"i", 0}). They cannot be
// combined with groups (AxisNameError). A C++ number needs no equation: psum(1, "i") is the number
// of lanes, known while tracing. The transpose of psum is psum.
//
// The value includes all lanes, even in a branch of cond that only some lanes take. The same holds
// in a loop that lanes leave at different times. The reverse-mode derivative does not: the
// cotangent of a lane through a branch that it did not take is dropped, as in JAX. Dropping it
// keeps infinities of that branch out of the gradient. Forward mode keeps these tangents, as do
// JAX's loops; JAX's branches drop them there too. This holds for every function of this file.
// Where the other lanes' derivatives matter, select values instead of branches: where(pred, psum(x,
// "i"), y). Source: jax.lax.psum.
template <class T>
typing::arrays_t<T> psum(const T& x, const AxisNames& axes, const typing::CollectiveOptions& o = {},
                         typing::Location at = typing::Location::here()) {
  return detail::each_leaf(
      x, [&](const Array& a) { return detail::across(detail::Across::sum, a, axes, o, at); });
}
// Returns psum divided by the number of summed values. Integers are converted to F32 (64-bit
// integers to F64) before the sum, as in mean; narrow floats are summed in F32. JAX sums in the
// dtype of x, so small integers wrap and F16 overflows. With groups of different sizes each group
// gets its own mean; JAX divides by the size of the first group. Source: jax.lax.pmean.
template <class T>
typing::arrays_t<T> pmean(const T& x, const AxisNames& axes,
                          const typing::CollectiveOptions& o = {},
                          typing::Location at = typing::Location::here()) {
  return detail::each_leaf(
      x, [&](const Array& a) { return detail::across(detail::Across::mean, a, axes, o, at); });
}
// Returns the elementwise maximum of x_l, in the dtype of x. A NaN in any lane gives NaN. Otherwise
// it works like psum. Lanes with equal maxima share the derivative; JAX has no derivative. Source:
// jax.lax.pmax.
template <class T>
typing::arrays_t<T> pmax(const T& x, const AxisNames& axes, const typing::CollectiveOptions& o = {},
                         typing::Location at = typing::Location::here()) {
  return detail::each_leaf(
      x, [&](const Array& a) { return detail::across(detail::Across::max, a, axes, o, at); });
}
// Returns the elementwise minimum of x_l, otherwise like pmax. Source: jax.lax.pmin.
template <class T>
typing::arrays_t<T> pmin(const T& x, const AxisNames& axes, const typing::CollectiveOptions& o = {},
                         typing::Location at = typing::Location::here()) {
  return detail::each_leaf(
      x, [&](const Array& a) { return detail::across(detail::Across::min, a, axes, o, at); });
}
// Stacks all x_l of shape (…) along a new axis: (…, lanes, …). The result is the same in all lanes
// of a group. With .tiled the values are concatenated along an existing axis: (…, n, …) -> (…,
// lanes n, …). Raises IndexError for an axis out of range. The transpose is psum_scatter. Source:
// jax.lax.all_gather.
template <class T>
typing::arrays_t<T> all_gather(const T& x, const AxisNames& axes,
                               const typing::AllGatherOptions& o = {},
                               typing::Location at = typing::Location::here()) {
  return detail::each_leaf(x, [&](const Array& a) { return detail::gather_lanes(a, axes, o, at); });
}
// Computes psum and gives lane k of a group entry k of scatter_dimension: (…, lanes, …) -> (…).
// With .tiled lane k gets block k: (…, lanes n, …) -> (…, n, …). Raises ShapeError if the axis has
// another size. The transpose is all_gather. Source: jax.lax.psum_scatter.
template <class T>
typing::arrays_t<T> psum_scatter(const T& x, const AxisNames& axes,
                                 const typing::PsumScatterOptions& o = {},
                                 typing::Location at = typing::Location::here()) {
  return detail::each_leaf(x, [&](const Array& a) { return detail::scatter_sum(a, axes, o, at); });
}
// Sends entry k of split_axis to lane k of the group. The entry that lane l sends to this lane
// becomes entry l of a new axis at concat_axis of the result, which has no split_axis. If both are
// one axis, the result has the shape of x.
//
// With .tiled, blocks are sent instead of entries and concatenated along an existing axis: (…,
// lanes n, …, m, …) -> (…, n, …, lanes m, …). Raises ShapeError if the axis has another size, and
// IndexError for axes out of range. The transpose is all_to_all with the axes exchanged. Source:
// jax.lax.all_to_all.
template <class T>
typing::arrays_t<T> all_to_all(const T& x, const AxisNames& axes, int64_t split_axis,
                               int64_t concat_axis, const typing::AllToAllOptions& o = {},
                               typing::Location at = typing::Location::here()) {
  return detail::each_leaf(x, [&](const Array& a) {
    return detail::exchange("all_to_all", a, axes, split_axis, concat_axis, o, at);
  });
}
// Exchanges the mapped axis with an axis of x of the same size: all_to_all(x, axes, axis, axis).
// Source: jax.lax.pswapaxes.
template <class T>
typing::arrays_t<T> pswapaxes(const T& x, const AxisNames& axes, int64_t axis,
                              const typing::CollectiveOptions& o = {},
                              typing::Location at = typing::Location::here()) {
  return detail::each_leaf(x, [&](const Array& a) {
    return detail::exchange("pswapaxes", a, axes, axis, axis, {o.axis_index_groups}, at);
  });
}
// Sends x_source to lane `destination` for each pair {source, destination}: ppermute(x, "i", {{0,
// 1}, {1, 2}}). Lanes that are not a destination get zeros. Raises IndexError for lanes that do not
// exist, and for two pairs with the same source or the same destination. The transpose sends each
// value back. Source: jax.lax.ppermute, which under vmap takes whole permutations only.
template <class T>
typing::arrays_t<T> ppermute(const T& x, const AxisNames& axes, const typing::LanePairs& perm,
                             typing::Location at = typing::Location::here()) {
  return detail::each_leaf(
      x, [&](const Array& a) { return detail::permute("ppermute", a, axes, perm, at); });
}
// Gives lane l the value of lane perm[l]. Raises IndexError unless perm has each lane exactly once.
// Source: jax.lax.pshuffle.
template <class T>
typing::arrays_t<T> pshuffle(const T& x, const AxisNames& axes, const std::vector<int64_t>& perm,
                             typing::Location at = typing::Location::here()) {
  return detail::each_leaf(x, [&](const Array& a) { return detail::shuffle(a, axes, perm, at); });
}
// Gives all lanes the value of lane `source`. Raises IndexError for a lane that does not exist.
// Source: jax.lax.pbroadcast.
template <class T>
typing::arrays_t<T> pbroadcast(const T& x, const AxisNames& axes, int64_t source,
                               typing::Location at = typing::Location::here()) {
  return detail::each_leaf(x,
                           [&](const Array& a) { return detail::from_lane(a, axes, source, at); });
}
// Returns x unchanged and checks the names. In Weft every value may differ between lanes, so
// nothing has to be marked as varying. A derivative in a lane belongs to that lane only. JAX sums
// the cotangents of pvary over the lanes; write psum for that. Raises IndexError if `to` is not
// "varying": JAX's "reduced" and "unreduced" apply only to arrays that are partitioned over
// devices. Source: jax.lax.pcast.
template <class T>
typing::arrays_t<T> pcast(const T& x, const AxisNames& axes, const std::string& to,
                          typing::Location at = typing::Location::here()) {
  detail::need_varying(axes, to, at);
  return tree::detail::convert<typing::arrays_t<T>>(x);
}
// Returns pcast(x, axes, "varying"). Source: jax.lax.pvary.
template <class T>
typing::arrays_t<T> pvary(const T& x, const AxisNames& axes,
                          typing::Location at = typing::Location::here()) {
  detail::need_names("pvary", axes, at);
  return tree::detail::convert<typing::arrays_t<T>>(x);
}
// Exchanges rows between the lanes of a group, with a separate number of rows for each destination.
// Rows input_offsets[k] … input_offsets[k] + send_sizes[k] - 1 of operand (n, …) are sent to lane
// k. They are written to its output (m, …) from row output_offsets[k] on. It returns output with
// the received rows, at most recv_sizes[l] rows from lane l. Where rows of two lanes overlap, those
// of the later lane are kept.
//
// The offsets and sizes are integers (lanes); DTypeError or ShapeError otherwise. operand and
// output have one dtype and, except for the number of rows, one shape. Source:
// jax.lax.ragged_all_to_all.
Array ragged_all_to_all(const typing::Arg& operand, const typing::Arg& output,
                        const typing::Arg& input_offsets, const typing::Arg& send_sizes,
                        const typing::Arg& output_offsets, const typing::Arg& recv_sizes,
                        const AxisNames& axes, const typing::CollectiveOptions& o = {});
// Returns the number of this lane, i32[]. With several names the last one varies fastest. Source:
// jax.lax.axis_index.
Array axis_index(const AxisNames& axes, typing::Location at = typing::Location::here());
// Returns the number of lanes, known while tracing. Source: jax.lax.axis_size.
int64_t axis_size(const AxisNames& axes, typing::Location at = typing::Location::here());

namespace lax {
// The same as weft::all_gather. Source: jax.lax.all_gather.
using weft::all_gather;
// The same as weft::all_to_all. Source: jax.lax.all_to_all.
using weft::all_to_all;
// The same as weft::axis_index. Source: jax.lax.axis_index.
using weft::axis_index;
// The same as weft::axis_size. Source: jax.lax.axis_size.
using weft::axis_size;
// The same as weft::pbroadcast. Source: jax.lax.pbroadcast.
using weft::pbroadcast;
// The same as weft::pcast. Source: jax.lax.pcast.
using weft::pcast;
// The same as weft::pmax. Source: jax.lax.pmax.
using weft::pmax;
// The same as weft::pmean. Source: jax.lax.pmean.
using weft::pmean;
// The same as weft::pmin. Source: jax.lax.pmin.
using weft::pmin;
// The same as weft::ppermute. Source: jax.lax.ppermute.
using weft::ppermute;
// The same as weft::pshuffle. Source: jax.lax.pshuffle.
using weft::pshuffle;
// The same as weft::psum. Source: jax.lax.psum.
using weft::psum;
// The same as weft::psum_scatter. Source: jax.lax.psum_scatter.
using weft::psum_scatter;
// The same as weft::pswapaxes. Source: jax.lax.pswapaxes.
using weft::pswapaxes;
// The same as weft::pvary. Source: jax.lax.pvary.
using weft::pvary;
// The same as weft::ragged_all_to_all. Source: jax.lax.ragged_all_to_all.
using weft::ragged_all_to_all;
}  // namespace lax

}  // namespace weft
