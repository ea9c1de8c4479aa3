// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// eigen.h: <weft/eigen.h>: matrices and vectors of Eigen as Arrays, and Arrays as those, without a
// copy where their layouts allow it (docs/decisions/0045). Not part of <weft/weft.h>.
#pragma once
// clang-format off
#include "weft/standard.h"  // before standard headers
// clang-format on
#include <Eigen/Core>

#include "weft/interop/foreign.h"

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
// Strides in elements, of the axes of eigen_type.
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
// A matrix that the array keeps.
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

// The Array with the elements of a matrix [rows, columns], or of a vector [size], in its own
// memory. With a dtype they are converted to it.
template <class D>
Array array(const Eigen::DenseBase<D>& m, std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here()) {
  const ir::Source source(at);
  const Array x = detail::eigen_copied(m.derived());
  return dtype ? x.astype(*dtype) : x;
}

// The same without a copy where there need be none:
// - std::move(m) of a row-major matrix or a vector of dynamic size: the Array keeps it;
// - a row-major matrix or a vector of dynamic size that has a name, or an Eigen::Map: the Array
// reads
//   the elements where they lie. They must stay there, unchanged, as long as the Array or anything
//   that was made of it without computing lives.
// All else is copied: column-major matrices (Eigen's default; m.transpose() of one is no way
// round), blocks, expressions, matrices of fixed size, maps with gaps. DTypes are those of the
// elements: no conversion.
template <class D>
  requires detail::EigenDense<std::remove_cvref_t<D>>
Array from_eigen(D&& m, typing::Location at = typing::Location::here()) {
  using M = std::remove_cvref_t<D>;
  const ir::Source source(at);
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

// A Map of Eigen's over the elements of an Array, which it keeps where they are, unchanged: the
// Array may go out of scope, and a donation of it meanwhile copies. (A plain Eigen::Map that is
// made of it does not keep them.)
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

// An Array of the elements of a view, which it keeps as the view does; column-major ones are
// copied.
template <class Map>
Array from_eigen(const EigenView<Map>& m, typing::Location at = typing::Location::here()) {
  const ir::Source source(at);
  const Map& map = m;
  if (!detail::is_row_major(map)) return from_eigen(map, at);
  return detail::array_over(detail::eigen_type(map), map.data(), m.owner());
}

// The elements of x as a constant matrix of Eigen's, without a copy (of an array on a GPU a copy on
// the host). T is the type of the elements, for a row-major matrix of dynamic size, or that of a
// matrix or vector, as Eigen::VectorXf; one that is column-major has strides. A vector [n] is a
// matrix of one column. ShapeError for more than two axes or sizes that T has not, DTypeError for
// other elements, ConcretizationError for a traced array.
template <class T>
auto as_eigen(const Array& x, typing::Location at = typing::Location::here()) {
  using M = typename detail::EigenOf<T>::type;
  using S = typename M::Scalar;
  const ir::Source source(at);
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
