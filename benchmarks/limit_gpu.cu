// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/limit_gpu.cu: hand-written CUDA versions of the programs of programs.h, as a limit for
// GPU code. tools/gpu_kernels.cpp compiles them and compares their instructions with ours.
//
// A kernel has the name of its program and does the same work: products are complete, and pivots
// are searched. Loops over elements are not unrolled, so that one trip of the code is one trip of
// the loop.
#include <cuda_bf16.h>
#include <mma.h>

#include <cstdint>

namespace {
__device__ int64_t thread_index() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    mandelbrot(const float* cr, const float* ci, int32_t* trips, int64_t n) {
  const int64_t at = thread_index();
  if (at >= n) return;
  const float re = cr[at], im = ci[at];
  float a = 0, b = 0;
  int32_t i = 0;
#pragma unroll 1
  while (a * a + b * b < 4.f && i < 1000) {
    const float next = a * a - b * b + re;
    b = 2.f * a * b + im;
    a = next;
    ++i;
  }
  trips[at] = i;
}

namespace {
struct Pair {
  float x, y;
};
__device__ Pair operator+(Pair a, Pair b) { return {a.x + b.x, a.y + b.y}; }
__device__ Pair operator-(Pair a, Pair b) { return {a.x - b.x, a.y - b.y}; }
__device__ Pair operator*(float s, Pair a) { return {s * a.x, s * a.y}; }
__device__ float larger(float a, float b) { return fmaxf(fabsf(a), fabsf(b)); }
}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    rk45(const float* stiffness, const Pair* start, Pair* end, int64_t n) {
  const int64_t at = thread_index();
  if (at >= n) return;
  const float mu = stiffness[at];
  const auto f = [mu](Pair y) { return Pair{y.y, mu * (1.f - y.x * y.x) * y.y - y.x}; };
  Pair y = start[at];
  float t = 0, h = .01f;
#pragma unroll 1
  for (int32_t i = 0; t < 10.f && i < 20000; ++i) {
    h = fminf(h, 10.f - t);
    const Pair k1 = f(y), k2 = f(y + h * (.2f * k1)),
               k3 = f(y + h * (3 / 40.f * k1 + 9 / 40.f * k2));
    const Pair k4 = f(y + h * (44 / 45.f * k1 - 56 / 15.f * k2 + 32 / 9.f * k3));
    const Pair k5 = f(y + h * (19372 / 6561.f * k1 - 25360 / 2187.f * k2 + 64448 / 6561.f * k3 -
                               212 / 729.f * k4));
    const Pair k6 = f(y + h * (9017 / 3168.f * k1 - 355 / 33.f * k2 + 46732 / 5247.f * k3 +
                               49 / 176.f * k4 - 5103 / 18656.f * k5));
    const Pair next = y + h * (35 / 384.f * k1 + 500 / 1113.f * k3 + 125 / 192.f * k4 -
                               2187 / 6784.f * k5 + 11 / 84.f * k6);
    const Pair k7 = f(next);
    const Pair e = h * (71 / 57600.f * k1 - 71 / 16695.f * k3 + 71 / 1920.f * k4 -
                        17253 / 339200.f * k5 + 22 / 525.f * k6 - 1 / 40.f * k7);
    const float p = e.x / (1e-5f + 1e-5f * larger(y.x, next.x)),
                q = e.y / (1e-5f + 1e-5f * larger(y.y, next.y));
    const float error = sqrtf((p * p + q * q) / 2.f);
    if (error <= 1.f) {
      t += h;
      y = next;
    }
    h *= fminf(fmaxf(.9f * powf(error + 1e-10f, -.2f), .2f), 5.f);
  }
  end[at] = y;
}

// One warp per row.
extern "C" __global__ void __launch_bounds__(256)
    softmax(const float* x, float* out, int64_t rows, int32_t columns) {
  const int64_t row = thread_index() / 32;
  if (row >= rows) return;
  const int32_t lane = threadIdx.x % 32;
  const float* from = x + row * columns;
  float most = -INFINITY, sum = 0;
#pragma unroll 1
  for (int32_t c = lane; c < columns; c += 32) most = fmaxf(most, from[c]);
  for (int32_t d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
#pragma unroll 1
  for (int32_t c = lane; c < columns; c += 32) sum += expf(from[c] - most);
  for (int32_t d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
#pragma unroll 1
  for (int32_t c = lane; c < columns; c += 32)
    out[row * columns + c] = expf(from[c] - most) / sum;
}

namespace {
__device__ float sum_of_warp(float x) {
  for (int32_t d = 16; d; d /= 2) x += __shfl_xor_sync(~0u, x, d);
  return x;
}
}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    layer_norm(const float* x, const float* gain, const float* bias, float* out, int64_t rows,
               int32_t columns) {
  const int64_t row = thread_index() / 32;
  if (row >= rows) return;
  const int32_t lane = threadIdx.x % 32;
  const float* from = x + row * columns;
  float sum = 0, squares = 0;
#pragma unroll 1
  for (int32_t c = lane; c < columns; c += 32) sum += from[c];
  const float mean = sum_of_warp(sum) / columns;
#pragma unroll 1
  for (int32_t c = lane; c < columns; c += 32) squares += (from[c] - mean) * (from[c] - mean);
  const float scale = rsqrtf(sum_of_warp(squares) / columns + 1e-5f);
#pragma unroll 1
  for (int32_t c = lane; c < columns; c += 32)
    out[row * columns + c] = (from[c] - mean) * scale * gain[c] + bias[c];
}

extern "C" __global__ void __launch_bounds__(256)
    sum_squares(const float* x, float* out, int64_t rows, int32_t columns) {
  const int64_t row = thread_index() / 32;
  if (row >= rows) return;
  float sum = 0;
#pragma unroll 1
  for (int32_t c = threadIdx.x % 32; c < columns; c += 32)
    sum += x[row * columns + c] * x[row * columns + c];
  sum = sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) out[row] = sum;
}

namespace {
// Returns true if argmax prefers (a, i) to (b, k): the first of the largest numbers wins, and NaN
// is larger than all numbers.
__device__ bool better(float a, int32_t i, float b, int32_t k) {
  return a > b || (a != a && b == b) || ((a == b || (a != a && b != b)) && i < k);
}
}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    argmax(const float* x, int32_t* out, int64_t rows, int32_t columns) {
  const int64_t row = thread_index() / 32;
  if (row >= rows) return;
  float most = -INFINITY;
  int32_t at = 0x7fffffff;
#pragma unroll 1
  for (int32_t c = threadIdx.x % 32; c < columns; c += 32) {
    const float next = x[row * columns + c];
    if (next > most || (next != next && most == most)) {
      most = next;
      at = c;
    }
  }
  for (int32_t d = 16; d; d /= 2) {
    const float other = __shfl_xor_sync(~0u, most, d);
    const int32_t place = __shfl_xor_sync(~0u, at, d);
    if (better(other, place, most, at)) {
      most = other;
      at = place;
    }
  }
  if (threadIdx.x % 32 == 0) out[row] = at;
}

namespace {
template <int rows, int columns>
struct Matrix {
  float at[rows][columns];
  __device__ Matrix<columns, rows> transposed() const {
    Matrix<columns, rows> r;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) r.at[j][i] = at[i][j];
    return r;
  }
};
template <int n, int m, int k>
__device__ Matrix<n, m> operator*(const Matrix<n, k>& a, const Matrix<k, m>& b) {
  Matrix<n, m> r = {};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int l = 0; l < k; ++l) r.at[i][j] += a.at[i][l] * b.at[l][j];
  return r;
}
template <int n, int m>
__device__ Matrix<n, m> sum(const Matrix<n, m>& a, float s, const Matrix<n, m>& b) {
  Matrix<n, m> r;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) r.at[i][j] = a.at[i][j] + s * b.at[i][j];
  return r;
}
template <int n>
__device__ Matrix<n, n> eye(float x) {
  Matrix<n, n> r = {};
  for (int i = 0; i < n; ++i) r.at[i][i] = x;
  return r;
}
// s^-1 b by elimination; the pivot is the larger number of the first column.
template <int m>
__device__ Matrix<2, m> solve(Matrix<2, 2> s, Matrix<2, m> b) {
  const bool swap = fabsf(s.at[1][0]) > fabsf(s.at[0][0]);
  const float p = s.at[swap][0], q = s.at[swap][1], r = s.at[!swap][0], t = s.at[!swap][1];
  const float factor = r / p, last = t - factor * q;
  Matrix<2, m> x;
  for (int j = 0; j < m; ++j) {
    const float first = swap ? b.at[1][j] : b.at[0][j], second = swap ? b.at[0][j] : b.at[1][j];
    x.at[1][j] = (second - factor * first) / last;
    x.at[0][j] = (first - q * x.at[1][j]) / p;
  }
  return x;
}
}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    kalman_step(const Matrix<4, 1>* means, const Matrix<4, 4>* covs, const Matrix<2, 1>* measured,
                Matrix<4, 1>* new_means, Matrix<4, 4>* new_covs, int64_t n) {
  const int64_t at = thread_index();
  if (at >= n) return;
  const Matrix<4, 4> f = {{{1, 0, .1f, 0}, {0, 1, 0, .1f}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
  const Matrix<2, 4> h = {{{1, 0, 0, 0}, {0, 1, 0, 0}}};
  const Matrix<4, 1> m = f * means[at];
  const Matrix<4, 4> p = sum(f * covs[at] * f.transposed(), .01f, eye<4>(1));
  const Matrix<2, 2> s = sum(h * p * h.transposed(), .1f, eye<2>(1));
  const Matrix<4, 2> gain = solve(s, h * p).transposed();
  new_means[at] = sum(m, 1, gain * sum(measured[at], -1, h * m));
  new_covs[at] = sum(eye<4>(1), -1, gain * h) * p;
}

// The factor in the lower triangle; zeros above.
extern "C" __global__ void __launch_bounds__(256)
    cholesky4(const float* matrices, float* factors, int64_t n) {
  const int64_t at = thread_index();
  if (at >= n) return;
  float l[4][4] = {};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j <= i; ++j) l[i][j] = matrices[16 * at + 4 * i + j];
  for (int j = 0; j < 4; ++j) {
    for (int k = 0; k < j; ++k) l[j][j] -= l[j][k] * l[j][k];
    l[j][j] = sqrtf(l[j][j]);
    for (int i = j + 1; i < 4; ++i) {
      for (int k = 0; k < j; ++k) l[i][j] -= l[i][k] * l[j][k];
      l[i][j] /= l[j][j];
    }
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) factors[16 * at + 4 * i + j] = l[i][j];
}

// Four neighbours per thread, starting at multiples of 16 bytes.
extern "C" __global__ void __launch_bounds__(256)
    saxpy(const float* a, const float* x, const float* y, float* out, int64_t n) {
  const int64_t at = 4 * thread_index();
  if (at >= n) return;
  const float scale = *a;
  if (at + 4 <= n) {
    const float4 p = *reinterpret_cast<const float4*>(x + at);
    const float4 q = *reinterpret_cast<const float4*>(y + at);
    *reinterpret_cast<float4*>(out + at) = {scale * p.x + q.x, scale * p.y + q.y,
                                            scale * p.z + q.z, scale * p.w + q.w};
    return;
  }
#pragma unroll 1
  for (int64_t i = at; i < n; ++i) out[i] = scale * x[i] + y[i];
}

// A block of 32 x 8 threads per tile of 32 x 32.
extern "C" __global__ void __launch_bounds__(256)
    transpose(const float* x, float* out, int64_t rows, int64_t columns) {
  __shared__ float tile[32][33];
  const int64_t across = (columns + 31) / 32;
  const int64_t top = blockIdx.x / across * 32, left = blockIdx.x % across * 32;
  const int32_t tx = threadIdx.x % 32, ty = threadIdx.x / 32;
  for (int32_t n = 0; n < 32; n += 8)
    if (left + ty + n < columns && top + tx < rows)
      tile[ty + n][tx] = x[(left + ty + n) * rows + top + tx];
  __syncthreads();
  for (int32_t n = 0; n < 32; n += 8)
    if (top + ty + n < rows && left + tx < columns)
      out[(top + ty + n) * columns + left + tx] = tile[tx][ty + n];
}

// A dense layer. A block computes 128 x 128 points; a thread has 8 x 8 of them, in four groups of
// neighbours. While 16 terms in shared memory are used, the next 16 are loaded.
namespace {
constexpr int tile = 128, terms = 16, pitch = tile + 4;
}
extern "C" __global__ void __launch_bounds__(256)
    gemm(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ bias,
         float* __restrict__ out, int32_t m, int32_t n, int32_t k) {
  __shared__ __align__(16) float xs[2][terms][pitch];
  __shared__ __align__(16) float ws[2][terms][pitch];
  const int32_t t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int32_t row = blockIdx.y * tile, column = blockIdx.x * tile;
  const int32_t mine = 4 * (lane / 8 + 4 * (warp / 2)), own = 4 * (lane % 8 + 8 * (warp % 2));
  const float4* from_x = reinterpret_cast<const float4*>(x + (row + t / 4) * k + t % 4 * 4);
  const float4* from_w = reinterpret_cast<const float4*>(w + t / 32 * n + column + lane * 4);
  const int64_t half_x = int64_t{64} * k / 4, half_w = int64_t{8} * n / 4;
  float4 next_x[2], next_w[2];
  const auto load = [&] {
    next_x[0] = from_x[0], next_x[1] = from_x[half_x];
    next_w[0] = from_w[0], next_w[1] = from_w[half_w];
    from_x += terms / 4;
    from_w += int64_t{terms} * n / 4;
  };
  const auto put = [&](int s) {
    for (int h = 0; h < 2; ++h) {
      xs[s][t % 4 * 4][t / 4 + 64 * h] = next_x[h].x;
      xs[s][t % 4 * 4 + 1][t / 4 + 64 * h] = next_x[h].y;
      xs[s][t % 4 * 4 + 2][t / 4 + 64 * h] = next_x[h].z;
      xs[s][t % 4 * 4 + 3][t / 4 + 64 * h] = next_x[h].w;
      *reinterpret_cast<float4*>(&ws[s][t / 32 + 8 * h][lane * 4]) = next_w[h];
    }
  };
  float sum[8][8] = {};
  load();
  put(0);
  int s = 0;
#pragma unroll 1
  for (int32_t at = 0; at < k; at += terms) {
    __syncthreads();
    if (at + terms < k) load();
#pragma unroll
    for (int l = 0; l < terms; ++l) {
      float a[8], b[8];
      for (int h = 0; h < 2; ++h) {
        *reinterpret_cast<float4*>(a + 4 * h) =
            *reinterpret_cast<const float4*>(&xs[s][l][mine + 64 * h]);
        *reinterpret_cast<float4*>(b + 4 * h) =
            *reinterpret_cast<const float4*>(&ws[s][l][own + 64 * h]);
      }
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) sum[i][j] += a[i] * b[j];
    }
    s = 1 - s;
    put(s);
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      const int32_t r = row + mine + i / 4 * 64 + i % 4, c = column + own + j / 4 * 64 + j % 4;
      if (r < m && c < n) out[int64_t{r} * n + c] = fmaxf(sum[i][j] + bias[c], 0.f);
    }
}

