// Every short form once, and what a parser meets around them.
#loc = loc("model.py":12:3)
#pair = [1 : i64, "two"]
!word = tensor<2xi32>
module @forms attributes {mhlo.num_partitions = 1 : i32, test.pair = #pair, "odd name" = unit} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<2x3xf32> {mhlo.layout_mode = "default"} loc("x"), %arg1: tensor<i32>) -> (tensor<2x3xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<[[1, -2], [3, 0x7F]]> : tensor<2x2xi8>
    %cst = stablehlo.constant {test.note = 1.5 : f32} dense<0xFF800000> : tensor<f32>
    %z = stablehlo.constant dense<(1.0,-2.5)> : tensor<complex<f32>>
    %q = stablehlo.constant() <{value = dense<7> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5:-128>>
    %i = stablehlo.iota dim = 1 : tensor<2x3xf32>
    %0 = stablehlo.add %arg0, %i {mhlo.frontend_attributes = {a = "b"}} : tensor<2x3xf32> loc(callsite("a"("b":1:2) at #loc))
    %1 = stablehlo.compare  GT, %0, %i,  FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %2 = stablehlo.compare EQ, %0, %i : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %3 = stablehlo.select %1, %0, %i : tensor<2x3xi1>, tensor<2x3xf32>
    %4 = stablehlo.clamp %cst, %3, %cst : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %5 = stablehlo.convert %4 : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %6 = chlo.erf_inv %4 : tensor<2x3xf32> -> tensor<2x3xf32>
    %values, %indices = chlo.top_k(%6, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %8:2 = stablehlo.reduce(%6 init: %cst), (%5 init: %arg1) across dimensions = [0] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%d: tensor<i32>, %e: tensor<i32>)  {
      stablehlo.return %a, %e : tensor<f32>, tensor<i32>
    }
    %9:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %8#0) : tensor<i32>, tensor<3xf32> attributes {test.loop}
    cond {
      %c_1 = stablehlo.constant dense<5> : tensor<i32>
      %50 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %50 : tensor<i1>
    } do {
      %50 = func.call @step(%iterArg_0) : (tensor<3xf32>) -> tensor<3xf32>
      stablehlo.return %iterArg, %50 : tensor<i32>, tensor<3xf32>
    }
    %10 = "stablehlo.case"(%arg1) ({
      stablehlo.return %arg0 : tensor<2x3xf32>
    }, {
      stablehlo.return %i : tensor<2x3xf32>
    }) : (tensor<i32>) -> tensor<2x3xf32>
    %11 = stablehlo.slice %10 [0:2:2, 1:3] : (tensor<2x3xf32>) -> tensor<1x2xf32>
    %12 = stablehlo.pad %11, %cst, low = [0, -1], high = [1, 0], interior = [0, 2] : (tensor<1x2xf32>, tensor<f32>) -> tensor<2x3xf32>
    %13 = stablehlo.transpose %12, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %14 = stablehlo.dot_general %12, %13, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %15 = stablehlo.reshape %14 : (tensor<2x2xf32>) -> tensor<1x2x2x1xf32>
    %16 = stablehlo.convolution(%15, %15) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
    %17 = stablehlo.dynamic_slice %14, %arg1, %arg1, sizes = [1, 2] : (tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %18 = stablehlo.concatenate %17, %11, dim = 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
    %19 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %20 = stablehlo.fft %z, type =  FFT, length = [] : (tensor<complex<f32>>) -> tensor<complex<f32>>
    %21 = stablehlo.reduce_precision %19, format = e5m10 : tensor<4xf32>
    %22 = stablehlo.reverse %21, dims = [0] : tensor<4xf32>
    %23 = stablehlo.real %20 : (tensor<complex<f32>>) -> tensor<f32>
    %24 = stablehlo.complex %23, %23 : tensor<complex<f32>>
    %25:2 = stablehlo.optimization_barrier %23, %22 : tensor<f32>, tensor<4xf32>
    %26 = stablehlo.custom_call @"a target"(%23) {api_version = 2 : i32, operand_layouts = [dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=4, j=4}, custom>} : (tensor<f32>) -> tensor<f32>
    %27 = "stablehlo.sort"(%22) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %50 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %50 : tensor<i1>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %28 = sdy.sharding_constraint %27 <@mesh, [{"x"}]> : tensor<4xf32>
    %29 = stablehlo.cholesky %14, lower = true : tensor<2x2xf32>
    %c_2 = stablehlo.constant dense<[1, 18446744073709551615]> : tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %c_2, algorithm =  THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
    return %10 : tensor<2x3xf32>
  }
  func.func private @step(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
  func.func private @"<lambda>"(!word, tensor<?x2xf32>) -> !stablehlo.token
}

// -----

func.func @generic(%arg0: tensor<4xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.slice"(%arg0) {
    start_indices = array<i64: 0>, // a comment
    limit_indices = array<i64: 4>, strides = array<i64: 2>, flags = array<i1: true, false>, none = array<i64>
  } : (tensor<4xf32>) -> tensor<2xf32>
  %1 = stablehlo.tuple %0, %arg0 : tuple<tensor<2xf32>, tensor<4xf32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<2xf32>, tensor<4xf32>>) -> tensor<2xf32>
  %3 = stablehlo.after_all : !stablehlo.token
  %4 = stablehlo.composite "a.b" %2 {composite_attributes = {n = 2 : i64}, decomposition = @a.impl} : (tensor<2xf32>) -> tensor<2xf32>
  %5:2 = chlo.scan(%4) inits(%arg0) dimension=0 attributes {is_reverse = true} {
  ^bb0(%x: tensor<f32>, %y: tensor<4xf32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<4xf32>
  } : (tensor<2xf32>, tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>)
  check.expect_eq_const %4, dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_close %4, %4, max_ulp_difference = 4 : tensor<2xf32>, tensor<2xf32>
  return %4 : tensor<2xf32>
}
