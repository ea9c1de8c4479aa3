// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/dtypes.cpp: overloads that take only a dtype or only options. They call the
// functions with all arguments. docs/decisions/0060 explains why they are overloads.
#include "core/ir.h"
#include "weft/lax.h"
#include "weft/lax/compound.h"
#include "weft/nn.h"
#include "weft/numpy/apply.h"
#include "weft/numpy/create.h"
#include "weft/numpy/grid.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/numpy/sort.h"

namespace weft {

template <class>
Array zeros(const Shape& shape, const typing::DTypeOption& o, typing::Location at) {
  return zeros(shape, o.dtype.value_or(F32), at);
}
template Array zeros<void>(const Shape&, const typing::DTypeOption&, typing::Location);
template <class>
Array ones(const Shape& shape, const typing::DTypeOption& o, typing::Location at) {
  return ones(shape, o.dtype.value_or(F32), at);
}
template Array ones<void>(const Shape&, const typing::DTypeOption&, typing::Location);
template <class>
Array empty(const Shape& shape, const typing::DTypeOption& o, typing::Location at) {
  return empty(shape, o.dtype.value_or(F32), at);
}
template Array empty<void>(const Shape&, const typing::DTypeOption&, typing::Location);
template <class>
Array zeros_like(const typing::Arg& x, const typing::LikeOptions& o) {
  return zeros_like(x, o.dtype, o.shape);
}
template Array zeros_like<void>(const typing::Arg&, const typing::LikeOptions&);
template <class>
Array ones_like(const typing::Arg& x, const typing::LikeOptions& o) {
  return ones_like(x, o.dtype, o.shape);
}
template Array ones_like<void>(const typing::Arg&, const typing::LikeOptions&);
template <class>
Array empty_like(const typing::Arg& x, const typing::LikeOptions& o) {
  return empty_like(x, o.dtype, o.shape);
}
template Array empty_like<void>(const typing::Arg&, const typing::LikeOptions&);
template <class>
Array full(const Shape& shape, const typing::Arg& value, const typing::DTypeOption& o) {
  return full(shape, value, o.dtype);
}
template Array full<void>(const Shape&, const typing::Arg&, const typing::DTypeOption&);
template <class>
Array full_like(const typing::Arg& x, const typing::Arg& value, const typing::LikeOptions& o) {
  return full_like(x, value, o.dtype, o.shape);
}
template Array full_like<void>(const typing::Arg&, const typing::Arg&, const typing::LikeOptions&);
template <class>
Array asarray(const typing::Arg& x, const typing::DTypeOption& o) {
  return asarray(x, o.dtype);
}
template Array asarray<void>(const typing::Arg&, const typing::DTypeOption&);
template <class>
Array asarray(std::initializer_list<typing::Nested> x, const typing::DTypeOption& o,
              typing::Location at) {
  return asarray(x, o.dtype, at);
}
template Array asarray<void>(std::initializer_list<typing::Nested>, const typing::DTypeOption&,
                             typing::Location);
template <class>
Array arange(const typing::Arg& stop, const typing::DTypeOption& o) {
  return arange(stop, o.dtype);
}
template Array arange<void>(const typing::Arg&, const typing::DTypeOption&);
template <class>
Array arange(const typing::Arg& start, const typing::Arg& stop, const typing::DTypeOption& o) {
  return arange(start, stop, 1, o.dtype);
}
template Array arange<void>(const typing::Arg&, const typing::Arg&, const typing::DTypeOption&);
template <class>
Array arange(const typing::Arg& start, const typing::Arg& stop, const typing::Arg& step,
             const typing::DTypeOption& o) {
  return arange(start, stop, step, o.dtype);
}
template Array arange<void>(const typing::Arg&, const typing::Arg&, const typing::Arg&,
                            const typing::DTypeOption&);
template <detail::PlainDType D>
Array arange(const typing::Arg& start, const typing::Arg& stop, D dtype) {
  return arange(start, stop, 1, dtype);
}
template Array arange<DType>(const typing::Arg&, const typing::Arg&, DType);
template <class>
Array linspace(const typing::Arg& start, const typing::Arg& stop,
               const typing::LinspaceOptions& o) {
  return linspace(start, stop, 50, o);
}
template Array linspace<void>(const typing::Arg&, const typing::Arg&,
                              const typing::LinspaceOptions&);
template <detail::PlainDType D>
Array linspace(const typing::Arg& start, const typing::Arg& stop, D dtype) {
  return linspace(start, stop, 50, typing::LinspaceOptions{.dtype = dtype});
}
template Array linspace<DType>(const typing::Arg&, const typing::Arg&, DType);
template <detail::PlainDType D>
Array linspace(const typing::Arg& start, const typing::Arg& stop, int64_t num, D dtype) {
  return linspace(start, stop, num, typing::LinspaceOptions{.dtype = dtype});
}
template Array linspace<DType>(const typing::Arg&, const typing::Arg&, int64_t, DType);
template <class>
Array geomspace(const typing::Arg& start, const typing::Arg& stop,
                const typing::LinspaceOptions& o) {
  return geomspace(start, stop, 50, o);
}
template Array geomspace<void>(const typing::Arg&, const typing::Arg&,
                               const typing::LinspaceOptions&);
template <detail::PlainDType D>
Array geomspace(const typing::Arg& start, const typing::Arg& stop, D dtype) {
  return geomspace(start, stop, 50, typing::LinspaceOptions{.dtype = dtype});
}
template Array geomspace<DType>(const typing::Arg&, const typing::Arg&, DType);
template <detail::PlainDType D>
Array geomspace(const typing::Arg& start, const typing::Arg& stop, int64_t num, D dtype) {
  return geomspace(start, stop, num, typing::LinspaceOptions{.dtype = dtype});
}
template Array geomspace<DType>(const typing::Arg&, const typing::Arg&, int64_t, DType);
template <class>
Array logspace(const typing::Arg& start, const typing::Arg& stop,
               const typing::LinspaceOptions& o) {
  return logspace(start, stop, 50, o);
}
template Array logspace<void>(const typing::Arg&, const typing::Arg&,
                              const typing::LinspaceOptions&);
template <detail::PlainDType D>
Array logspace(const typing::Arg& start, const typing::Arg& stop, D dtype) {
  return logspace(start, stop, 50, typing::LinspaceOptions{.dtype = dtype});
}
template Array logspace<DType>(const typing::Arg&, const typing::Arg&, DType);
template <class>
Array logspace(const typing::Arg& start, const typing::Arg& stop, int64_t num,
               const typing::LinspaceOptions& o) {
  return logspace(start, stop, num, 10, o);
}
template Array logspace<void>(const typing::Arg&, const typing::Arg&, int64_t,
                              const typing::LinspaceOptions&);
template <detail::PlainDType D>
Array logspace(const typing::Arg& start, const typing::Arg& stop, int64_t num, D dtype) {
  return logspace(start, stop, num, 10, typing::LinspaceOptions{.dtype = dtype});
}
template Array logspace<DType>(const typing::Arg&, const typing::Arg&, int64_t, DType);
template <detail::PlainDType D>
Array logspace(const typing::Arg& start, const typing::Arg& stop, int64_t num,
               const typing::Arg& base, D dtype) {
  return logspace(start, stop, num, base, typing::LinspaceOptions{.dtype = dtype});
}
template Array logspace<DType>(const typing::Arg&, const typing::Arg&, int64_t, const typing::Arg&,
                               DType);
template <class>
Array iota(int64_t n, const typing::DTypeOption& o, typing::Location at) {
  return iota(o.dtype.value_or(I32), n, at);
}
template Array iota<void>(int64_t, const typing::DTypeOption&, typing::Location);
template <detail::PlainDType D>
Array iota(int64_t n, D dtype, typing::Location at) {
  return iota(dtype, n, at);
}
template Array iota<DType>(int64_t, DType, typing::Location);
template <class>
Array eye(int64_t n, const typing::DTypeOption& o, typing::Location at) {
  return eye(n, {}, 0, o.dtype.value_or(F32), at);
}
template Array eye<void>(int64_t, const typing::DTypeOption&, typing::Location);
template <class>
Array eye(int64_t n, std::optional<int64_t> m, const typing::DTypeOption& o, typing::Location at) {
  return eye(n, m, 0, o.dtype.value_or(F32), at);
}
template Array eye<void>(int64_t, std::optional<int64_t>, const typing::DTypeOption&,
                         typing::Location);
template <class>
Array eye(int64_t n, std::optional<int64_t> m, int64_t k, const typing::DTypeOption& o,
          typing::Location at) {
  return eye(n, m, k, o.dtype.value_or(F32), at);
}
template Array eye<void>(int64_t, std::optional<int64_t>, int64_t, const typing::DTypeOption&,
                         typing::Location);
template <detail::PlainDType D>
Array eye(int64_t n, D dtype, typing::Location at) {
  return eye(n, {}, 0, dtype, at);
}
template Array eye<DType>(int64_t, DType, typing::Location);
template <detail::PlainDType D>
Array eye(int64_t n, std::optional<int64_t> m, D dtype, typing::Location at) {
  return eye(n, m, 0, dtype, at);
}
template Array eye<DType>(int64_t, std::optional<int64_t>, DType, typing::Location);
template <class>
Array tri(int64_t n, const typing::DTypeOption& o, typing::Location at) {
  return tri(n, {}, 0, o.dtype.value_or(F32), at);
}
template Array tri<void>(int64_t, const typing::DTypeOption&, typing::Location);
template <class>
Array tri(int64_t n, std::optional<int64_t> m, const typing::DTypeOption& o, typing::Location at) {
  return tri(n, m, 0, o.dtype.value_or(F32), at);
}
template Array tri<void>(int64_t, std::optional<int64_t>, const typing::DTypeOption&,
                         typing::Location);
template <class>
Array tri(int64_t n, std::optional<int64_t> m, int64_t k, const typing::DTypeOption& o,
          typing::Location at) {
  return tri(n, m, k, o.dtype.value_or(F32), at);
}
template Array tri<void>(int64_t, std::optional<int64_t>, int64_t, const typing::DTypeOption&,
                         typing::Location);
template <detail::PlainDType D>
Array tri(int64_t n, D dtype, typing::Location at) {
  return tri(n, {}, 0, dtype, at);
}
template Array tri<DType>(int64_t, DType, typing::Location);
template <detail::PlainDType D>
Array tri(int64_t n, std::optional<int64_t> m, D dtype, typing::Location at) {
  return tri(n, m, 0, dtype, at);
}
template Array tri<DType>(int64_t, std::optional<int64_t>, DType, typing::Location);
template <class>
Array identity(int64_t n, const typing::DTypeOption& o, typing::Location at) {
  return identity(n, o.dtype.value_or(F32), at);
}
template Array identity<void>(int64_t, const typing::DTypeOption&, typing::Location);
template <class>
Array indices(const Shape& shape, const typing::DTypeOption& o, typing::Location at) {
  return indices(shape, o.dtype.value_or(I32), at);
}
template Array indices<void>(const Shape&, const typing::DTypeOption&, typing::Location);
template <class>
Arrays sparse_indices(const Shape& shape, const typing::DTypeOption& o, typing::Location at) {
  return sparse_indices(shape, o.dtype.value_or(I32), at);
}
template Arrays sparse_indices<void>(const Shape&, const typing::DTypeOption&, typing::Location);
template <class>
Array vstack(const Arrays& x, const typing::DTypeOption& o, typing::Location at) {
  return vstack(x, o.dtype, at);
}
template Array vstack<void>(const Arrays&, const typing::DTypeOption&, typing::Location);
template <class>
Array hstack(const Arrays& x, const typing::DTypeOption& o, typing::Location at) {
  return hstack(x, o.dtype, at);
}
template Array hstack<void>(const Arrays&, const typing::DTypeOption&, typing::Location);
template <class>
Array dstack(const Arrays& x, const typing::DTypeOption& o, typing::Location at) {
  return dstack(x, o.dtype, at);
}
template Array dstack<void>(const Arrays&, const typing::DTypeOption&, typing::Location);
template <class>
Array concatenate(const Arrays& x, const typing::DTypeOption& o, typing::Location at) {
  return concatenate(x, 0, o.dtype, at);
}
template Array concatenate<void>(const Arrays&, const typing::DTypeOption&, typing::Location);
template <class>
Array concatenate(const Arrays& x, typing::OneAxis axis, const typing::DTypeOption& o,
                  typing::Location at) {
  return concatenate(x, axis, o.dtype, at);
}
template Array concatenate<void>(const Arrays&, typing::OneAxis, const typing::DTypeOption&,
                                 typing::Location);
template <detail::PlainDType D>
Array concatenate(const Arrays& x, D dtype, typing::Location at) {
  return concatenate(x, 0, dtype, at);
}
template Array concatenate<DType>(const Arrays&, DType, typing::Location);
template <class>
Array stack(const Arrays& x, const typing::DTypeOption& o, typing::Location at) {
  return stack(x, 0, o.dtype, at);
}
template Array stack<void>(const Arrays&, const typing::DTypeOption&, typing::Location);
template <class>
Array stack(const Arrays& x, int64_t axis, const typing::DTypeOption& o, typing::Location at) {
  return stack(x, axis, o.dtype, at);
}
template Array stack<void>(const Arrays&, int64_t, const typing::DTypeOption&, typing::Location);
template <detail::PlainDType D>
Array stack(const Arrays& x, D dtype, typing::Location at) {
  return stack(x, 0, dtype, at);
}
template Array stack<DType>(const Arrays&, DType, typing::Location);
template <class>
Array trace(const typing::Arg& x, const typing::DTypeOption& o) {
  return trace(x, 0, 0, 1, o.dtype);
}
template Array trace<void>(const typing::Arg&, const typing::DTypeOption&);
template <class>
Array trace(const typing::Arg& x, int64_t offset, const typing::DTypeOption& o) {
  return trace(x, offset, 0, 1, o.dtype);
}
template Array trace<void>(const typing::Arg&, int64_t, const typing::DTypeOption&);
template <class>
Array trace(const typing::Arg& x, int64_t offset, int64_t axis1, int64_t axis2,
            const typing::DTypeOption& o) {
  return trace(x, offset, axis1, axis2, o.dtype);
}
template Array trace<void>(const typing::Arg&, int64_t, int64_t, int64_t,
                           const typing::DTypeOption&);
template <detail::PlainDType D>
Array trace(const typing::Arg& x, D dtype) {
  return trace(x, 0, 0, 1, dtype);
}
template Array trace<DType>(const typing::Arg&, DType);

template <detail::PlainDType D>
Array sum(const typing::Arg& x, const typing::AxisList& axis, D dtype) {
  return sum(x, axis, typing::ReduceOptions{.dtype = dtype});
}
template Array sum<DType>(const typing::Arg&, const typing::AxisList&, DType);
template <detail::PlainDType D>
Array sum(const typing::Arg& x, D dtype) {
  return sum(x, {none, x.at()}, typing::ReduceOptions{.dtype = dtype});
}
template Array sum<DType>(const typing::Arg&, DType);
template <detail::PlainDType D>
Array prod(const typing::Arg& x, const typing::AxisList& axis, D dtype) {
  return prod(x, axis, typing::ReduceOptions{.dtype = dtype});
}
template Array prod<DType>(const typing::Arg&, const typing::AxisList&, DType);
template <detail::PlainDType D>
Array prod(const typing::Arg& x, D dtype) {
  return prod(x, {none, x.at()}, typing::ReduceOptions{.dtype = dtype});
}
template Array prod<DType>(const typing::Arg&, DType);
template <detail::PlainDType D>
Array mean(const typing::Arg& x, const typing::AxisList& axis, D dtype) {
  return mean(x, axis, typing::ReduceOptions{.dtype = dtype});
}
template Array mean<DType>(const typing::Arg&, const typing::AxisList&, DType);
template <detail::PlainDType D>
Array mean(const typing::Arg& x, D dtype) {
  return mean(x, {none, x.at()}, typing::ReduceOptions{.dtype = dtype});
}
template Array mean<DType>(const typing::Arg&, DType);
template <detail::PlainDType D>
Array nansum(const typing::Arg& x, const typing::AxisList& axis, D dtype) {
  return nansum(x, axis, typing::ReduceOptions{.dtype = dtype});
}
template Array nansum<DType>(const typing::Arg&, const typing::AxisList&, DType);
template <detail::PlainDType D>
Array nansum(const typing::Arg& x, D dtype) {
  return nansum(x, {none, x.at()}, typing::ReduceOptions{.dtype = dtype});
}
template Array nansum<DType>(const typing::Arg&, DType);
template <detail::PlainDType D>
Array nanprod(const typing::Arg& x, const typing::AxisList& axis, D dtype) {
  return nanprod(x, axis, typing::ReduceOptions{.dtype = dtype});
}
template Array nanprod<DType>(const typing::Arg&, const typing::AxisList&, DType);
template <detail::PlainDType D>
Array nanprod(const typing::Arg& x, D dtype) {
  return nanprod(x, {none, x.at()}, typing::ReduceOptions{.dtype = dtype});
}
template Array nanprod<DType>(const typing::Arg&, DType);
template <detail::PlainDType D>
Array nanmean(const typing::Arg& x, const typing::AxisList& axis, D dtype) {
  return nanmean(x, axis, typing::ReduceOptions{.dtype = dtype});
}
template Array nanmean<DType>(const typing::Arg&, const typing::AxisList&, DType);
template <detail::PlainDType D>
Array nanmean(const typing::Arg& x, D dtype) {
  return nanmean(x, {none, x.at()}, typing::ReduceOptions{.dtype = dtype});
}
template Array nanmean<DType>(const typing::Arg&, DType);
template <detail::PlainDType D>
Array var(const typing::Arg& x, const typing::AxisList& axis, D dtype) {
  return var(x, axis, typing::VarOptions{.dtype = dtype});
}
template Array var<DType>(const typing::Arg&, const typing::AxisList&, DType);
template <detail::PlainDType D>
Array var(const typing::Arg& x, D dtype) {
  return var(x, {none, x.at()}, typing::VarOptions{.dtype = dtype});
}
template Array var<DType>(const typing::Arg&, DType);
template <detail::PlainDType D>
Array std(const typing::Arg& x, const typing::AxisList& axis, D dtype) {
  return std(x, axis, typing::VarOptions{.dtype = dtype});
}
template Array std<DType>(const typing::Arg&, const typing::AxisList&, DType);
template <detail::PlainDType D>
Array std(const typing::Arg& x, D dtype) {
  return std(x, typing::VarOptions{.dtype = dtype});
}
template Array std<DType>(const typing::Arg&, DType);
template <detail::PlainDType D>
Array nanvar(const typing::Arg& x, const typing::AxisList& axis, D dtype) {
  return nanvar(x, axis, typing::VarOptions{.dtype = dtype});
}
template Array nanvar<DType>(const typing::Arg&, const typing::AxisList&, DType);
template <detail::PlainDType D>
Array nanvar(const typing::Arg& x, D dtype) {
  return nanvar(x, {none, x.at()}, typing::VarOptions{.dtype = dtype});
}
template Array nanvar<DType>(const typing::Arg&, DType);
template <detail::PlainDType D>
Array nanstd(const typing::Arg& x, const typing::AxisList& axis, D dtype) {
  return nanstd(x, axis, typing::VarOptions{.dtype = dtype});
}
template Array nanstd<DType>(const typing::Arg&, const typing::AxisList&, DType);
template <detail::PlainDType D>
Array nanstd(const typing::Arg& x, D dtype) {
  return nanstd(x, {none, x.at()}, typing::VarOptions{.dtype = dtype});
}
template Array nanstd<DType>(const typing::Arg&, DType);
template <detail::PlainDType D>
Array cumsum(const typing::Arg& x, typing::OneAxis axis, D dtype) {
  return cumsum(x, axis, typing::CumulativeOptions{.dtype = dtype});
}
template Array cumsum<DType>(const typing::Arg&, typing::OneAxis, DType);
template <detail::PlainDType D>
Array cumsum(const typing::Arg& x, D dtype) {
  return cumsum(x, none, typing::CumulativeOptions{.dtype = dtype});
}
template Array cumsum<DType>(const typing::Arg&, DType);
template <class>
Array cumsum(const typing::Arg& x, const typing::CumulativeOptions& o) {
  return cumsum(x, none, o);
}
template Array cumsum<void>(const typing::Arg&, const typing::CumulativeOptions&);
template <detail::PlainDType D>
Array cumprod(const typing::Arg& x, typing::OneAxis axis, D dtype) {
  return cumprod(x, axis, typing::CumulativeOptions{.dtype = dtype});
}
template Array cumprod<DType>(const typing::Arg&, typing::OneAxis, DType);
template <detail::PlainDType D>
Array cumprod(const typing::Arg& x, D dtype) {
  return cumprod(x, none, typing::CumulativeOptions{.dtype = dtype});
}
template Array cumprod<DType>(const typing::Arg&, DType);
template <class>
Array cumprod(const typing::Arg& x, const typing::CumulativeOptions& o) {
  return cumprod(x, none, o);
}
template Array cumprod<void>(const typing::Arg&, const typing::CumulativeOptions&);
template <detail::PlainDType D>
Array nancumsum(const typing::Arg& x, typing::OneAxis axis, D dtype) {
  return nancumsum(x, axis, typing::CumulativeOptions{.dtype = dtype});
}
template Array nancumsum<DType>(const typing::Arg&, typing::OneAxis, DType);
template <detail::PlainDType D>
Array nancumsum(const typing::Arg& x, D dtype) {
  return nancumsum(x, none, typing::CumulativeOptions{.dtype = dtype});
}
template Array nancumsum<DType>(const typing::Arg&, DType);
template <class>
Array nancumsum(const typing::Arg& x, const typing::CumulativeOptions& o) {
  return nancumsum(x, none, o);
}
template Array nancumsum<void>(const typing::Arg&, const typing::CumulativeOptions&);
template <detail::PlainDType D>
Array nancumprod(const typing::Arg& x, typing::OneAxis axis, D dtype) {
  return nancumprod(x, axis, typing::CumulativeOptions{.dtype = dtype});
}
template Array nancumprod<DType>(const typing::Arg&, typing::OneAxis, DType);
template <detail::PlainDType D>
Array nancumprod(const typing::Arg& x, D dtype) {
  return nancumprod(x, none, typing::CumulativeOptions{.dtype = dtype});
}
template Array nancumprod<DType>(const typing::Arg&, DType);
template <class>
Array nancumprod(const typing::Arg& x, const typing::CumulativeOptions& o) {
  return nancumprod(x, none, o);
}
template Array nancumprod<void>(const typing::Arg&, const typing::CumulativeOptions&);
template <detail::PlainDType D>
Array argsort(const typing::Arg& x, const typing::AxisList& axis, D dtype) {
  return argsort(x, axis, typing::ArgsortOptions{.dtype = dtype});
}
template Array argsort<DType>(const typing::Arg&, const typing::AxisList&, DType);

template <std::same_as<DType> D>
Array Array::sum(typing::AxisList axis, D d) const {
  return sum(std::move(axis), typing::ReduceOptions{.dtype = d});
}
template Array Array::sum<DType>(typing::AxisList, DType) const;
template <std::same_as<DType> D>
Array Array::sum(D d, typing::Location at) const {
  return sum(typing::AxisList(none, at), typing::ReduceOptions{.dtype = d});
}
template Array Array::sum<DType>(DType, typing::Location) const;
template <std::same_as<DType> D>
Array Array::mean(typing::AxisList axis, D d) const {
  return mean(std::move(axis), typing::ReduceOptions{.dtype = d});
}
template Array Array::mean<DType>(typing::AxisList, DType) const;
template <std::same_as<DType> D>
Array Array::mean(D d, typing::Location at) const {
  return mean(typing::AxisList(none, at), typing::ReduceOptions{.dtype = d});
}
template Array Array::mean<DType>(DType, typing::Location) const;
template <std::same_as<DType> D>
Array Array::prod(typing::AxisList axis, D d) const {
  return prod(std::move(axis), typing::ReduceOptions{.dtype = d});
}
template Array Array::prod<DType>(typing::AxisList, DType) const;
template <std::same_as<DType> D>
Array Array::prod(D d, typing::Location at) const {
  return prod(typing::AxisList(none, at), typing::ReduceOptions{.dtype = d});
}
template Array Array::prod<DType>(DType, typing::Location) const;
template <std::same_as<DType> D>
Array Array::std(typing::AxisList axis, D d) const {
  return std(std::move(axis), typing::VarOptions{.dtype = d});
}
template Array Array::std<DType>(typing::AxisList, DType) const;
template <std::same_as<DType> D>
Array Array::std(D d, typing::Location at) const {
  return std(typing::AxisList(none, at), typing::VarOptions{.dtype = d});
}
template Array Array::std<DType>(DType, typing::Location) const;
Array Array::std(const typing::VarOptions& o, typing::Location at) const {
  return std(typing::AxisList(none, at), o);
}
template <std::same_as<DType> D>
Array Array::var(typing::AxisList axis, D d) const {
  return var(std::move(axis), typing::VarOptions{.dtype = d});
}
template Array Array::var<DType>(typing::AxisList, DType) const;
template <std::same_as<DType> D>
Array Array::var(D d, typing::Location at) const {
  return var(typing::AxisList(none, at), typing::VarOptions{.dtype = d});
}
template Array Array::var<DType>(DType, typing::Location) const;
Array Array::var(const typing::VarOptions& o, typing::Location at) const {
  return var(typing::AxisList(none, at), o);
}
template <std::same_as<DType> D>
Array Array::cumsum(typing::AxisList axis, D d) const {
  return cumsum(std::move(axis), typing::CumulativeOptions{.dtype = d});
}
template Array Array::cumsum<DType>(typing::AxisList, DType) const;
template <std::same_as<DType> D>
Array Array::cumsum(D d, typing::Location at) const {
  return cumsum(typing::AxisList(none, at), typing::CumulativeOptions{.dtype = d});
}
template Array Array::cumsum<DType>(DType, typing::Location) const;
template <class>
Array Array::cumsum(const typing::CumulativeOptions& o, typing::Location at) const {
  return cumsum(typing::AxisList(none, at), o);
}
template Array Array::cumsum<void>(const typing::CumulativeOptions&, typing::Location) const;
template <std::same_as<DType> D>
Array Array::cumprod(typing::AxisList axis, D d) const {
  return cumprod(std::move(axis), typing::CumulativeOptions{.dtype = d});
}
template Array Array::cumprod<DType>(typing::AxisList, DType) const;
template <std::same_as<DType> D>
Array Array::cumprod(D d, typing::Location at) const {
  return cumprod(typing::AxisList(none, at), typing::CumulativeOptions{.dtype = d});
}
template Array Array::cumprod<DType>(DType, typing::Location) const;
template <class>
Array Array::cumprod(const typing::CumulativeOptions& o, typing::Location at) const {
  return cumprod(typing::AxisList(none, at), o);
}
template Array Array::cumprod<void>(const typing::CumulativeOptions&, typing::Location) const;

namespace lax {
template <class>
Array empty(const Shape& shape, const typing::DTypeOption& o, typing::Location at) {
  return lax::empty(shape, o.dtype.value_or(F32), at);
}
template Array empty<void>(const Shape&, const typing::DTypeOption&, typing::Location);
template <class>
Array full(const Shape& shape, const typing::Arg& value, const typing::DTypeOption& o) {
  return lax::full(shape, value, o.dtype);
}
template Array full<void>(const Shape&, const typing::Arg&, const typing::DTypeOption&);
template <class>
Array full_like(const typing::Arg& x, const typing::Arg& value, const typing::DTypeOption& o) {
  return lax::full_like(x, value, o.dtype);
}
template Array full_like<void>(const typing::Arg&, const typing::Arg&, const typing::DTypeOption&);
}  // namespace lax
namespace nn {
template <weft::detail::PlainDType D>
Array one_hot(const typing::Arg& x, int64_t num_classes, D dtype) {
  return nn::one_hot(x, num_classes, OneHotOptions{.dtype = dtype});
}
template Array one_hot<DType>(const typing::Arg&, int64_t, DType);
}  // namespace nn

}  // namespace weft