// The same on tensor cores: a warp computes 64 x 32 points of the tile and loads 32 terms at a
// time.
namespace {
namespace wmma = nvcuda::wmma;
constexpr int narrow_terms = 32, x_pitch = narrow_terms + 8, w_pitch = tile + 8;
}  // namespace
extern "C" __global__ void __launch_bounds__(256)
    gemm_bf16(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ w,
              const float* __restrict__ bias, float* __restrict__ out, int32_t m, int32_t n,
              int32_t k) {
  __shared__ __align__(16) __nv_bfloat16 xs[2][tile][x_pitch];
  __shared__ __align__(16) __nv_bfloat16 ws[2][narrow_terms][w_pitch];
  const int32_t t = threadIdx.x, warp = t / 32;
  const int32_t row = blockIdx.y * tile, column = blockIdx.x * tile;
  const int32_t mine = 64 * (warp / 4), own = 32 * (warp % 4);
  const uint4* from_x = reinterpret_cast<const uint4*>(x + (row + t / 4) * k + t % 4 * 8);
  const uint4* from_w = reinterpret_cast<const uint4*>(w + t / 16 * n + column + t % 16 * 8);
  const int64_t half_x = int64_t{64} * k / 8, half_w = int64_t{16} * n / 8;
  uint4 next_x[2], next_w[2];
  const auto load = [&] {
    next_x[0] = from_x[0], next_x[1] = from_x[half_x];
    next_w[0] = from_w[0], next_w[1] = from_w[half_w];
    from_x += narrow_terms / 8;
    from_w += int64_t{narrow_terms} * n / 8;
  };
  const auto put = [&](int s) {
    for (int h = 0; h < 2; ++h) {
      *reinterpret_cast<uint4*>(&xs[s][t / 4 + 64 * h][t % 4 * 8]) = next_x[h];
      *reinterpret_cast<uint4*>(&ws[s][t / 16 + 16 * h][t % 16 * 8]) = next_w[h];
    }
  };
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4][2];
  for (auto& of_row : sum)
    for (auto& f : of_row) wmma::fill_fragment(f, 0.f);
  load();
  put(0);
  int s = 0;
