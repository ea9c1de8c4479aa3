// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_forms_test.cpp: tuples, sizes that are operands, loops over slices and
// random bits in StableHLO. The expected random numbers are JAX's on its CPU.
#include <catch2/catch.hpp>

#include "interop/run_stablehlo.h"
#include "support/check.h"
#include "weft/stablehlo.h"

using namespace weft;
using namespace weft::test;

namespace {

std::string in_main(const std::string& in, const std::string& out, const std::string& lines) {
  return "func.func @main(" + in + ") -> (" + out + ") {\n" + lines + "\n}\n";
}
std::string refusal(const std::string& text) {
  return error_of<FormatError>([&] { parse_stablehlo(text, "p.mlir"); });
}

}  // namespace

TEST_CASE("parts of tuples", "[interop][stablehlo]") {
  const auto nested = [](const std::string& index) {
    return in_main("%x: tensor<2xf32>, %n: tensor<i32>", "tensor<2xf32>, tensor<i32>",
                   "%a = stablehlo.tuple %n : tuple<tensor<i32>>\n"
                   "%b = stablehlo.tuple %x, %a : tuple<tensor<2xf32>, tuple<tensor<i32>>>\n"
                   "%c = stablehlo.get_tuple_element %b[0] : (tuple<tensor<2xf32>, "
                   "tuple<tensor<i32>>>) -> tensor<2xf32>\n"
                   "%d = stablehlo.get_tuple_element %b[1] : (tuple<tensor<2xf32>, "
                   "tuple<tensor<i32>>>) -> tuple<tensor<i32>>\n"
                   "%e = stablehlo.get_tuple_element %d[" +
                       index +
                       "] : (tuple<tensor<i32>>) -> tensor<i32>\n"
                       "return %c, %e : tensor<2xf32>, tensor<i32>");
  };
  const Arrays out = run(nested("0"), {array({1., 2.}), Array(7).astype(I32)});
  CHECK(floats(out[0]) == Floats{1, 2});
  CHECK(out[1].item<int>() == 7);
  CHECK_THAT(refusal(nested("1")), Catch::Contains("line 6") && Catch::Contains("out of range"));
  CHECK_THAT(refusal(in_main("%t: tuple<tensor<i32>>", "tensor<i32>",
                             "%e = stablehlo.get_tuple_element %t[0] : (tuple<tensor<i32>>) -> "
                             "tensor<i32>\nreturn %e : tensor<i32>")),
             Catch::Contains("missing type 'tuple<tensor<i32>>'"));
}

TEST_CASE("sizes that are operands", "[interop][stablehlo]") {
  const Array x = array({1., 2., 3., 4.});
  const auto of = [](const std::string& op, const std::string& constants, int n) {
    const std::string t = "tensor<" + std::to_string(n) + "xf32>";
    return in_main("%x: tensor<4xf32>, %n: tensor<1xi32>", t,
                   "%a = stablehlo.constant dense<1> : tensor<1xi32>\n"
                   "%b = stablehlo.constant dense<[4]> : tensor<1xi32>\n"
                   "%c = stablehlo.constant dense<2> : tensor<1xi32>\n"
                   "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                   "%r = \"stablehlo." +
                       op + "\"(" + constants + ") : (tensor<4xf32>, " +
                       (op == "dynamic_pad" ? "tensor<f32>, " : "") +
                       "tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> " + t +
                       "\nreturn %r : " + t);
  };
  CHECK(floats(run(of("real_dynamic_slice", "%x, %a, %b, %c", 2),
                   {x, array({0}).astype(I32)})[0]) == Floats{2, 4});
  CHECK(floats(run(of("dynamic_pad", "%x, %z, %a, %c, %a", 10), {x, array({0}).astype(I32)})[0]) ==
        Floats{0, 1, 0, 2, 0, 3, 0, 4, 0, 0});
  CHECK_THAT(refusal(of("real_dynamic_slice", "%x, %n, %b, %c", 2)),
             Catch::Contains("missing op 'stablehlo.real_dynamic_slice' with sizes that are not "
                             "constants"));
}

