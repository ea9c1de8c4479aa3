// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/collective.h: what lanes of a named map tell each other: psum, all_gather, ppermute, ….
//
// Inside vmap(f, in, out, {.axis_name = "i"}) lane l of f has the value x_l of x. All lanes take
// part, those of loops that have ended and of branches not taken too; of derivatives see psum. Each
// function takes an Array or a tree of them, of which it treats each.
//
// Errors of all of them: AxisNameError "unbound axis name 'i'" where no map of that name is being
// applied, and for a name given twice; BatchingError where that map has a chunk_size or a
// memory_budget, as lanes of one chunk cannot see those of another (axis_index and axis_size can).
// Of wrong axis_index_groups: IndexError unless each lane stands in them exactly once, ShapeError
// where all must have one size and have not.
#pragma once
#include <string>
#include <vector>

#include "weft/tracer/tree.h"

namespace weft {

namespace typing {
// The name of a mapped axis, or where sums and extremes take it, the position of an axis of x.
struct AxisName {
  std::string name;
  int64_t position = 0;  // if there is no name
  AxisName(const char* text) : name(text) {}
  AxisName(std::string text) : name(std::move(text)) {}
  template <ir::Integer I>
  AxisName(I axis) : position(static_cast<int64_t>(axis)) {}
};
}  // namespace typing
// One or several: "i", {"i", "j"}, {"i", 0}. The lanes of several names are numbered with the last
// name fastest.
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
// Numbers of lanes, {{0, 1}, {2, 3}}: only lanes of one group join each other. Each lane stands in
// one group; of several names the lanes are numbered with the last name fastest. {}: all lanes are
// one group.
using AxisIndexGroups = std::vector<std::vector<int64_t>>;

struct CollectiveOptions {
  // The groups within which lanes join each other; of one size where lanes give each other
  // something, as in pswapaxes.
  AxisIndexGroups axis_index_groups = {};
};
struct AllGatherOptions {
  AxisIndexGroups axis_index_groups = {};  // of one size
  int64_t axis = 0;                        // of the result, where the lanes stand
  bool tiled = false;                      // joined along an axis of x instead of a new one
};
struct PsumScatterOptions {
  int64_t scatter_dimension = 0;           // the axis of x that is dealt out
  AxisIndexGroups axis_index_groups = {};  // of one size
  bool tiled = false;  // each lane gets a block of the axis, which stays, instead of an entry
};
struct AllToAllOptions {
  AxisIndexGroups axis_index_groups = {};  // of one size
  bool tiled = false;                      // blocks of split_axis, joined along concat_axis
};
// {source, destination}
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
  return tree::map(f, tree::convert<typing::arrays_t<T>>(x));
}
}  // namespace detail

