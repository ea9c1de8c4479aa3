// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/dtypes/dtypes.h: dtypes are given one way: {.dtype = F64} goes to all functions that
// take a dtype, and F64 alone where it is the last argument. eye(2, {.dtype = I32}), linspace(0, 1,
// 3, F64), sum(x, 0, F64), x.sum(F64).
#pragma once
#include "weft/functions/numpy/apply/apply.h"
#include "weft/functions/numpy/create.h"
#include "weft/functions/numpy/reduce.h"

namespace weft {

namespace typing {
// The dtype by its name, for functions without other options.
//
//     eye(2, {.dtype = I32})  // array([[1, 0], [0, 1]], dtype=int32)
struct DTypeOption {
  detail::Designated by_name{detail::ByName::tag};
  std::optional<DType> dtype = {};  // default: as without options
};
// The same of zeros_like and its kind.
struct LikeOptions {
  detail::Designated by_name{detail::ByName::tag};
  std::optional<DType> dtype = {};  // default: that of x
  std::optional<Shape> shape = {};  // default: that of x
};
}  // namespace typing

// All are templates, instantiated in dtypes.cpp: of two functions that take {} compilers choose
// the other, and a dtype is not deduced from {}.
template <class = void>
Array zeros(const Shape& shape, const typing::DTypeOption& o,
            typing::Location at = typing::Location::here());
template <class = void>
Array ones(const Shape& shape, const typing::DTypeOption& o,
           typing::Location at = typing::Location::here());
template <class = void>
Array empty(const Shape& shape, const typing::DTypeOption& o,
            typing::Location at = typing::Location::here());
template <class = void>
Array zeros_like(const typing::Arg& x, const typing::LikeOptions& o);
template <class = void>
Array ones_like(const typing::Arg& x, const typing::LikeOptions& o);
template <class = void>
Array empty_like(const typing::Arg& x, const typing::LikeOptions& o);
template <class = void>
Array full(const Shape& shape, const typing::Arg& value, const typing::DTypeOption& o);
template <class = void>
Array full_like(const typing::Arg& x, const typing::Arg& value, const typing::LikeOptions& o);
template <class = void>
Array asarray(const typing::Arg& x, const typing::DTypeOption& o);
template <class = void>
Array asarray(std::initializer_list<typing::Nested> x, const typing::DTypeOption& o,
              typing::Location at = typing::Location::here());
template <class R, std::same_as<typing::DTypeOption> O = typing::DTypeOption>
  requires(!std::convertible_to<const R&, typing::Arg>)
Array asarray(const R& x, const O& o, typing::Location at = typing::Location::here()) {
  return asarray(x, o.dtype, at);
}
// Of numbers in memory with a shape.
template <class R, std::same_as<typing::DTypeOption> O = typing::DTypeOption>
  requires(!std::convertible_to<const R&, typing::Nested>)
Array array(const R& x, const Shape& shape, const O& o,
            typing::Location at = typing::Location::here()) {
  return array(x, shape, o.dtype, at);
}
template <class = void>
Array arange(const typing::Arg& stop, const typing::DTypeOption& o);
template <class = void>
Array arange(const typing::Arg& start, const typing::Arg& stop, const typing::DTypeOption& o);
template <class = void>
Array arange(const typing::Arg& start, const typing::Arg& stop, const typing::Arg& step,
             const typing::DTypeOption& o);
template <detail::PlainDType D>
Array arange(const typing::Arg& start, const typing::Arg& stop, D dtype);
template <class = void>
Array linspace(const typing::Arg& start, const typing::Arg& stop, const typing::LinspaceOptions& o);
template <detail::PlainDType D>
Array linspace(const typing::Arg& start, const typing::Arg& stop, D dtype);
template <detail::PlainDType D>
Array linspace(const typing::Arg& start, const typing::Arg& stop, int64_t num, D dtype);
template <class = void>
Array geomspace(const typing::Arg& start, const typing::Arg& stop,
                const typing::LinspaceOptions& o);
template <detail::PlainDType D>
Array geomspace(const typing::Arg& start, const typing::Arg& stop, D dtype);
template <detail::PlainDType D>
Array geomspace(const typing::Arg& start, const typing::Arg& stop, int64_t num, D dtype);
template <class = void>
Array logspace(const typing::Arg& start, const typing::Arg& stop, const typing::LinspaceOptions& o);
template <detail::PlainDType D>
Array logspace(const typing::Arg& start, const typing::Arg& stop, D dtype);
template <class = void>
Array logspace(const typing::Arg& start, const typing::Arg& stop, int64_t num,
               const typing::LinspaceOptions& o);
template <detail::PlainDType D>
Array logspace(const typing::Arg& start, const typing::Arg& stop, int64_t num, D dtype);
template <detail::PlainDType D>
Array logspace(const typing::Arg& start, const typing::Arg& stop, int64_t num,
               const typing::Arg& base, D dtype);
// 0, 1, …, n - 1.
template <class = void>
Array iota(int64_t n, const typing::DTypeOption& o, typing::Location at = typing::Location::here());
template <detail::PlainDType D>
Array iota(int64_t n, D dtype, typing::Location at = typing::Location::here());
template <class = void>
Array eye(int64_t n, const typing::DTypeOption& o, typing::Location at = typing::Location::here());
template <class = void>
Array eye(int64_t n, std::optional<int64_t> m, const typing::DTypeOption& o,
          typing::Location at = typing::Location::here());
template <class = void>
Array eye(int64_t n, std::optional<int64_t> m, int64_t k, const typing::DTypeOption& o,
          typing::Location at = typing::Location::here());
template <detail::PlainDType D>
Array eye(int64_t n, D dtype, typing::Location at = typing::Location::here());
template <detail::PlainDType D>
Array eye(int64_t n, std::optional<int64_t> m, D dtype,
          typing::Location at = typing::Location::here());
template <class = void>
Array tri(int64_t n, const typing::DTypeOption& o, typing::Location at = typing::Location::here());
template <class = void>
Array tri(int64_t n, std::optional<int64_t> m, const typing::DTypeOption& o,
          typing::Location at = typing::Location::here());
template <class = void>
Array tri(int64_t n, std::optional<int64_t> m, int64_t k, const typing::DTypeOption& o,
          typing::Location at = typing::Location::here());
template <detail::PlainDType D>
Array tri(int64_t n, D dtype, typing::Location at = typing::Location::here());
template <detail::PlainDType D>
Array tri(int64_t n, std::optional<int64_t> m, D dtype,
          typing::Location at = typing::Location::here());
template <class = void>
Array identity(int64_t n, const typing::DTypeOption& o,
               typing::Location at = typing::Location::here());
template <class = void>
Array indices(const Shape& shape, const typing::DTypeOption& o,
              typing::Location at = typing::Location::here());
template <class = void>
Arrays sparse_indices(const Shape& shape, const typing::DTypeOption& o,
                      typing::Location at = typing::Location::here());
template <class F>
Array fromfunction(F f, const Shape& shape, const typing::DTypeOption& o,
                   typing::Location at = typing::Location::here()) {
  return fromfunction(std::move(f), shape, o.dtype.value_or(F32), at);
}
template <class = void>
Array vstack(const Arrays& x, const typing::DTypeOption& o,
             typing::Location at = typing::Location::here());
template <class = void>
Array hstack(const Arrays& x, const typing::DTypeOption& o,
             typing::Location at = typing::Location::here());
template <class = void>
Array dstack(const Arrays& x, const typing::DTypeOption& o,
             typing::Location at = typing::Location::here());
template <class = void>
Array concatenate(const Arrays& x, const typing::DTypeOption& o,
                  typing::Location at = typing::Location::here());
template <class = void>
Array concatenate(const Arrays& x, typing::OneAxis axis, const typing::DTypeOption& o,
                  typing::Location at = typing::Location::here());
template <detail::PlainDType D>
Array concatenate(const Arrays& x, D dtype, typing::Location at = typing::Location::here());
template <class = void>
Array stack(const Arrays& x, const typing::DTypeOption& o,
            typing::Location at = typing::Location::here());
template <class = void>
Array stack(const Arrays& x, int64_t axis, const typing::DTypeOption& o,
            typing::Location at = typing::Location::here());
template <detail::PlainDType D>
Array stack(const Arrays& x, D dtype, typing::Location at = typing::Location::here());
template <class = void>
Array trace(const typing::Arg& x, const typing::DTypeOption& o);
template <class = void>
Array trace(const typing::Arg& x, int64_t offset, const typing::DTypeOption& o);
template <class = void>
Array trace(const typing::Arg& x, int64_t offset, int64_t axis1, int64_t axis2,
            const typing::DTypeOption& o);
template <detail::PlainDType D>
Array trace(const typing::Arg& x, D dtype);

// Folds: of all axes, or of x flattened, and of these.
template <detail::PlainDType D>
Array sum(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array sum(const typing::Arg& x, D dtype);
template <detail::PlainDType D>
Array prod(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array prod(const typing::Arg& x, D dtype);
template <detail::PlainDType D>
Array mean(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array mean(const typing::Arg& x, D dtype);
template <detail::PlainDType D>
Array nansum(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nansum(const typing::Arg& x, D dtype);
template <class = void>
Array nansum(const typing::Arg& x, const typing::ReduceOptions& o);
template <detail::PlainDType D>
Array nanprod(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nanprod(const typing::Arg& x, D dtype);
template <class = void>
Array nanprod(const typing::Arg& x, const typing::ReduceOptions& o);
template <detail::PlainDType D>
Array nanmean(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nanmean(const typing::Arg& x, D dtype);
template <class = void>
Array nanmean(const typing::Arg& x, const typing::ReduceOptions& o);
template <detail::PlainDType D>
Array var(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array var(const typing::Arg& x, D dtype);
template <class = void>
Array var(const typing::Arg& x, const typing::VarOptions& o);
template <detail::PlainDType D>
Array nanvar(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nanvar(const typing::Arg& x, D dtype);
template <class = void>
Array nanvar(const typing::Arg& x, const typing::VarOptions& o);
template <detail::PlainDType D>
Array nanstd(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nanstd(const typing::Arg& x, D dtype);
template <class = void>
Array nanstd(const typing::Arg& x, const typing::VarOptions& o);
template <detail::PlainDType D>
Array cumsum(const typing::Arg& x, typing::OneAxis axis, D dtype);
template <detail::PlainDType D>
Array cumsum(const typing::Arg& x, D dtype);
template <class = void>
Array cumsum(const typing::Arg& x, const typing::CumulativeOptions& o);
template <detail::PlainDType D>
Array cumprod(const typing::Arg& x, typing::OneAxis axis, D dtype);
template <detail::PlainDType D>
Array cumprod(const typing::Arg& x, D dtype);
template <class = void>
Array cumprod(const typing::Arg& x, const typing::CumulativeOptions& o);
template <detail::PlainDType D>
Array nancumsum(const typing::Arg& x, typing::OneAxis axis, D dtype);
template <detail::PlainDType D>
Array nancumsum(const typing::Arg& x, D dtype);
template <class = void>
Array nancumsum(const typing::Arg& x, const typing::CumulativeOptions& o);
template <detail::PlainDType D>
Array nancumprod(const typing::Arg& x, typing::OneAxis axis, D dtype);
template <detail::PlainDType D>
Array nancumprod(const typing::Arg& x, D dtype);
template <class = void>
Array nancumprod(const typing::Arg& x, const typing::CumulativeOptions& o);
template <detail::PlainDType D>
Array argsort(const typing::Arg& x, const typing::AxisList& axis, D dtype);

namespace lax {
template <class = void>
Array empty(const Shape& shape, const typing::DTypeOption& o,
            typing::Location at = typing::Location::here());
template <class = void>
Array full(const Shape& shape, const typing::Arg& value, const typing::DTypeOption& o);
template <class = void>
Array full_like(const typing::Arg& x, const typing::Arg& value, const typing::DTypeOption& o);
}  // namespace lax
namespace nn {
template <weft::detail::PlainDType D>
Array one_hot(const typing::Arg& x, int64_t num_classes, D dtype);
}  // namespace nn

}  // namespace weft
