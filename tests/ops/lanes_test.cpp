// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/lanes_test.cpp: the lanes of carries and results of a loop with lanes, and the effect
// of a further map on those without lanes.
#include "ops/control/lanes.h"

#include "ops/control/control_flow.h"
#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

// Compares the program mapped over the arguments that `mapped` names with one lane after another.
void check_mapped(const std::string& text, const Arrays& x, const std::vector<bool>& mapped) {
  const ClosedJaxpr program = parse_jaxpr(text);
  std::string which;
  std::vector<Axes> in;
  for (const bool m : mapped) {
    in.push_back(m ? Axes(0) : Axes(none));
    which += m ? "m" : "-";
  }
  INFO(text << "\nmapped: " << which);
  const auto f = [&](const Arrays& a) { return eval_jaxpr(program, a); };
  const int64_t lanes = 3;
  std::vector<Arrays> rows;
  for (int64_t l = 0; l < lanes; ++l) {
    const ReferenceMode reference;
    Arrays lane = x;
    for (size_t i = 0; i < x.size(); ++i)
      if (mapped[i]) lane[i] = x[i][l];
    rows.push_back(f(lane));
  }
  const auto g = vmap(f, Axes({Axes(in)}), 0, {.axis_size = lanes});
  const auto check = [&](const char* how, const Arrays& got) {
    INFO(how);
    for (size_t k = 0; k < got.size(); ++k)
      for (int64_t l = 0; l < lanes; ++l) {
        INFO("result " << k << " of lane " << l);
        CHECK(floats(got[k][l]) == floats(rows[static_cast<size_t>(l)][k]));
      }
  };
  check("compiled", jit(g)(x));
  check("eager", g(x));
  const ReferenceMode reference;
  check("by reference", g(x));
}

// Checks all ways to map the arguments. The lanes are the leading axis of x.
void check_all_maps(const std::string& text, const Arrays& x) {
  for (unsigned set = 1; set < 1u << x.size(); ++set) {
    Arrays given;
    std::vector<bool> mapped;
    for (size_t i = 0; i < x.size(); ++i) {
      mapped.push_back(set >> i & 1);
      given.push_back(mapped[i] ? x[i] : x[i][1]);
    }
    check_mapped(text, given, mapped);
  }
}

Array table(std::vector<double> x, const Shape& s) { return array(x).astype(F32).reshape(s); }
const Array weights = table({1., 2., 4., -3., .5, .25, 7., 8., 9.}, {3, 3});
const Array starts = table({1., 1.5, -2., 3., .5, .25}, {3, 2});
const Array trips = table({0, 2, 4, 1, 0, 0}, {3, 2}).astype(I32);

}  // namespace

TEST_CASE("a map over values that belong to a scan as a whole", "[control][lanes]") {
  for (const char* reverse : {"False", "True"})
    check_all_maps(std::string(R"({ lambda ; a:i32[2] b:f32[3] c:f32[2]. let
    d:f32[3] e:f32[2] f:f32[4,3] g:f32[4,2] = scan[
      jaxpr={ lambda ; h:bool[2] i:f32[3] j:f32[3] k:f32[2]. let
          l:f32[3] = add j i
          m:f32[2] = add k k
          n:f32[3] = mul l l
        in (l, m, n, k) }
      lane_axes=(0, 0, 1, 0, 1)
      lane_ids=(0,)
      lanes=(2,)
      length=4
      num_carry=2
      num_consts=1
      reverse=)") + reverse +
                       R"(
      trip_counts=True
    ] a b b c
  in (d, e, f, g) })",
                   {trips, weights, starts});
}

TEST_CASE("a map over values that belong to a while as a whole", "[control][lanes]") {
  check_all_maps(R"({ lambda ; a:i32[2] b:f32[3] c:f32[2] d:i32[2]. let
    e:i32[2] f:f32[3] g:f32[2] h:i32[2] = while[
      body_jaxpr={ lambda ; i:bool[2] j:f32[3] k:i32[2] l:f32[3] m:f32[2] n:i32[2]. let
          o:i32[2] = sub k n
          p:f32[3] = add l j
          q:f32[2] = add m m
        in (o, p, q, n) }
      body_nconsts=1
      cond_jaxpr={ lambda ; r:i32[2] s:f32[3] t:f32[2] u:i32[2]. let
          v:bool[2] = ge r u
        in (v,) }
      lane_axes=(0, 1, 0, 1, 1)
      lane_ids=(0,)
      lanes=(2,)
    ] b a b c d
  in (f, g) })",
                 {trips, weights, starts, ones({3, 2}, I32)});
}

TEST_CASE("a map over values that belong to a cond as a whole", "[control][lanes]") {
  check_all_maps(R"({ lambda ; a:i32[2] b:f32[3] c:f32[2]. let
    d:f32[3] e:f32[2] = cond[
      branches=(
        { lambda ; f:bool[2] g:f32[3] h:f32[2]. let
            i:f32[3] = add g g
          in (i, h) }
        { lambda ; j:bool[2] k:f32[3] l:f32[2]. let
            m:f32[2] = mul l l
          in (k, m) }
        { lambda ; n:bool[2] o:f32[3] p:f32[2]. let
            q:f32[3] = mul o o
            r:f32[2] = neg p
          in (q, r) }
      )
      lane_axes=(0, 1, 0, 1)
      lane_ids=(0,)
      lanes=(2,)
    ] a b c
  in (d, e) })",
                 {trips, weights, starts});
}

TEST_CASE("results and changed carries have all lanes or none", "[control][lanes]") {
  const std::string text = R"({ lambda ; a:i32[2,3] b:f32[2]. let
    c:f32[2] = cond[
      branches=(
        { lambda ; d:bool[2,3] e:f32[2]. let  in (e,) }
        { lambda ; f:bool[2,3] g:f32[2]. let h:f32[2] = neg g in (h,) }
      )
      lane_axes=(1, SET)
      lane_ids=(0, 1)
      lanes=(2, 3)
    ] a b
  in (c,) })";
  const auto with = [&](const char* set) {
    std::string s = text;
    return s.replace(s.find("SET"), 3, set);
  };
  CHECK_NOTHROW(parse_jaxpr(with("0")));
  check_error<ParseError>([&] { parse_jaxpr(with("1")); },
                          "result 0 of type f32[2] has the set 0b1 of the lanes [2, 3]");
  check_error<ParseError>([&] { parse_jaxpr(with("3")); }, "not all of them in front");
  // A rule that binds such an op raises an error.
  const Jaxpr j = parse_jaxpr(with("0")).jaxpr;
  Cond p = params_as<Cond>(j->eqns[0].params);
  p.lane_axes = {1, 2};
  check_error<InternalError>(
      [&] { bind_op(*find_op("cond"), {zeros({2, 3}, I32), zeros({2})}, make_params(p)); },
      "has the set 0b10 of the lanes [2, 3]");
}