TEST_CASE("bools are the bits of a number", "[interop][stablehlo]") {
  const std::string bits =
      in_main("%x: tensor<2xui8>", "tensor<2x8xi1>, tensor<2xui8>",
              "%b = stablehlo.bitcast_convert %x : (tensor<2xui8>) -> tensor<2x8xi1>\n"
              "%y = stablehlo.bitcast_convert %b : (tensor<2x8xi1>) -> tensor<2xui8>\n"
              "return %b, %y : tensor<2x8xi1>, tensor<2xui8>");
  const Arrays out = run(bits, {array({5, 130}).astype(U8)});
  CHECK(out[0].to_vector<int>() ==
        std::vector<int>{1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1});
  CHECK(out[1].to_vector<int>() == std::vector<int>{5, 130});
}

TEST_CASE("loops over slices", "[interop][stablehlo]") {
  const auto scan = [](const std::string& attributes, const std::string& results = "%s, %k") {
    return in_main("%x: tensor<2x3xf32>, %c: tensor<2xf32>", "tensor<2x3xf32>, tensor<2xf32>",
                   "%r:2 = chlo.scan(%x) inits(%c) dimension=1 " + attributes +
                       " {\n^bb0(%v: tensor<2xf32>, %k: tensor<2xf32>):\n"
                       "%s = stablehlo.multiply %v, %k : tensor<2xf32>\n"
                       "stablehlo.return " +
                       results +
                       " : tensor<2xf32>, tensor<2xf32>\n} : (tensor<2x3xf32>, tensor<2xf32>) -> "
                       "(tensor<2x3xf32>, tensor<2xf32>)\n"
                       "return %r#0, %r#1 : tensor<2x3xf32>, tensor<2xf32>");
  };
  const Arrays x = {array({{1., 2., 3.}, {4., 5., 6.}}), array({1., 2.})};
  const Arrays kept = run(scan(""), x), product = run(scan("", "%k, %s"), x);
  CHECK(floats(kept[0]) == Floats{1, 2, 3, 8, 10, 12});
  CHECK(floats(kept[1]) == Floats{1, 2});
  CHECK(floats(product[0]) == Floats{1, 1, 2, 2, 8, 40});
  CHECK(floats(product[1]) == Floats{6, 240});
  const Arrays back = run(scan("attributes {is_reverse = true}", "%k, %s"), x);
  CHECK(floats(back[0]) == Floats{6, 3, 1, 60, 12, 2});
  const ClosedJaxpr p = parse_stablehlo(scan("", "%k, %s"));
  const auto f = [p](Array c) {
    return eval_jaxpr(p, {array({{1., 2., 3.}, {4., 5., 6.}}), c})[1].sum();
  };
  CHECK(floats(jit(grad(f))(array({1., 2.}))) == Floats{6, 120});
  CHECK_THAT(refusal(in_main("%x: tensor<3xf32>, %c: tensor<f32>", "tensor<3xf32>, tensor<f32>",
                             "%r:2 = chlo.scan(%x) inits(%c) dimension=1 {\n^bb0(%v: tensor<f32>, "
                             "%d: tensor<f32>):\nstablehlo.return %v, %d : tensor<f32>, "
                             "tensor<f32>\n} : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, "
                             "tensor<f32>)\nreturn %r#0, %r#1 : tensor<3xf32>, tensor<f32>")),
             Catch::Contains("line 2") && Catch::Contains("dimension is not an axis"));
}

