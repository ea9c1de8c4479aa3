// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/data/sets.h: arrays as sets. How many values there are depends on values: of a
// traced array .size must say it, as in JAX, else these functions raise ConcretizationError. What
// is missing is .fill_value, what is too many is left out.
#pragma once
#include "weft/functions/axis.h"
#include "weft/tracer/array.h"

namespace weft {

namespace typing {
struct UniqueOptions {
  std::optional<int64_t> size = {};      // how many; needed where x is traced
  std::optional<Array> fill_value = {};  // default: the smallest value
  OneAxis axis = none;                   // the rows of this axis count as wholes
  bool equal_nan = true;                 // all NaNs are one value
};
}  // namespace typing
// The values that x has, each once, ascending; with an axis its different rows, in the order of
// their first, second, … elements. Source: jax.numpy.unique.
Array unique(const typing::Arg& x, const typing::UniqueOptions& o = {});

namespace typing {
struct UniquePartsOptions {
  std::optional<int64_t> size = {};      // how many; needed where x is traced
  std::optional<Array> fill_value = {};  // default: the smallest value
  OneAxis axis = none;                   // the rows of this axis count as wholes
  bool equal_nan = false;                // all NaNs are one value
};
// What unique_all gives.
struct UniqueAll {
  Array values, indices, inverse_indices, counts;
};
}  // namespace typing
// unique, and for each value where it stands first and how often it is there (the values that are
// missing: 0 times), and for each element of x (each row) which value it is: I32. Source:
// jax.numpy.unique_all.
typing::UniqueAll unique_all(const typing::Arg& x, const typing::UniquePartsOptions& o = {});
namespace typing {
// What unique_counts gives.
struct UniqueCounts {
  Array values, counts;
};
}  // namespace typing
// unique, and how often each value is there, I32; those that are missing 0 times. Source:
// jax.numpy.unique_counts.
typing::UniqueCounts unique_counts(const typing::Arg& x, const typing::UniquePartsOptions& o = {});
namespace typing {
// What unique_inverse gives.
struct UniqueInverse {
  Array values, inverse_indices;
};
}  // namespace typing
// unique, and for each element of x (each row) which value it is, I32. Source:
// jax.numpy.unique_inverse.
typing::UniqueInverse unique_inverse(const typing::Arg& x,
                                     const typing::UniquePartsOptions& o = {});
// The values of x, each once, ascending. Source: jax.numpy.unique_values.
Array unique_values(const typing::Arg& x, const typing::UniquePartsOptions& o = {});

namespace typing {
struct IsinOptions {
  bool invert = false;  // whether it is not one of them
};
}  // namespace typing
// Whether each element of x is one of the values: Bool, of x's shape. NaN is none. Source:
// jax.numpy.isin.
Array isin(const typing::Arg& x, const typing::Arg& values, const typing::IsinOptions& o = {});

namespace typing {
struct SetOfOptions {
  bool assume_unique = false;            // a promise that neither array has a value twice
  std::optional<int64_t> size = {};      // how many; needed where an array is traced
  std::optional<Array> fill_value = {};  // default: the smallest value that is there, 0 of none
};
}  // namespace typing
// The values that are in both arrays, ascending, as a vector of the promoted dtype. Source:
// jax.numpy.intersect1d.
Array intersect1d(const typing::Arg& x, const typing::Arg& y, const typing::SetOfOptions& o = {});
namespace typing {
// What intersect1d_indices gives.
struct Intersection {
  Array values, x_indices, y_indices;
};
}  // namespace typing
// intersect1d, and where each value stands first in x and in y, flattened (I32; of what is missing
// their sizes). Source: jax.numpy.intersect1d with return_indices.
typing::Intersection intersect1d_indices(const typing::Arg& x, const typing::Arg& y,
                                         const typing::SetOfOptions& o = {});
// The values of x that y has not, ascending (with assume_unique in x's order), in x's dtype; what
// is missing is 0. Source: jax.numpy.setdiff1d.
Array setdiff1d(const typing::Arg& x, const typing::Arg& y, const typing::SetOfOptions& o = {});
// The values that one of them alone has, ascending. Source: jax.numpy.setxor1d.
Array setxor1d(const typing::Arg& x, const typing::Arg& y, const typing::SetOfOptions& o = {});
namespace typing {
struct UnionOptions {
  std::optional<int64_t> size = {};      // how many; needed where an array is traced
  std::optional<Array> fill_value = {};  // default: the smallest value
};
}  // namespace typing
// The values that either has, ascending. Source: jax.numpy.union1d.
Array union1d(const typing::Arg& x, const typing::Arg& y, const typing::UnionOptions& o = {});

}  // namespace weft