// The sum over the lanes l of x_l, elementwise: of x's shape and dtype, bools as I32; the same in
// all lanes (of a group). Positions are axes of x that are summed as well, and that the result has
// not: psum(x, {"i", 0}); not with groups (AxisNameError). A C++ number is counted without an
// equation: psum(1, "i") is the number of lanes, known while tracing. Its transpose is psum.
//
// In a branch of cond that lanes take or not, or a loop that they leave, the value is of all lanes,
// but its derivative in reverse is not: what would come back to a lane by a branch that it did not
// take is dropped, as in JAX (it is what keeps the infinities of such a branch out). In forward
// mode it is there, as in JAX's loops; JAX's branches drop it there, too. So it is for every other
// function here. Where other lanes count, choose values and not branches:
// where(pred, psum(x, "i"), y).
// Source: jax.lax.psum.
template <class T>
typing::arrays_t<T> psum(const T& x, const AxisNames& axes, const typing::CollectiveOptions& o = {},
                         typing::Location at = typing::Location::here()) {
  return detail::each_leaf(
      x, [&](const Array& a) { return detail::across(detail::Across::sum, a, axes, o, at); });
}
// psum by the number of values summed. Integers give F32, those of 64 bits F64, and are summed as
// such, as mean does; narrow floats are summed in F32. JAX sums first, so that small integers wrap
// and F16 overflows. In groups of different sizes each has the mean of its own, where JAX divides
// by the size of the first. Source: jax.lax.pmean.
template <class T>
typing::arrays_t<T> pmean(const T& x, const AxisNames& axes,
                          const typing::CollectiveOptions& o = {},
                          typing::Location at = typing::Location::here()) {
  return detail::each_leaf(
      x, [&](const Array& a) { return detail::across(detail::Across::mean, a, axes, o, at); });
}
// The largest x_l, elementwise, of x's dtype; NaN wins; else as psum. Lanes that share it share the
// derivative, which JAX has not. Source: jax.lax.pmax.
template <class T>
typing::arrays_t<T> pmax(const T& x, const AxisNames& axes, const typing::CollectiveOptions& o = {},
                         typing::Location at = typing::Location::here()) {
  return detail::each_leaf(
      x, [&](const Array& a) { return detail::across(detail::Across::max, a, axes, o, at); });
}
// The smallest x_l; as pmax. Source: jax.lax.pmin.
template <class T>
typing::arrays_t<T> pmin(const T& x, const AxisNames& axes, const typing::CollectiveOptions& o = {},
                         typing::Location at = typing::Location::here()) {
  return detail::each_leaf(
      x, [&](const Array& a) { return detail::across(detail::Across::min, a, axes, o, at); });
}
// All x_l of shape (…) along a new axis (…, lanes, …), the same in all lanes (of a group); tiled:
// one after another along an axis that x has, (…, n, …) -> (…, lanes n, …). IndexError for an axis
// out of range. Its transpose is psum_scatter. Source: jax.lax.all_gather.
template <class T>
typing::arrays_t<T> all_gather(const T& x, const AxisNames& axes,
                               const typing::AllGatherOptions& o = {},
                               typing::Location at = typing::Location::here()) {
  return detail::each_leaf(x, [&](const Array& a) { return detail::gather_lanes(a, axes, o, at); });
}
// psum, of which lane k (of its group) gets entry k of scatter_dimension: (…, lanes, …) -> (…), or
// tiled block k: (…, lanes n, …) -> (…, n, …). ShapeError if the axis has another size. Its
// transpose is all_gather. Source: jax.lax.psum_scatter.
template <class T>
typing::arrays_t<T> psum_scatter(const T& x, const AxisNames& axes,
                                 const typing::PsumScatterOptions& o = {},
                                 typing::Location at = typing::Location::here()) {
  return detail::each_leaf(x, [&](const Array& a) { return detail::scatter_sum(a, axes, o, at); });
}
// Entry k of split_axis goes to lane k (of the group), and what lane l sends here is entry l of a
// new axis, at concat_axis of a result without split_axis: of x's shape where both are one axis.
// Tiled: blocks instead of entries, joined along an axis that x has, (…, lanes n, …, m, …) -> (…,
// n, …, lanes m, …). ShapeError if the axis has another size, IndexError for axes out of range. Its
// transpose is all_to_all with the axes exchanged. Source: jax.lax.all_to_all.
template <class T>
typing::arrays_t<T> all_to_all(const T& x, const AxisNames& axes, int64_t split_axis,
                               int64_t concat_axis, const typing::AllToAllOptions& o = {},
                               typing::Location at = typing::Location::here()) {
  return detail::each_leaf(x, [&](const Array& a) {
    return detail::exchange("all_to_all", a, axes, split_axis, concat_axis, o, at);
  });
}
// The mapped axis changes places with an axis of x, which has as many entries:
// all_to_all(x, axes, axis, axis). Source: jax.lax.pswapaxes.
template <class T>
typing::arrays_t<T> pswapaxes(const T& x, const AxisNames& axes, int64_t axis,
                              const typing::CollectiveOptions& o = {},
                              typing::Location at = typing::Location::here()) {
  return detail::each_leaf(x, [&](const Array& a) {
    return detail::exchange("pswapaxes", a, axes, axis, axis, {o.axis_index_groups}, at);
  });
}
// x_source in lane `destination` for each pair {source, destination}, and zeros in lanes that are
// no destination: ppermute(x, "i", {{0, 1}, {1, 2}}). IndexError for lanes that there are not, and
// for two pairs with one source or one destination. Its transpose sends all back. Source:
// jax.lax.ppermute, which under vmap takes whole permutations only.
template <class T>
typing::arrays_t<T> ppermute(const T& x, const AxisNames& axes, const typing::LanePairs& perm,
                             typing::Location at = typing::Location::here()) {
  return detail::each_leaf(
      x, [&](const Array& a) { return detail::permute("ppermute", a, axes, perm, at); });
}
// In lane l x of lane perm[l]. IndexError unless perm has each lane once. Source:
// jax.lax.pshuffle.
template <class T>
typing::arrays_t<T> pshuffle(const T& x, const AxisNames& axes, const std::vector<int64_t>& perm,
                             typing::Location at = typing::Location::here()) {
  return detail::each_leaf(x, [&](const Array& a) { return detail::shuffle(a, axes, perm, at); });
}
// In all lanes x_source. IndexError for a lane that there is not. Source: jax.lax.pbroadcast.
template <class T>
typing::arrays_t<T> pbroadcast(const T& x, const AxisNames& axes, int64_t source,
                               typing::Location at = typing::Location::here()) {
  return detail::each_leaf(x,
                           [&](const Array& a) { return detail::from_lane(a, axes, source, at); });
}
// x itself. Here every value may differ between lanes, so that nothing has to be said of one that
// does not yet; the names are checked. A derivative in a lane is that lane's, where JAX sums what
// comes back through pvary: psum it. IndexError for a `to` other than "varying"; JAX's "reduced"
// and "unreduced" belong to arrays that are dealt out over devices. Source: jax.lax.pcast.
template <class T>
typing::arrays_t<T> pcast(const T& x, const AxisNames& axes, const std::string& to,
                          typing::Location at = typing::Location::here()) {
  detail::need_varying(axes, to, at);
  return tree::convert<typing::arrays_t<T>>(x);
}
// pcast(x, axes, "varying"). Source: jax.lax.pvary.
template <class T>
typing::arrays_t<T> pvary(const T& x, const AxisNames& axes,
                          typing::Location at = typing::Location::here()) {
  detail::need_names("pvary", axes, at);
  return tree::convert<typing::arrays_t<T>>(x);
}
// Rows between lanes (of a group), so many to each: rows input_offsets[k] … + send_sizes[k] - 1 of
// operand (n, …) go to lane k, to row output_offsets[k] of its output (m, …) and those behind it;
// gives output with what came, recv_sizes[l] rows at most from lane l. Where rows of two lanes
// meet, the later lane's stay. The four are integers (lanes) (DTypeError, ShapeError), operand and
// output of one dtype and but for their rows of one shape. Source: jax.lax.ragged_all_to_all.
Array ragged_all_to_all(const typing::Arg& operand, const typing::Arg& output,
                        const typing::Arg& input_offsets, const typing::Arg& send_sizes,
                        const typing::Arg& output_offsets, const typing::Arg& recv_sizes,
                        const AxisNames& axes, const typing::CollectiveOptions& o = {});
// The number of this lane, i32[]; of several names the last counts fastest. Source:
// jax.lax.axis_index.
Array axis_index(const AxisNames& axes, typing::Location at = typing::Location::here());
// The number of lanes, known while tracing. Source: jax.lax.axis_size.
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