TEST_CASE("random bits from a counter", "[interop][stablehlo]") {
  const auto draw = [](const std::string& algorithm, const std::string& element, int words = 2) {
    const std::string s = "tensor<" + std::to_string(words) + "xui64>",
                      t = "tensor<3x3x" + element + ">";
    return in_main("%s: " + s, s + ", " + t,
                   "%n, %b = stablehlo.rng_bit_generator %s, algorithm = " + algorithm + " : (" +
                       s + ") -> (" + s + ", " + t + ")\nreturn %n, %b : " + s + ", " + t);
  };
  using Words = std::vector<uint64_t>;
  const auto bits = [&](const std::string& algorithm, const std::string& element, Words state,
                        Words* next) {
    const Arrays out = run(draw(algorithm, element, static_cast<int>(state.size())),
                           {array(state, {static_cast<int64_t>(state.size())})});
    *next = out[0].to_vector<uint64_t>();
    return out[1].to_vector<uint64_t>();
  };
  const Words state = {123456789012345, 0xfffffffffffffffe};
  Words next;
  CHECK(bits("THREE_FRY", "ui8", state, &next) == Words{131, 196, 90, 126, 36, 140, 55, 151, 98});
  CHECK(next == Words{123456789012345, 4});
  CHECK(bits("THREE_FRY", "ui32", state, &next) == Words{3589291907, 1915343300, 665720666,
                                                         708385150, 1309671972, 1048139916,
                                                         1318464823, 2912423063, 977820002});
  CHECK(bits("THREE_FRY", "ui64", state, &next) ==
        Words{3042491055811346307u, 5624998290143171012u, 4501726661517907802u,
              2848223351960644919u, 6178687479027600535u, 1021743764026710370u,
              9916305340693925036u, 7811031517571150968u, 7116100327933741688u});
  CHECK(next == Words{123456789012345, 7});
  const Words philox = {251580817,  4178966393, 3723878269, 2602431389, 2632834309,
                        2325248945, 2397082208, 1415938123, 1980270325};
  CHECK(bits("PHILOX", "ui32", state, &next) == philox);
  CHECK(next == Words{123456789012345, 1});
  CHECK(bits("DEFAULT", "ui32", state, &next) == philox);
  CHECK(bits("PHILOX", "ui64", state, &next) ==
        Words{17948523989269664145u, 11177357709562732413u, 9986868176466337029u,
              6081407933841707616u, 3720416942835140341u, 15328080577623603587u,
              12269601205513989311u, 11829943567774670023u, 11364800624086114729u});
  // The state includes the upper half of the counter, which gets the carry.
  const Words three = {123456789012345, 0xfffffffffffffffe, 123456789012345};
  CHECK(bits("PHILOX", "ui32", three, &next) == philox);
  CHECK(next == Words{123456789012345, 1, 123456789012346});
  CHECK_THAT(refusal(draw("THREE_FRY", "ui32", 3)), Catch::Contains("a state of two numbers"));
  // Floats have the bits of integers of the same width.
  for (const auto& [number, word, d] :
       {std::tuple("f32", "ui32", U32), {"f16", "ui16", U16}, {"f64", "ui64", U64}}) {
    const Array drawn = run(draw("PHILOX", number), {array(state, {2})})[1];
    const Array want = run(draw("PHILOX", word), {array(state, {2})})[1];
    CHECK(is_floating(drawn.dtype()));
    CHECK(lax::bitcast_convert_type(drawn, d).to_vector<uint64_t>() == want.to_vector<uint64_t>());
  }
  CHECK_THAT(refusal(draw("PHILOX", "complex<f32>")), Catch::Contains("nor floats"));
  CHECK_THAT(refusal(draw("MERSENNE", "ui32")), Catch::Contains("THREE_FRY"));
}

