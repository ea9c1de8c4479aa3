// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/gallery/image_pipeline.cpp: Counting cells in noisy images: blur, threshold, label
#include <cmath>
#include <numbers>

#include "../expect.h"
using namespace weft;

constexpr int size = 128, places = 4;  // pixels; discs are on a grid of places x places

// One image of bytes, with one disc for each 1 in `present`, on an uneven background, with noise.
Array draw(Array key, Array present, Array radius) {
  const Array at = arange(size), middle = (arange(places) + 0.5) * (1. * size / places);
  const auto near = [&](Array centre) {
    return square(expand_dims(at, 1) - centre);
  };  // [size, places]
  const Array distance = expand_dims(near(middle), {1, 3}) + expand_dims(near(middle), {0, 2});
  const Array disc = (distance < square(radius)) & (present > 0);  // [y, x, row, column]
  const Array ground = 60. + 30. * expand_dims(at, 1) / size + 0. * at;
  const Array light = ground + where(disc.any({2, 3}), 90., 0.);
  return clip(light + 25. * random::normal(key, {size, size}), 0., 255.).astype(U8);
}

// A Gaussian blur along rows, then along columns; pixels beyond the border equal those at the
// border.
Array blur(Array image, double sigma) {
  const int reach = static_cast<int>(std::ceil(3 * sigma));
  const Array x = arange(-reach, reach + 1), bell = exp(-square(x / sigma) / 2.);
  const Array kernel = bell / bell.sum();
  const Array wide = pad(image, reach, {.mode = "edge"});
  const Array rows = scipy::signal::convolve2d(wide, expand_dims(kernel, 0), "valid");
  return scipy::signal::convolve2d(rows, expand_dims(kernel, 1), "valid");
}
// Otsu's threshold: the one with the least variance within the two classes.
Array otsu(Array image) {
  const auto [counts, edges] = histogram(image, 64, {.range = {0., 255.}});
  const Array p = counts / counts.sum(), level = (edges[slice(0, -1)] + edges[slice(1, none)]) / 2.;
  const Array below = cumsum(p), mass = cumsum(p * level), mean = mass[-1];
  const Array between = square(mean * below - mass) / maximum(below * (1. - below), 1e-6);
  return level[between.argmax()];
}
// Each pixel of the mask starts with a unique number, and takes the largest number around it until
// nothing changes. A connected component then has one number. The number of rounds depends on the
// image; under vmap, each image stops independently.
Array label(Array mask) {
  const auto around = [&](Array x) {
    return where(mask, lax::reduce_window_max(x, {3, 3}, {.padding = "SAME"}), 0);
  };
  const auto changes = [&](Array x) { return (around(x) != x).any(); };
  const Array numbers = arange(1, size * size + 1).reshape({size, size});
  return while_loop(changes, around, where(mask, numbers, 0));
}
struct Cells {
  Array threshold, count, area;  // area: the pixels of all components
  Array edges;                   // gradient magnitude, for display
};
Cells analyse(Array image) {
  const Array x = image.astype(F32), smooth = blur(x, 1.5);
  const Array flat = smooth - blur(smooth, 20.) + 128.;  // subtracts the uneven background
  const Array threshold = otsu(flat), labels = label(flat > threshold);
  // A component is counted at the pixel whose original number it has.
  const Array numbers = arange(1, size * size + 1).reshape({size, size});
  const Array sobel = array({{-1., 0., 1.}, {-2., 0., 2.}, {-1., 0., 1.}});
  const Array dx = scipy::signal::convolve2d(smooth, sobel, "same");
  const Array dy = scipy::signal::convolve2d(smooth, sobel.T(), "same");
  return {threshold, (labels == numbers).sum(), (labels > 0).sum(), hypot(dx, dy)};
}

int main(int argc, char** argv) {
  begin(argc, argv);
  const int images = 16;
  const auto [draw_key, place_key] = random::split<2>(random::key(5));
  const Array present = random::bernoulli(place_key, 0.6, {images, places, places}).astype(I32);
  const double radius = 9;
  const Array pictures =
      jit(vmap(draw, {0, 0, none}))(random::split(draw_key, images), present, radius);

  const auto run = jit(vmap(analyse));
  const Cells cells = run(pictures);
  show("cells in each image", cells.count, present.sum({1, 2}));
  const Array area = cells.area / cells.count;
  const double disc = std::numbers::pi * radius * radius;
  std::cout << "pixels of a cell: " << area.mean().item<float>() << ", of a disc of that radius "
            << disc << "\n";
  expect(bool(allclose(area, disc, 0.1)), "cells should be as large as the discs drawn");
  show_shape("edges", cells.edges, {images, size, size});

  // Properties that hold for any image.
  const Array one = pictures[0].astype(F32), constant = full({size, size}, 7.);
  expect(bool(allclose(blur(constant, 3.), constant)), "a blur leaves a constant image alone");
  expect(bool(blur(one, 3.).var() < blur(one, 1.).var()), "a wider blur leaves less variance");
  expect(histogram(one, 64, {.range = {0., 255.}}).first.sum().item<int>() == size * size,
         "a histogram counts each pixel once");
  std::cout << images << " images: " << milliseconds([&] { return run(pictures); }) << " ms\n";
  return finish();
}
