// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/image.h: resizing of images, as in jax.image.
#pragma once
#include <string>
#include <vector>

#include "weft/array.h"

namespace weft::image {

struct ResizeOptions {
  bool antialias = true;  // widens the kernels when downsampling
};
// Resizes an array: the positions of the result are spread evenly over the image. Along each axis
// whose size changes, each element is a weighted mean of the elements around its position.
//
// The method names the kernel. "linear" is also called "bilinear", "trilinear" or "triangle".
// "cubic" (also "bicubic" or "tricubic") is Keys's kernel with a = -0.5. "cubic-pytorch" (also
// "bicubic-pytorch") has a = -0.75 without .antialias. The other kernels are "lanczos3",
// "lanczos5", "area" and "nearest". "nearest" keeps the dtype; the others convert integers to
// floats. Raises ShapeError for another number of axes, and IndexError for another method. Source:
// jax.image.resize.
Array resize(const typing::Arg& image, const Shape& shape, const std::string& method,
             const ResizeOptions& options = {});
// Resizes the axes spatial_dims like resize, and maps position x of the image to scale x +
// translation, with one number per axis. The result is zero outside of the image. Raises ShapeError
// for other numbers of axes, for sizes that differ on another axis and for scales of another shape.
// Raises IndexError for another method, including "nearest". Source: jax.image.scale_and_translate.
Array scale_and_translate(const typing::Arg& image, const Shape& shape,
                          const std::vector<int64_t>& spatial_dims, const typing::Arg& scale,
                          const typing::Arg& translation, const std::string& method,
                          const ResizeOptions& options = {});

}  // namespace weft::image