TEST_CASE("scatter by any body", "[interop][stablehlo]") {
  const auto scatter = [](const std::string& indices, const std::string& rows,
                          const std::string& unique) {
    return in_main(
        "%x: tensor<3x2xf32>, %u: tensor<" + rows + "x2xf32>", "tensor<3x2xf32>",
        "%i = stablehlo.constant dense<" + indices + "> : tensor<" + rows +
            "x1xi32>\n%r = \"stablehlo.scatter\"(%x, %i, %u) <{unique_indices = " + unique +
            ", scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
            "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
            "index_vector_dim = 1>}> ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
            "%p = stablehlo.multiply %a, %a : tensor<f32>\n"
            "%s = stablehlo.subtract %p, %b : tensor<f32>\n"
            "stablehlo.return %s : tensor<f32>\n}) : (tensor<3x2xf32>, tensor<" +
            rows + "x1xi32>, tensor<" + rows +
            "x2xf32>) -> tensor<3x2xf32>\nreturn %r : tensor<3x2xf32>");
  };
  const Array x = array({{1., 2.}, {3., 4.}, {5., 6.}});
  CHECK(floats(run(scatter("[[1]]", "1", "false"), {x, array({{1., 2.}})})[0]) ==
        Floats{1, 2, 8, 14, 5, 6});
  // An index out of bounds writes nothing.
  CHECK(floats(run(scatter("[[2], [7]]", "2", "true"), {x, array({{1., 2.}, {3., 4.}})})[0]) ==
        Floats{1, 2, 3, 4, 24, 34});
  // Repeated writes happen in the order of the updates: 16 - 1, 225 - 3.
  CHECK(floats(run(scatter("[[1], [9], [1]]", "3", "false"),
                   {x, array({{0., 1.}, {5., 5.}, {2., 3.}})})[0]) == Floats{1, 2, 79, 222, 5, 6});
  const ClosedJaxpr p = parse_stablehlo(scatter("[[1], [0], [1]]", "3", "false"));
  const auto f = [p](Array v) { return eval_jaxpr(p, {v, zeros({3, 2})})[0].sum(); };
  CHECK(floats(jit(grad(f))(x)) == Floats{2, 4, 108, 256, 1, 1});
  CHECK(floats(jit(vmap(f))(stack({x, -x}))) == Floats{353, 331});
}

TEST_CASE("scatter of several operands, with axes that go with the indices'",
          "[interop][stablehlo]") {
  const std::string text = in_main(
      "%x: tensor<2x3xf32>, %y: tensor<2x3xi32>, %i: tensor<2x2x1xi32>, %u: tensor<2x2xf32>, "
      "%v: tensor<2x2xi32>",
      "tensor<2x3xf32>, tensor<2x3xi32>",
      "%r:2 = \"stablehlo.scatter\"(%x, %y, %i, %u, %v) <{unique_indices = false, "
      "scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], "
      "input_batching_dims = [0], scatter_indices_batching_dims = [0], "
      "scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({\n"
      "^bb0(%a: tensor<f32>, %m: tensor<i32>, %b: tensor<f32>, %n: tensor<i32>):\n"
      "%more = stablehlo.compare GT, %b, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "%s = stablehlo.select %more, %b, %a : tensor<i1>, tensor<f32>\n"
      "%t = stablehlo.select %more, %n, %m : tensor<i1>, tensor<i32>\n"
      "stablehlo.return %s, %t : tensor<f32>, tensor<i32>\n}) : (tensor<2x3xf32>, "
      "tensor<2x3xi32>, tensor<2x2x1xi32>, tensor<2x2xf32>, tensor<2x2xi32>) -> "
      "(tensor<2x3xf32>, tensor<2x3xi32>)\nreturn %r#0, %r#1 : tensor<2x3xf32>, tensor<2x3xi32>");
  const Arrays out =
      run(text, {zeros({2, 3}), zeros({2, 3}, I32), array({{{0}, {0}}, {{2}, {1}}}).astype(I32),
                 array({{3., 2.}, {-1., 5.}}), array({{1, 2}, {3, 4}}).astype(I32)});
  CHECK(floats(out[0]) == Floats{3, 0, 0, 0, 5, 0});
  CHECK(out[1].to_vector<int>() == std::vector<int>{1, 0, 0, 0, 4, 0});
}

