// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/entries.h: the entry points of NVIDIA's libraries that we call, as tables
// of function pointers (docs/decisions/0037). All return a status; 0 is success.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/cuda/driver.h"
#include "weft/dtype.h"

namespace weft::cuda {

using Status = int;
// Handles are opaque pointers; those of cuFFT are integers.
using SolverHandle = struct SolverOf*;
using BlasHandle = struct BlasOf*;
using BlasLtHandle = struct BlasLtOf*;
using MatmulHandle = struct MatmulOf*;
using LayoutHandle = struct LayoutOf*;
using PreferenceHandle = struct PreferenceOf*;
using DnnHandle = struct DnnOf*;
using TensorHandle = struct TensorOf*;
using FilterHandle = struct FilterOf*;
using ConvolutionHandle = struct ConvolutionOf*;
using FftPlan = int;

// Constants of the libraries' headers, by value.
namespace number {
constexpr int lower = 0, upper = 1;                          // cublasFillMode_t
constexpr int as_it_is = 0, transpose = 1, adjoint = 2;      // cublasOperation_t
constexpr int left = 0, right = 1;                           // cublasSideMode_t
constexpr int non_unit = 0, unit = 1;                        // cublasDiagType_t
constexpr int with_vectors = 1;                              // cusolverEigMode_t
constexpr int compute_32f = 68, compute_64f = 70;            // cublasComputeType_t
constexpr int r_32f = 0, r_64f = 1, r_16f = 2, r_16bf = 14;  // cudaDataType
constexpr int transpose_a = 3, transpose_b = 4;              // cublasLtMatmulDescAttributes_t
constexpr int batch_count = 5, batch_offset = 6;             // cublasLtMatrixLayoutAttribute_t
// cublasLtMatmulPreferenceAttributes_t
constexpr int max_workspace = 1, alignment_a = 5, alignment_d = 8;
constexpr int c2c = 0x29, r2c = 0x2a, c2r = 0x2c, z2z = 0x69, d2z = 0x6a, z2d = 0x6c;
constexpr int fft_forward = -1, fft_inverse = 1;
// cudnnDataType_t, cudnnTensorFormat_t, cudnnConvolutionMode_t, cudnnMathType_t.
constexpr int dnn_float = 0, dnn_double = 1, dnn_half = 2, dnn_bfloat16 = 9;
constexpr int nchw = 0, cross_correlation = 1, tensor_op_math = 1, fma_math = 3;
// cudnnConvolutionFwdAlgo_t: the algorithms from implicit_gemm to direct sum products without
// transforming the data.
constexpr int implicit_gemm = 0, direct = 3;
}  // namespace number

// cublasLtMatmulHeuristicResult_t.
struct MatmulChoice {
  struct {
    uint64_t words[8];
  } algorithm;
  size_t workspace;
  Status state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(MatmulChoice) == 96 && offsetof(MatmulChoice, workspace) == 64);

// cudnnConvolutionFwdAlgoPerf_t.
struct ConvolutionChoice {
  int algorithm;
  Status state;
  float time;
  size_t workspace;
  int determinism, math;
  int reserved[3];
};
static_assert(sizeof(ConvolutionChoice) == 48 && offsetof(ConvolutionChoice, workspace) == 16);

// Each entry point: our name, its symbol, its parameters. T is S, D, C or Z; U is "or" or "un"; E
// is "sy" or "he".
#define WEFT_CUSOLVER_ENTRIES_OF(X, T, U, E)                                                      \
  X(potrf_size, cusolverDn##T##potrf_bufferSize, (SolverHandle, int, int, void*, int, int*))      \
  X(potrf, cusolverDn##T##potrf, (SolverHandle, int, int, void*, int, void*, int, int*))          \
  X(potrf_batched, cusolverDn##T##potrfBatched,                                                   \
    (SolverHandle, int, int, void* const*, int, int*, int))                                       \
  X(getrf_size, cusolverDn##T##getrf_bufferSize, (SolverHandle, int, int, void*, int, int*))      \
  X(getrf, cusolverDn##T##getrf, (SolverHandle, int, int, void*, int, void*, int*, int*))         \
  X(geqrf_size, cusolverDn##T##geqrf_bufferSize, (SolverHandle, int, int, void*, int, int*))      \
  X(geqrf, cusolverDn##T##geqrf, (SolverHandle, int, int, void*, int, void*, void*, int, int*))   \
  X(orgqr_size, cusolverDn##T##U##gqr_bufferSize,                                                 \
    (SolverHandle, int, int, int, const void*, int, const void*, int*))                           \
  X(orgqr, cusolverDn##T##U##gqr,                                                                 \
    (SolverHandle, int, int, int, void*, int, const void*, void*, int, int*))                     \
  X(syevd_size, cusolverDn##T##E##evd_bufferSize,                                                 \
    (SolverHandle, int, int, int, const void*, int, const void*, int*))                           \
  X(syevd, cusolverDn##T##E##evd,                                                                 \
    (SolverHandle, int, int, int, void*, int, void*, void*, int, int*))                           \
  X(gesvd_size, cusolverDn##T##gesvd_bufferSize, (SolverHandle, int, int, int*))                  \
  X(gesvd, cusolverDn##T##gesvd,                                                                  \
    (SolverHandle, signed char, signed char, int, int, void*, int, void*, void*, int, void*, int, \
     void*, int, void*, int*))
#define WEFT_CUSOLVER_ENTRIES(X)                                   \
  X(create, cusolverDnCreate, (SolverHandle*))                     \
  X(set_stream, cusolverDnSetStream, (SolverHandle, StreamHandle)) \
  X(property, cusolverGetProperty, (int, int*))                    \
  X(swap_rows, cusolverDnDlaswp, (SolverHandle, int, void*, int, int, int, const int*, int))

#define WEFT_CUBLAS_ENTRIES_OF(X, T, U, E)                                                         \
  X(trsm, cublas##T##trsm_v2,                                                                      \
    (BlasHandle, int, int, int, int, int, int, const void*, const void*, int, void*, int))         \
  X(trsm_batched, cublas##T##trsmBatched,                                                          \
    (BlasHandle, int, int, int, int, int, int, const void*, const void* const*, int, void* const*, \
     int, int))                                                                                    \
  X(getrf_batched, cublas##T##getrfBatched, (BlasHandle, int, void* const*, int, int*, int*, int))
#define WEFT_CUBLAS_ENTRIES(X)                                  \
  X(create, cublasCreate_v2, (BlasHandle*))                     \
  X(set_stream, cublasSetStream_v2, (BlasHandle, StreamHandle)) \
  X(property, cublasGetProperty, (int, int*))

#define WEFT_CUBLASLT_ENTRIES(X)                                                                  \
  X(create, cublasLtCreate, (BlasLtHandle*))                                                      \
  X(property, cublasLtGetProperty, (int, int*))                                                   \
  X(matmul_create, cublasLtMatmulDescCreate, (MatmulHandle*, int, int))                           \
  X(matmul_destroy, cublasLtMatmulDescDestroy, (MatmulHandle))                                    \
  X(matmul_set, cublasLtMatmulDescSetAttribute, (MatmulHandle, int, const void*, size_t))         \
  X(layout_create, cublasLtMatrixLayoutCreate, (LayoutHandle*, int, uint64_t, uint64_t, int64_t)) \
  X(layout_destroy, cublasLtMatrixLayoutDestroy, (LayoutHandle))                                  \
  X(layout_set, cublasLtMatrixLayoutSetAttribute, (LayoutHandle, int, const void*, size_t))       \
  X(preference_create, cublasLtMatmulPreferenceCreate, (PreferenceHandle*))                       \
  X(preference_destroy, cublasLtMatmulPreferenceDestroy, (PreferenceHandle))                      \
  X(preference_set, cublasLtMatmulPreferenceSetAttribute,                                         \
    (PreferenceHandle, int, const void*, size_t))                                                 \
  X(choose, cublasLtMatmulAlgoGetHeuristic,                                                       \
    (BlasLtHandle, MatmulHandle, LayoutHandle, LayoutHandle, LayoutHandle, LayoutHandle,          \
     PreferenceHandle, int, MatmulChoice*, int*))                                                 \
  X(matmul, cublasLtMatmul,                                                                       \
    (BlasLtHandle, MatmulHandle, const void*, const void*, LayoutHandle, const void*,             \
     LayoutHandle, const void*, const void*, LayoutHandle, void*, LayoutHandle, const void*,      \
     void*, size_t, StreamHandle))

#define WEFT_CUFFT_ENTRIES(X)                                                                      \
  X(create, cufftCreate, (FftPlan*))                                                               \
  X(destroy, cufftDestroy, (FftPlan))                                                              \
  X(property, cufftGetProperty, (int, int*))                                                       \
  X(set_stream, cufftSetStream, (FftPlan, StreamHandle))                                           \
  X(allocate_itself, cufftSetAutoAllocation, (FftPlan, int))                                       \
  X(set_work_area, cufftSetWorkArea, (FftPlan, void*))                                             \
  X(plan, cufftMakePlanMany64,                                                                     \
    (FftPlan, int, long long*, long long*, long long, long long, long long*, long long, long long, \
     int, long long, size_t*))                                                                     \
  X(c2c, cufftExecC2C, (FftPlan, void*, void*, int))                                               \
  X(z2z, cufftExecZ2Z, (FftPlan, void*, void*, int))                                               \
  X(r2c, cufftExecR2C, (FftPlan, void*, void*))                                                    \
  X(d2z, cufftExecD2Z, (FftPlan, void*, void*))                                                    \
  X(c2r, cufftExecC2R, (FftPlan, void*, void*))                                                    \
  X(z2d, cufftExecZ2D, (FftPlan, void*, void*))

#define WEFT_CUDNN_ENTRIES(X)                                                                 \
  X(create, cudnnCreate, (DnnHandle*))                                                        \
  X(set_stream, cudnnSetStream, (DnnHandle, StreamHandle))                                    \
  X(property, cudnnGetProperty, (int, int*))                                                  \
  X(tensor_create, cudnnCreateTensorDescriptor, (TensorHandle*))                              \
  X(tensor_destroy, cudnnDestroyTensorDescriptor, (TensorHandle))                             \
  X(tensor_set, cudnnSetTensorNdDescriptor, (TensorHandle, int, int, const int*, const int*)) \
  X(filter_create, cudnnCreateFilterDescriptor, (FilterHandle*))                              \
  X(filter_destroy, cudnnDestroyFilterDescriptor, (FilterHandle))                             \
  X(filter_set, cudnnSetFilterNdDescriptor, (FilterHandle, int, int, int, const int*))        \
  X(convolution_create, cudnnCreateConvolutionDescriptor, (ConvolutionHandle*))               \
  X(convolution_destroy, cudnnDestroyConvolutionDescriptor, (ConvolutionHandle))              \
  X(convolution_set, cudnnSetConvolutionNdDescriptor,                                         \
    (ConvolutionHandle, int, const int*, const int*, const int*, int, int))                   \
  X(set_groups, cudnnSetConvolutionGroupCount, (ConvolutionHandle, int))                      \
  X(set_math, cudnnSetConvolutionMathType, (ConvolutionHandle, int))                          \
  X(choose, cudnnGetConvolutionForwardAlgorithm_v7,                                           \
    (DnnHandle, TensorHandle, FilterHandle, ConvolutionHandle, TensorHandle, int, int*,       \
     ConvolutionChoice*))                                                                     \
  X(workspace, cudnnGetConvolutionForwardWorkspaceSize,                                       \
    (DnnHandle, TensorHandle, FilterHandle, ConvolutionHandle, TensorHandle, int, size_t*))   \
  X(forward, cudnnConvolutionForward,                                                         \
    (DnnHandle, const void*, TensorHandle, const void*, FilterHandle, const void*,            \
     ConvolutionHandle, int, void*, size_t, const void*, TensorHandle, void*))

#define WEFT_CUDA_LIBRARY_POINTER(name, symbol, parameters) Status(*name) parameters = nullptr;

// S, D, C and Z for F32, F64, C64 and C128.
inline size_t letter_of(DType d) { return d == F32 ? 0 : d == F64 ? 1 : d == C64 ? 2 : 3; }

struct Library {
  std::string missing;  // a sentence that says why it cannot be used; "" if it can
  std::string file;     // the file that was opened
  std::string version;  // "12.4.1"
};
struct Solver : Library {
  WEFT_CUSOLVER_ENTRIES(WEFT_CUDA_LIBRARY_POINTER)
  struct Typed {
    WEFT_CUSOLVER_ENTRIES_OF(WEFT_CUDA_LIBRARY_POINTER, S, or, sy)
  };
  std::array<Typed, 4> typed;
  const Typed& of(DType d) const { return typed[letter_of(d)]; }
};
struct Blas : Library {
  WEFT_CUBLAS_ENTRIES(WEFT_CUDA_LIBRARY_POINTER)
  struct Typed {
    WEFT_CUBLAS_ENTRIES_OF(WEFT_CUDA_LIBRARY_POINTER, S, or, sy)
  };
  std::array<Typed, 4> typed;
  const Typed& of(DType d) const { return typed[letter_of(d)]; }
};
struct BlasLt : Library {
  WEFT_CUBLASLT_ENTRIES(WEFT_CUDA_LIBRARY_POINTER)
};
struct Fft : Library {
  WEFT_CUFFT_ENTRIES(WEFT_CUDA_LIBRARY_POINTER)
};
struct Dnn : Library {
  WEFT_CUDNN_ENTRIES(WEFT_CUDA_LIBRARY_POINTER)
};
#undef WEFT_CUDA_LIBRARY_POINTER

}  // namespace weft::cuda
