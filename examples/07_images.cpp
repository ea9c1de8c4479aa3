// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/07_images.cpp: The square root of 100 images: by pixels, by images, as one array
#include <cmath>

#include "expect.h"
using namespace weft;

// Slow: one pixel after another, each written into the image.
Array process_pixels(Array image) {
  const int height = static_cast<int>(image.shape()[0]), width = static_cast<int>(image.shape()[1]);
  return fori_loop(
      0, height,
      [&](Array i, Array rows) {
        return fori_loop(
            0, width,
            [&](Array j, Array pixels) {
              return pixels.at({i, j}).set(sqrt(pixels[{i, j}].astype(F32)).astype(U8));
            },
            rows);
      },
      image);
}
// The whole image, with casts in both directions.
Array process_image(Array image) { return sqrt(image.astype(F32)).astype(U8); }

int main(int argc, char** argv) {
  begin(argc, argv);
  std::vector<uint8_t> data(100 * 64 * 64 * 3), roots;
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i * 7919 % 255);
  for (uint8_t v : data) roots.push_back(static_cast<uint8_t>(std::sqrt(static_cast<float>(v))));
  const Array images = array(data, {100, 64, 64, 3}), want = array(roots, {100, 64, 64, 3});

  auto by_pixels = jit([](Array x) { return map_fn(process_pixels, x); });
  auto by_images = jit([](Array x) { return map_fn(process_image, x); });
  auto at_once = jit([](Array x) { return vectorized_map(process_image, x); });
  expect(bool(array_equal(by_pixels(images), want)), "map_fn, pixel by pixel");
  expect(bool(array_equal(by_images(images), want)), "map_fn, image by image");
  expect(bool(array_equal(at_once(images), want)), "vectorized_map");
  // The loop over pixels can be mapped, too: its lanes then run together.
  auto loops_at_once = jit([](Array x) { return vectorized_map(process_pixels, x); });
  expect(bool(array_equal(loops_at_once(images), want)), "vectorized_map of the pixel loop");

  const Array out = at_once(images);
  std::cout << "processed images: " << to_string(out.type()) << "\n";
  expect(out.dtype() == U8, "the result should be uint8");
  show("a row of pixels", images[{0, 0, slice(0, 4), 0}], array({0, 42, 84, 126}), 0);
  show("its square roots", out[{0, 0, slice(0, 4), 0}], array({0, 6, 9, 11}), 0);

  std::cout << "\nmap_fn, pixel by pixel:           "
            << milliseconds([&] { return by_pixels(images); }) << " ms\n"
            << "map_fn, image by image:           "
            << milliseconds([&] { return by_images(images); }) << " ms\n"
            << "vectorized_map:                   " << milliseconds([&] { return at_once(images); })
            << " ms\n"
            << "vectorized_map of the pixel loop: "
            << milliseconds([&] { return loops_at_once(images); }) << " ms\n";
  return finish();
}
