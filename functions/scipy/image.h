// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/scipy/image.h: images of other sizes, as jax.image has them.
#pragma once
#include <string>
#include <vector>

#include "weft/tracer/array.h"

namespace weft::image {

struct ResizeOptions {
  bool antialias = true;  // kernels are widened where there are fewer places than before
};
// An array of other sizes, its places spread evenly: each element of the result is a weighted mean
// of those around its place, along each axis whose size differs. The kernel is "linear" (also
// "bilinear", "trilinear", "triangle"), "lanczos3", "lanczos5", "cubic" ("bicubic", "tricubic":
// Keys, a = -0.5), "cubic-pytorch" ("bicubic-pytorch": a = -0.75 without .antialias), "area", or
// "nearest", which keeps the dtype. Else integers become floats. ShapeError for another number of
// axes, IndexError for another method. Source: jax.image.resize.
Array resize(const typing::Arg& image, const Shape& shape, const std::string& method,
             const ResizeOptions& options = {});
// The same along the axes spatial_dims, where place x of the image goes to scale x + translation:
// one number an axis. Zeros where the result lies outside of the image. ShapeError for other
// numbers of axes, sizes that differ on another axis and scales of another shape, IndexError for
// another method, "nearest" too. Source: jax.image.scale_and_translate.
Array scale_and_translate(const typing::Arg& image, const Shape& shape,
                          const std::vector<int64_t>& spatial_dims, const typing::Arg& scale,
                          const typing::Arg& translation, const std::string& method,
                          const ResizeOptions& options = {});

}  // namespace weft::image