TEST_CASE("gathers and convolutions whose sizes are operands", "[interop][stablehlo]") {
  const std::string gather = in_main(
      "%x: tensor<3x2xf32>, %i: tensor<2x1xi32>", "tensor<2x2xf32>",
      "%s = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
      "%r = \"stablehlo.dynamic_gather\"(%x, %i, %s) {dimension_numbers = "
      "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
      "index_vector_dim = 1>, indices_are_sorted = false} : (tensor<3x2xf32>, tensor<2x1xi32>, "
      "tensor<2xi64>) -> tensor<2x2xf32>\nreturn %r : tensor<2x2xf32>");
  const Array x = array({{1., 2.}, {3., 4.}, {5., 6.}});
  CHECK(floats(run(gather, {x, array({{2}, {0}}).astype(I32)})[0]) == Floats{5, 6, 1, 2});
  const auto conv = [](const std::string& padding) {
    return in_main(
        "%x: tensor<1x1x4xf32>, %k: tensor<1x1x3xf32>, %n: tensor<1x2xi64>", "tensor<1x1x3xf32>",
        "%p = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi64>\n"
        "%r = \"stablehlo.dynamic_conv\"(%x, %k, " +
            padding +
            ") {window_strides = array<i64: 1>, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, "
            "i, "
            "0]->[b, f, 0]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : "
            "(tensor<1x1x4xf32>, tensor<1x1x3xf32>, tensor<1x2xi64>) -> tensor<1x1x3xf32>\n"
            "return %r : tensor<1x1x3xf32>");
  };
  const Array v = array({{{1., 2., 3., 4.}}}), k = array({{{1., 10., 100.}}});
  CHECK(floats(run(conv("%p"), {v, k, zeros({1, 2}, I64)})[0]) == Floats{210, 321, 432});
  CHECK_THAT(refusal(conv("%n")), Catch::Contains("with sizes that are not constants"));
}

TEST_CASE("ops of chlo bring their operands to one shape", "[interop][stablehlo]") {
  const auto of = [](const std::string& op, const std::string& attributes, const std::string& in,
                     const std::string& out) {
    return in_main("%x: tensor<2x3xf32>, %y: " + in, out,
                   "%r = chlo.broadcast_" + op + " %x, %y" + attributes + " : (tensor<2x3xf32>, " +
                       in + ") -> " + out + "\nreturn %r : " + out);
  };
  const Array x = array({{1., 2., 3.}, {4., 5., 6.}});
  const std::string matrix = "tensor<2x3xf32>";
  CHECK(floats(run(of("add", "", "tensor<3xf32>", matrix), {x, array({10., 20., 30.})})[0]) ==
        Floats{11, 22, 33, 14, 25, 36});
  CHECK(floats(run(of("multiply", "", "tensor<2x1xf32>", matrix), {x, array({{1.}, {-1.}})})[0]) ==
        Floats{1, 2, 3, -4, -5, -6});
  CHECK(
      floats(run(of("subtract", " {broadcast_dimensions = array<i64: 0>}", "tensor<2xf32>", matrix),
                 {x, array({1., 4.})})[0]) == Floats{0, 1, 2, 0, 1, 2});
  CHECK(floats(run(of("power", "", "tensor<f32>", matrix), {x, array({2.})[0]})[0]) ==
        Floats{1, 4, 9, 16, 25, 36});
  CHECK(run(of("compare", " {comparison_direction = #chlo<comparison_direction LT>}",
               "tensor<3xf32>", "tensor<2x3xi1>"),
            {x, array({2., 2., 4.})})[0]
            .to_vector<int>() == std::vector<int>{1, 0, 1, 0, 0, 0});
  CHECK(floats(run(of("zeta", "", "tensor<3xf32>", matrix), {x + 1, array({1., 2., 3.})})[0]) ==
        floats(jit([](Array a, Array b) { return lax::zeta(a, b); })(
            x + 1, broadcast_to(array({1., 2., 3.}), {2, 3}))));
  CHECK_THAT(refusal(of("add", "", "tensor<2xf32>", matrix)), Catch::Contains("line 2"));
}

