// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/axis.h: types of arguments that may be `none`: an axis (none flattens the array) and
// an array; and dtypes as last arguments.
#pragma once
#include "weft/array.h"

namespace weft {

namespace typing {
// An axis, or none: x is flattened.
struct OneAxis : std::optional<int64_t> {
  OneAxis() = default;
  OneAxis(none_t) {}
  OneAxis(std::nullopt_t) {}
  OneAxis(std::optional<int64_t> axis) : std::optional<int64_t>(axis) {}
  template <ir::Integer I>
  OneAxis(I axis) : std::optional<int64_t>(static_cast<int64_t>(axis)) {}
};

// An array or number, or none.
struct MaybeArray : std::optional<Array>, ir::NoNamesInBraces {
  using NoNamesInBraces::NoNamesInBraces;
  explicit MaybeArray(bool) = delete;
  explicit MaybeArray(float) = delete;
  explicit MaybeArray(double) = delete;
  MaybeArray() = default;
  MaybeArray(none_t) {}
  MaybeArray(std::nullopt_t) {}
  MaybeArray(std::optional<Array> x) : std::optional<Array>(std::move(x)) {}
  MaybeArray(const Array& x) : std::optional<Array>(x) {}
  template <ir::Number T>
  MaybeArray(T x) : std::optional<Array>(Array(x)) {}
};
}  // namespace typing

namespace typing {
// A dtype, or none.
struct MaybeDType : std::optional<DType> {
  using optional::optional;
  MaybeDType(std::optional<DType> d) : optional(d) {}
  template <class T>
    requires std::is_convertible_v<const T&, std::string_view>
  MaybeDType(const T&) {
    static_assert(!std::is_convertible_v<const T&, std::string_view>,
                  "weft: a dtype is not a text: write F32, as in {.dtype = F32}");
  }
};
// A named dtype option, for functions without other options.
//
//     eye(2, {.dtype = I32})  // array([[1, 0], [0, 1]], dtype=int32)
struct DTypeOption {
  detail::Designated by_name{detail::ByName::tag};
  MaybeDType dtype = {};  // default: the dtype of the call without options
};
// The options of zeros_like and similar functions.
struct LikeOptions {
  detail::Designated by_name{detail::ByName::tag};
  MaybeDType dtype = {};            // default: that of x
  std::optional<Shape> shape = {};  // default: that of x
};
}  // namespace typing

namespace detail {
// A dtype without braces; arguments in braces select other overloads.
template <class D>
concept PlainDType = std::same_as<D, DType>;
}  // namespace detail

}  // namespace weft
