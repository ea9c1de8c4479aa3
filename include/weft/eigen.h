// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/eigen.h: <weft/eigen.h>: converts Eigen matrices and vectors to Arrays and back,
// without a copy if their layouts allow it (docs/decisions/0045). It is not part of <weft/weft.h>.
#pragma once
// clang-format off
#include "weft/detail/standard.h"  // before standard headers
// clang-format on
#include <Eigen/Core>

#include "weft/detail/foreign.h"

namespace weft {

template <>
struct ir::dtype_of<Eigen::half> {
  static constexpr DType value = F16;
};
template <>
struct ir::dtype_of<Eigen::bfloat16> {
  static constexpr DType value = BF16;
};

namespace detail {

template <class T>
concept EigenDense = std::is_base_of_v<Eigen::DenseBase<T>, T>;
template <class T>
concept EigenPlain = EigenDense<T> && std::is_base_of_v<Eigen::PlainObjectBase<T>, T>;
template <class T>
inline constexpr bool is_eigen_map = false;
template <class T, int options, class S>
inline constexpr bool is_eigen_map<Eigen::Map<T, options, S>> = true;

template <class D>
constexpr DType eigen_dtype() {
  using S = typename D::Scalar;
  static_assert(
      requires { ir::dtype_of<S>::value; },
      "weft: an Eigen matrix of these elements has no dtype; m.cast<double>() has one");
  return ir::dtype_of_v<S>;
}
template <class D>
typing::Type eigen_type(const D& m) {
  if constexpr (D::IsVectorAtCompileTime)
    return {eigen_dtype<D>(), Shape{static_cast<int64_t>(m.size())}};
  else
    return {eigen_dtype<D>(),
            Shape{static_cast<int64_t>(m.rows()), static_cast<int64_t>(m.cols())}};
}
// The strides of the axes of eigen_type, in elements.
template <class D>
std::vector<int64_t> eigen_strides(const D& m) {
  if constexpr (D::IsVectorAtCompileTime)
    return {m.innerStride()};
  else
    return {m.rowStride(), m.colStride()};
}
template <class D>
bool is_row_major(const D& m) {
  if constexpr (D::IsVectorAtCompileTime)
    return m.innerStride() == 1 || m.size() <= 1;
  else
    return (m.colStride() == 1 || m.cols() <= 1) && (m.rowStride() == m.cols() || m.rows() <= 1);
}

template <class M>
struct EigenHeld final : ir::RefCounted {
  M m;
  explicit EigenHeld(M from) : m(std::move(from)) {}
};
// An Array that owns a matrix.
template <class M, class D>
Array eigen_kept(const typing::Type& t, D&& from) {
  const auto held = ir::make_ref<EigenHeld<M>>(std::forward<D>(from));
  return array_over(t, held->m.data(), held);
}
// The elements copied, in row-major order.
template <class D>
Array eigen_copied(const D& m) {
  using Rows = Eigen::Array<typename D::Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return eigen_kept<Rows>(eigen_type(m), m.array());
}

}  // namespace detail

// An Array with a copy of the elements of a matrix [rows, columns] or of a vector [size]. They are
// converted to the dtype if one is given.
template <class D>
Array array(const Eigen::DenseBase<D>& m, std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  const Array x = detail::eigen_copied(m.derived());
  return dtype ? x.astype(*dtype) : x;
}

// The same without a copy where possible:
// - std::move(m) of a row-major matrix or a vector of dynamic size: the Array owns it.
// - A named row-major matrix or vector of dynamic size, or an Eigen::Map: the Array refers to its
//   elements. They must not move or change during the lifetime of the Array and of its views.
// All other values are copied: column-major matrices (Eigen's default, also their m.transpose()),
// blocks, expressions, matrices of fixed size, and maps with gaps. The dtype is that of the
// elements; there is no conversion.
template <class D>
  requires detail::EigenDense<std::remove_cvref_t<D>>
Array from_eigen(D&& m, typing::Location at = typing::Location::here()) {
  using M = std::remove_cvref_t<D>;
  const ir::SourceScope source(at);
  constexpr bool rows = M::IsVectorAtCompileTime || M::IsRowMajor;
  if constexpr (detail::is_eigen_map<M>) {
    if (!detail::is_row_major(m))
      return detail::compacted(detail::eigen_type(m), m.data(), detail::eigen_strides(m));
    return detail::array_over(detail::eigen_type(m), m.data(), {});
  } else if constexpr (detail::EigenPlain<M> && rows && M::SizeAtCompileTime == Eigen::Dynamic) {
    const typing::Type t = detail::eigen_type(m);
    if constexpr (std::is_lvalue_reference_v<D>)
      return detail::array_over(t, m.data(), {});
    else
      return detail::eigen_kept<M>(t, std::forward<D>(m));
  } else {
    return detail::eigen_copied(m);
  }
}

// An Eigen::Map over the elements of an Array, which it keeps alive and unchanged. The Array may go
// out of scope; donating it during the lifetime of the map makes a copy. (A plain Eigen::Map made
// from it does not keep the elements alive.)
template <class Map>
class EigenView : public Map {
 public:
  EigenView(const Map& map, ir::Ref<const ir::RefCounted> owner)
      : Map(map), owner_(std::move(owner)) {}
  const ir::Ref<const ir::RefCounted>& owner() const { return owner_; }

 private:
  ir::Ref<const ir::RefCounted> owner_;
};

namespace detail {
template <class T>
struct EigenOf {
  using type = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
};
template <class T>
  requires EigenPlain<T>
struct EigenOf<T> {
  using type = T;
};
}  // namespace detail

// An Array of the elements of a view, which it keeps alive as the view does. Column-major elements
// are copied.
template <class Map>
Array from_eigen(const EigenView<Map>& m, typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  const Map& map = m;
  if (!detail::is_row_major(map)) return from_eigen(map, at);
  return detail::array_over(detail::eigen_type(map), map.data(), m.owner());
}

// The elements of x as a constant Eigen matrix, without a copy (an array on a GPU is copied to the
// host). T is the element type, for a row-major matrix of dynamic size, or a matrix or vector type,
// as Eigen::VectorXf. A column-major type gives a map with strides. A vector [n] is a matrix of one
// column. ShapeError for more than two axes or for sizes that T cannot have, DTypeError for other
// element types, ConcretizationError for a traced array.
template <class T>
auto as_eigen(const Array& x, typing::Location at = typing::Location::here()) {
  using M = typename detail::EigenOf<T>::type;
  using S = typename M::Scalar;
  const ir::SourceScope source(at);
  detail::View v = detail::view_of(x, detail::eigen_dtype<M>());
  const auto [rows, columns] =
      detail::eigen_sizes(x.shape(), {M::RowsAtCompileTime, M::ColsAtCompileTime},
                          M::RowsAtCompileTime == 1 && M::ColsAtCompileTime != 1);
  const S* const data = static_cast<const S*>(v.data);
  if constexpr (M::IsVectorAtCompileTime || M::IsRowMajor) {
    using Map = Eigen::Map<const M>;
    return EigenView<Map>(Map(data, rows, columns), std::move(v.owner));
  } else {
    using Stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    using Map = Eigen::Map<const M, Eigen::Unaligned, Stride>;
    return EigenView<Map>(Map(data, rows, columns, Stride(1, columns)), std::move(v.owner));
  }
}

}  // namespace weft