#pragma unroll 1
  for (int32_t at = 0; at < k; at += narrow_terms) {
    __syncthreads();
    if (at + narrow_terms < k) load();
#pragma unroll
    for (int l = 0; l < narrow_terms; l += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a[4];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> b[2];
      for (int i = 0; i < 4; ++i) wmma::load_matrix_sync(a[i], &xs[s][mine + 16 * i][l], x_pitch);
      for (int j = 0; j < 2; ++j) wmma::load_matrix_sync(b[j], &ws[s][l][own + 16 * j], w_pitch);
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
    }
    s = 1 - s;
    put(s);
  }
  // The position of elements in a fragment is unspecified, so it is stored before the bias is
  // added.
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(out + int64_t{row + mine + 16 * i} * n + column + own + 16 * j,
                              sum[i][j], static_cast<unsigned>(n), wmma::mem_row_major);
  __syncwarp();
  for (int32_t e = t % 32; e < 64 * 32; e += 32) {
    const int32_t r = row + mine + e / 32, c = column + own + e % 32;
    if (r < m && c < n) out[int64_t{r} * n + c] = fmaxf(out[int64_t{r} * n + c] + bias[c], 0.f);
  }
}

extern "C" __global__ void __launch_bounds__(256) wave(const float* x, float* out, int64_t n) {
  const int64_t at = thread_index();
  if (at < n) out[at] = expf(-x[at] * x[at]) * sinf(x[at]) + sqrtf(fabsf(x[at]));
}
