// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/sets.h: arrays as sets. The number of values depends on the data. For traced
// arrays .size must give it, as in JAX; otherwise these functions raise ConcretizationError.
// Missing values are .fill_value, and surplus values are dropped.
#pragma once
#include "weft/array.h"
#include "weft/axis.h"

namespace weft {

namespace typing {
struct UniqueOptions {
  std::optional<int64_t> size = {};      // the number of values; required where x is traced
  std::optional<Array> fill_value = {};  // default: the smallest value
  OneAxis axis = none;                   // compares whole rows of this axis
  bool equal_nan = true;                 // all NaNs are one value
};
}  // namespace typing
// Returns the distinct values of x in ascending order. With an axis it returns the distinct rows,
// ordered by their first, second, … elements. Source: jax.numpy.unique.
Array unique(const typing::Arg& x, const typing::UniqueOptions& o = {});

namespace typing {
struct UniquePartsOptions {
  std::optional<int64_t> size = {};      // the number of values; required where x is traced
  std::optional<Array> fill_value = {};  // default: the smallest value
  OneAxis axis = none;                   // compares whole rows of this axis
  bool equal_nan = false;                // all NaNs are one value
};
// The results of unique_all.
struct UniqueAll {
  Array values, indices, inverse_indices, counts;
};
}  // namespace typing
// Returns unique, the index of the first occurrence of each value, and its count (0 for missing
// values). It also returns the number of the value of each element (or row) of x. All indices and
// counts are I32. Source: jax.numpy.unique_all.
typing::UniqueAll unique_all(const typing::Arg& x, const typing::UniquePartsOptions& o = {});
namespace typing {
// The results of unique_counts.
struct UniqueCounts {
  Array values, counts;
};
}  // namespace typing
// Returns unique and the count of each value, I32; missing values have the count 0. Source:
// jax.numpy.unique_counts.
typing::UniqueCounts unique_counts(const typing::Arg& x, const typing::UniquePartsOptions& o = {});
namespace typing {
// The results of unique_inverse.
struct UniqueInverse {
  Array values, inverse_indices;
};
}  // namespace typing
// Returns unique and, for each element (or row) of x, the number of its value, I32. Source:
// jax.numpy.unique_inverse.
typing::UniqueInverse unique_inverse(const typing::Arg& x,
                                     const typing::UniquePartsOptions& o = {});
// Returns the distinct values of x in ascending order. Source: jax.numpy.unique_values.
Array unique_values(const typing::Arg& x, const typing::UniquePartsOptions& o = {});

namespace typing {
struct IsinOptions {
  bool invert = false;  // returns true where the element is not one of the values
};
}  // namespace typing
// Returns true where an element of x is one of the values: Bool, of x's shape. NaN never is.
// Source: jax.numpy.isin.
Array isin(const typing::Arg& x, const typing::Arg& values, const typing::IsinOptions& o = {});

namespace typing {
struct SetOfOptions {
  bool assume_unique = false;        // a promise that neither array has duplicates
  std::optional<int64_t> size = {};  // the number of values; required where an array is traced
  // default: the smallest value of the result, 0 if it is empty
  std::optional<Array> fill_value = {};
};
}  // namespace typing
// Returns the values that are in both arrays, in ascending order, as a vector of the promoted
// dtype. Source: jax.numpy.intersect1d.
Array intersect1d(const typing::Arg& x, const typing::Arg& y, const typing::SetOfOptions& o = {});
namespace typing {
// The results of intersect1d_indices.
struct Intersection {
  Array values, x_indices, y_indices;
};
}  // namespace typing
// Returns intersect1d and the index of the first occurrence of each value in x and in y, flattened
// (I32). For missing values the indices are the sizes of x and y. Source: jax.numpy.intersect1d
// with return_indices.
typing::Intersection intersect1d_indices(const typing::Arg& x, const typing::Arg& y,
                                         const typing::SetOfOptions& o = {});
// Returns the values of x that are not in y, in x's dtype, in ascending order, or in x's order with
// assume_unique. Missing values are 0. Source: jax.numpy.setdiff1d.
Array setdiff1d(const typing::Arg& x, const typing::Arg& y, const typing::SetOfOptions& o = {});
// Returns the values that are in exactly one of the arrays, in ascending order. Source:
// jax.numpy.setxor1d.
Array setxor1d(const typing::Arg& x, const typing::Arg& y, const typing::SetOfOptions& o = {});
namespace typing {
struct UnionOptions {
  std::optional<int64_t> size = {};      // the number of values; required where an array is traced
  std::optional<Array> fill_value = {};  // default: the smallest value
};
}  // namespace typing
// Returns the values that are in either array, in ascending order. Source: jax.numpy.union1d.
Array union1d(const typing::Arg& x, const typing::Arg& y, const typing::UnionOptions& o = {});

}  // namespace weft