TEST_CASE("approximate top_k of StableHLO gives the exact results", "[interop][stablehlo]") {
  // This is the form that jax.lax.approx_max_k and approx_min_k write.
  const auto best = [](const std::string& how, int axis, const std::string& out,
                       const std::string& order) {
    return "func.func private @order(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: "
           "tensor<i32>) -> tensor<i1> {\n%0 = stablehlo.compare " +
           how + ", " + order +
           " : (tensor<f32>, tensor<f32>) -> tensor<i1>\nreturn %0 : tensor<i1>\n}\n" +
           in_main("%x: tensor<2x4xf32>", "tensor<" + out + "xf32>, tensor<" + out + "xi32>",
                   "%i = stablehlo.iota dim = " + std::to_string(axis) +
                       " : tensor<2x4xi32>\n%n = stablehlo.constant dense<-1> : tensor<i32>\n"
                       "%z = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
                       "%r:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %z, %n) {backend_config = "
                       "\"\", called_computations = [@order], mhlo.backend_config = "
                       "{aggregate_to_topk = true, is_fallback = true, recall_target = "
                       "0.949999988 : f32, reduction_dim = " +
                       std::to_string(axis) +
                       " : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}} : "
                       "(tensor<2x4xf32>, tensor<2x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<" +
                       out + "xf32>, tensor<" + out + "xi32>)\nreturn %r#0, %r#1 : tensor<" + out +
                       "xf32>, tensor<" + out + "xi32>");
  };
  const Array x = array({{1., 4., 2., 4.}, {-1., 0., 7., 3.}});
  const Arrays most = run(best("GT", 1, "2x2", "%a, %b"), {x});
  CHECK(floats(most[0]) == Floats{4, 4, 7, 3});
  CHECK(most[1].to_vector<int>() == std::vector<int>{1, 3, 2, 3});
  const Arrays least = run(best("LT", 0, "1x4", "%a, %b"), {x});
  CHECK(floats(least[0]) == Floats{-1, 0, 2, 3});
  CHECK(least[1].to_vector<int>() == std::vector<int>{1, 1, 0, 1});
  CHECK(floats(run(best("GT", 1, "2x4", "%a, %b"), {x})[0]) == Floats{4, 4, 2, 1, 7, 3, 0, -1});
  CHECK_THAT(refusal(best("GE", 1, "2x2", "%a, %b")), Catch::Contains("with this comparator"));
  CHECK_THAT(refusal(best("GT", 1, "2x2", "%b, %a")), Catch::Contains("with this comparator"));
  CHECK_THAT(refusal(best("GT", 1, "2x5", "%a, %b")), Catch::Contains("more results"));
}

TEST_CASE("top_k of a program ranks by the total order of the bits", "[interop][stablehlo]") {
  const std::string text =
      in_main("%x: tensor<6xf32>", "tensor<6xf32>, tensor<6xi32>",
              "%v, %i = chlo.top_k(%x, k = 6) : tensor<6xf32> -> (tensor<6xf32>, tensor<6xi32>)\n"
              "return %v, %i : tensor<6xf32>, tensor<6xi32>");
  const double inf = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  const Array x = array({std::copysign(nan, -1.), -inf, -0., 0., nan, inf}, F32);
  CHECK(run(text, {x})[1].to_vector<int>() == std::vector<int>{4, 5, 3, 2, 1, 0});
}

TEST_CASE("factors of different dtypes are those of the result", "[interop][stablehlo]") {
  const std::string text =
      in_main("%x: tensor<2xf32>, %y: tensor<2xi32>", "tensor<f32>",
              "%r = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<2xf32>, "
              "tensor<2xi32>) -> tensor<f32>\nreturn %r : tensor<f32>");
  CHECK(run(text, {array({1.5, 2.}), array({2, 3}).astype(I32)})[0].item<float>() == 9);
}

TEST_CASE("products of groups of rows", "[interop][stablehlo]") {
  const auto ragged = [](const std::string& dims, const std::string& y, const std::string& out) {
    return in_main("%x: tensor<4x2xf32>, %y: tensor<" + y + "xf32>, %n: tensor<2xi32>",
                   "tensor<" + out + "xf32>",
                   "%r = \"chlo.ragged_dot\"(%x, %y, %n) {ragged_dot_dimension_numbers = "
                   "#chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], " +
                       dims + ">} : (tensor<4x2xf32>, tensor<" + y +
                       "xf32>, tensor<2xi32>) -> tensor<" + out + "xf32>\nreturn %r : tensor<" +
                       out + "xf32>");
  };
  const Array x = array({{1., 2.}, {3., 4.}, {5., 6.}, {7., 8.}});
  const Array sizes = array({1, 2}).astype(I32);
  // There is one matrix per group. The last row belongs to no group.
  const std::string rows = ragged(
      "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = "
      "[0], rhs_group_dimensions = [0]",
      "2x2x1", "4x1");
  const Array matrices = array({{{1.}, {1.}}, {{10.}, {0.}}});
  CHECK(floats(run(rows, {x, matrices, sizes})[0]) == Floats{3, 30, 50, 0});
  // There is one result per group.
  const std::string contracted = ragged(
      "lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = "
      "[0], rhs_group_dimensions = []",
      "4x1", "2x2x1");
  CHECK(floats(run(contracted, {x, array({{1.}, {10.}, {100.}, {1000.}}), sizes})[0]) ==
        Floats{1, 2, 530, 640});
  CHECK_THAT(refusal(ragged("lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
                            "lhs_ragged_dimensions = [2], rhs_group_dimensions = [0]",
                            "2x2x1", "4x1")),
             Catch::Contains("lhs_ragged_dimensions"));
}

TEST_CASE("numbers at equal distances are iotas", "[interop][stablehlo]") {
  const auto constant = [](const std::string& numbers, const std::string& type) {
    const std::string t = "tensor<" + type + ">";
    return in_main("%x: " + t, t,
                   "%c = stablehlo.constant dense<" + numbers + "> : " + t +
                       "\n%r = stablehlo.add %x, %c : " + t + "\nreturn %r : " + t);
  };
  const auto is_known = [&](const std::string& numbers, const std::string& type) {
    return parse_stablehlo(constant(numbers, type), "p.mlir").consts.empty();
  };
  const Array zeros3 = zeros({3}, I32), zeros23 = zeros({2, 3}, I64);
  using Numbers = std::vector<int64_t>;
  const auto values = [&](const std::string& numbers, const std::string& type, const Array& x) {
    return run(constant(numbers, type), {x})[0].astype(I64).reshape({-1}).to_vector<int64_t>();
  };
  CHECK(values("[4, 7, 10]", "3xi32", zeros3) == Numbers{4, 7, 10});
  CHECK(values("[1, -1, -3]", "3xi32", zeros3) == Numbers{1, -1, -3});
  CHECK(values("[[0, 5, 10], [-1, 4, 9]]", "2x3xi64", zeros23) == Numbers{0, 5, 10, -1, 4, 9});
  CHECK(is_known("[4, 7, 10]", "3xi32"));
  CHECK(is_known("[[0, 5, 10], [-1, 4, 9]]", "2x3xi64"));
  for (const char* numbers : {"[4, 7, 11]", "[0, 0, 1]", "[2147483647, -2147483648, -1]"})
    CHECK_FALSE(is_known(numbers, "3xi32"));
  CHECK_FALSE(is_known("[[0, 5, 10], [-1, 4, 8]]", "2x3xi64"));
  CHECK_FALSE(is_known("[0.0, 1.0, 2.0]", "3xf32"));
  const std::string least = "-9223372036854775808", greatest = "9223372036854775807";
  CHECK(values("[" + least + ", 0, " + greatest + "]", "3xi64", zeros({3}, I64)) ==
        Numbers{INT64_MIN, 0, INT64_MAX});
  CHECK_FALSE(is_known("[-2, " + greatest + ", 0]", "3xi64"));
}
