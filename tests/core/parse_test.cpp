// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/parse_test.cpp: the parser inverts the printer, and reports helpful errors for all
// other texts.
#include <random>

#include "support/catch.h"
#include "support/golden.h"
#include "tests/core/test_ops.h"
#include "tests/support/random_jaxpr.h"
#include "weft/detail/jaxpr.h"
#include "weft/error.h"

using namespace weft;
using namespace weft::testing;

namespace {

std::string complaint(const std::string& text) {
  try {
    read_jaxpr(text);
  } catch (const ParseError& e) {
    return e.what();
  }
  return "no complaint";
}

// Returns a program with one equation.
std::string with(const std::string& equation) {
  return "{ lambda ; a:f32[3] b:i32[]. let " + equation + " in (a,) }";
}

struct Bad {
  std::string text, why;
};

const std::vector<Bad> bad_texts = {
    {"", "line 1, column 1: expected '{', found the end of the text"},
    {"  jaxpr", "line 1, column 3: expected '{', found 'jaxpr'"},
    {"{ lamda", "expected 'lambda', found 'lamda'"},
    {"{ lambda a:f32[3] . let",
     "column 19: expected a variable with its type such as a:f32[3], or ';', found '.'"},
    {"{ lambda ; a:f32[3] let",
     "expected a variable with its type such as a:f32[3], or '.', found 'let'"},
    {"{ lambda ; a:f33[3]. let", "column 14: expected a type such as f32[3], found 'f33'"},
    {"{ lambda ; a:f32. let", "expected a type such as f32[3]"},
    {"{ lambda ; a:f32[3,]. let", "expected an integer, found ']'"},
    {"{ lambda ; a:f32[x]. let", "expected an integer, found 'x'"},
    {"{ lambda ; a:f32[3 4]. let", "expected ',', found '4'"},
    {"{ lambda ; a:f32[-1]. let", "column 18: a negative size"},
    {"{ lambda ; a:f32[99999999999999999999]. let", "an integer that needs more than 64 bits"},
    {"{ lambda ; a:f32[4000000000,4000000000]. let", "too big"},
    {"{ lambda ; a:f32[3] a:f32[3]. let", "column 21: variable 'a' is defined twice"},
    {with("b:f32[3] = test_next a"), "variable 'b' is defined twice"},
    {with("c:f32[3] = test_next c"), "column 55: variable 'c' is not defined"},
    {with("_:f32[3] = test_next a; d:f32[3] = test_next _"), "variable '_' is not defined"},
    {with("c:f32[3] = tset_next a"), "column 45: unknown op 'tset_next'"},
    {with("c:f32[3] = ; "), "expected the name of an op, found ';'"},
    {with("c:f32[3] test_next a"), "expected '=', found 'test_next'"},
    {with("c:f32[4] = test_next a"), "column 36: op 'test_next' gives f32[3] here, not f32[4]"},
    {with("c:~f32[3] = test_next a"), "op 'test_next' gives f32[3] here, not ~f32[3]"},
    {with("c:f32[3] d:f32[3] = test_next a"), "op 'test_next' has 1 result here, not 2"},
    {with("test_many a"), "op 'test_many' has 3 results here, not 0"},
    {with("c:f32[3] = test_next a b"), "column 45: op 'test_next': takes one operand"},
    {with("c:f32[3] = test_next @"),
     "expected an operand: a variable, or a number with its type such as 2.0:f32[], found '@'"},
    {with("c:f32[3] = test_next 2.0"), "expected an operand"},
    {with("c:f32[] = test_next 2.0:f32[1]"), "a literal must have no axes"},
    {with("c:i32[] = test_next 2.5:i32[]"), "2.5 is not a value of i32"},
    {with("c:i8[] = test_next 200:i8[]"), "200 is not a value of i8"},
    {with("c:f32[] = test_next bits(0x100000000, 0x0):f32[]"),
     "bits(0x100000000, 0x0) is not a value of f32"},
    {with("c:f32[] = test_next bits(1):f32[]"), "bits need two hexadecimal numbers"},
    {with("c:f32[] = test_fields[colour=1] a"),
     "column 56: op 'test_fields' has no field 'colour'; it has flag, number, mode,"},
    {with("c:f32[] = test_next[colour=1] a"), "op 'test_next' has no field 'colour'"},
    {with("c:f32[] = test_fields[number=1 number=2]"), "field 'number' is given twice"},
    {with("c:f32[] = test_fields[=1]"), "expected a field such as axis=0, or ']', found '='"},
    {with("c:f32[] = test_fields[number]"), "expected '=', found ']'"},
    {with("c:f32[] = test_fields[number=x]"), "expected an integer, found 'x'"},
    {with("c:f32[] = test_fields[mode=300]"), "a field has the wrong kind"},
    {with("c:f32[] = test_fields[flag=1]"), "expected True or False, found '1'"},
    {with("c:f32[] = test_fields[real=x]"), "expected a number, found 'x'"},
    {with("c:f32[] = test_fields[dtype=float33]"),
     "expected an element type such as float32, found 'float33'"},
    {with("c:f32[] = test_fields[ints=3]"), "expected '(', found '3'"},
    {with("c:f32[] = test_fields[ints=(3 4)]"), "expected ',' or ')', found '4'"},
    {with("c:f32[] = test_fields[ints=(3,"), "expected an integer, found 'in'"},
    {with("c:f32[] = test_fields[bools=(3,)]"), "expected True or False, found '3'"},
    {with("c:f32[] = test_fields[strings=(i,)]"), "expected a quoted text, found 'i'"},
    {with("c:f32[] = test_fields[label='x]"), "a text without its closing quote"},
    {with("c:f32[] = test_fields[label='\\z']"), "expected one of \\n, \\t"},
    {with("c:f32[] = test_fields[label='\\xg0']"), "expected two hexadecimal digits"},
    {with("c:f32[] = test_fields[label=]"), "expected a text, found ']'"},
    {with("c:f32[] = test_fields[types=(f32,)]"), "expected '['"},
    {with("c:f32[3] = test_loop a"), "op 'test_loop' needs the field 'body={ lambda … }'"},
    {with("c:f32[3] = test_loop[body=f] a"), "no 'let f = …' stands in front of the program"},
    {with("c:f32[3] = test_loop[body=3] a"), "expected a program { lambda … }, found '3'"},
    {with("c:f32[3] = test_loop[body={ lambda ; . let in () }] a"),
     "op 'test_loop': the body takes other operands"},
    {with("c:f32[3] = test_loop[body=None] a"), "a field has the wrong kind"},
    {with("custom_lin[bwd=None] a"), "has no rule"},
    {with("test_callback[callback=<callback>] a"), "a callback cannot be read back from text"},
    {with("c:f32[3] = custom_jvp_call[rule=<callback>] a"),
     "a callback cannot be read back from text"},
    {"{ lambda ; a:f32[3]. let in (b,) }", "variable 'b' is not defined"},
    {"{ lambda ; a:f32[3]. let in (a a) }", "expected ',' or ')', found 'a'"},
    {"{ lambda ; a:f32[3]. let in (a)", "expected '}', found the end of the text"},
    {"{ lambda ; a:f32[3]. let a", "unknown op 'a'"},
    {"{ lambda ; a:f32[3]. let", "expected an equation, or in (…), found the end of the text"},
    {"{ lambda ; a:f32[3]. let in (a,) } x", "expected the end of the text, found 'x'"},
    {"let = { lambda ; . let in () } in { lambda ; . let in () }", "expected a name, found '='"},
    {"let f = g in { lambda ; . let in () }", "expected '{', found 'g'"},
    {"let f = { lambda ; . let in () in { lambda ; . let in () }",
     "column 9: a program without its closing '}'"},
    {"let f = { lambda ; . let in () } { lambda ; . let in () }", "expected 'in', found '{'"},
    {"let f = { lambda ; . let in () } in let f = { lambda ; . let in () } in { lambda ; . let "
     "in () }",
     "'f' is defined twice"},
    {"let f = { lambda ; . let in (x,) } in { lambda ; . let in () }",
     "variable 'x' is not defined"},
    {"let f = { lambda ; . let test_loop[body=f] in () } in { lambda ; . let in () }",
     "a program that holds itself"},
};

}  // namespace

TEST_CASE("errors of malformed programs", "[core][parse]") {
  for (const auto& [text, why] : bad_texts) {
    const std::string what = complaint(text);
    INFO(text);
    INFO(what);
    CHECK(what.rfind("jaxpr text, line ", 0) == 0);
    CHECK(what.find(why) != std::string::npos);
  }
}

TEST_CASE("errors show the line and a caret", "[core][parse]") {
  CHECK(complaint("{ lambda ; a:f32[3]. let\n    b:f32[3] = test_next\ta\n    c:f32[3] = test_next "
                  "@\n  in (c,) }") ==
        "jaxpr text, line 3, column 26: expected an operand: a variable, or a number with its type "
        "such as 2.0:f32[], found '@'\n"
        "    c:f32[3] = test_next @\n"
        "                         ^");
  // The error shows only a part of a long line.
  const std::string what = complaint("{ lambda ; . let" + std::string(1000, ' ') +
                                     "b:f32[] = no_op" + std::string(1000, ' '));
  CHECK(what.find("column 1027: unknown op 'no_op'") != std::string::npos);
  const size_t line = what.find('\n') + 1, caret = what.rfind('\n') + 1;
  CHECK(caret - line <= 101);
  CHECK(what.substr(line + (what.find('^') - caret), 5) == "no_op");
}

TEST_CASE("programs may be written freely", "[core][parse]") {
  const Jaxpr j = read_jaxpr(
      "{ lambda ; a:f32[3]. let b:f32[3] = test_next a; c:f32[3] = test_next b in (b, c) }");
  for (const char* text : {
           "{ lambda;a:f32[3].let b:f32[3]=test_next a;c:f32[3]=test_next b in(b,c)}",
           "{ lambda ; x:f32[3]. let\n  y:f32[3] = test_next x\n  long_name1:f32[3] = test_next "
           "y\n  in (y, long_name1) }",
           "{ lambda ;\n  a:f32[ 3 ].\nlet\n# a comment\n    b:f32[3] = test_next\n      a  # and "
           "another\n    c:f32[3] = test_next[] b\nin (b,\n c,) }\n\n",
           "{ lambda ; a:f32[3]. let b:f32[3] = test_next a\n c:f32[3] = test_next b\n in (b, c) }",
           "let unused = { lambda ; . let in () } in\n{ lambda ; a:f32[3]. let b:f32[3] = "
           "test_next a; ; c:f32[3] = test_next b; in (b, c) }",
       }) {
    INFO(text);
    CHECK(read_jaxpr(text) == j);
  }
}

TEST_CASE("variables may be called in, nan and let", "[core][parse]") {
  for (const char* text : {
           "{ lambda ; in:f32[] nan:f32[]. let let:f32[] = test_next in in (let, in, nan, "
           "nan:f32[]) }",
           "{ lambda ; in:f32[]. let nan:f32[] = test_next nan:f32[]; inf:f32[] = test_next in in "
           "(in, inf) }",
           "{ lambda ; in:c64[]. let\n  test_none in (1+2j):c64[] in\n  nan:c64[] = test_next in\n "
           " test_none nan (nan+nanj):c64[]\n  in (in, nan) }",
       })
    CHECK(to_string(read_jaxpr(text)) == to_string(read_jaxpr(to_string(read_jaxpr(text)))));
  CHECK(read_jaxpr("{ lambda ; in:f32[]. let nan:f32[] = test_next nan:f32[] in (nan,) }") ==
        read_jaxpr("{ lambda ; a:f32[]. let b:f32[] = test_next nan:f32[] in (b,) }"));
}

TEST_CASE("fields that are not written have their defaults", "[core][parse]") {
  CHECK(read_jaxpr("{ lambda ; . let a:f32[] = test_fields in (a,) }") ==
        read_jaxpr("{ lambda ; . let a:f32[] = test_fields[ints=() label='' strings=() types=() "
                   "bools=() real=0 dtype=f32] in (a,) }"));
  CHECK(read_jaxpr("{ lambda ; . let a:f32[] = test_fields[label=\"it's\" real=nan] in (a,) }") ==
        read_jaxpr("{ lambda ; . let a:f32[] = test_fields[label='it\\'s' real=nan] in (a,) }"));
}

TEST_CASE("numbering of literals does not tell programs apart", "[core][parse]") {
  auto j = make_ref<JaxprData>();
  literal(*j, 5);  // this literal is not used
  const Atom two = literal(*j, 2), one = literal(*j, 1), again = literal(*j, 2);
  add_equation(*j, "test_none", {one, two, again});
  CHECK(intern(j) ==
        read_jaxpr("{ lambda ; . let test_none 1.0:f32[] 2.0:f32[] 2.0:f32[] in () }"));
}

TEST_CASE("programs nest 200 deep and no deeper", "[core][parse]") {
  const auto nested = [](int depth) {
    std::string text = "{ lambda ; a:f32[]. let in (a,) }";
    for (int i = 1; i < depth; ++i)
      text = "{ lambda ; a:f32[]. let b:f32[] = test_loop[body=" + text + "] a in (b,) }";
    return text;
  };
  const Jaxpr j = read_jaxpr(nested(200));
  CHECK(read_jaxpr(to_string(j)) == j);
  CHECK(complaint(nested(201)).find("programs nested more than 200 deep") != std::string::npos);
  CHECK(complaint(std::string(100000, '{')).find("expected 'lambda'") != std::string::npos);
  // Named definitions nest without braces, in either order.
  const auto defined = [](int n, bool upwards) {
    std::string text;
    for (int k = 0; k < n; ++k) {
      const int i = upwards ? k : n - 1 - k;
      const std::string eqn =
          i ? "b:f32[] = test_loop[body=f" + std::to_string(i - 1) + "] a in (b,)" : "in (a,)";
      text += "let f" + std::to_string(i) + " = { lambda ; a:f32[]. let " + eqn + " } in\n";
    }
    return text + "{ lambda ; a:f32[]. let b:f32[] = test_loop[body=f" + std::to_string(n - 1) +
           "] a in (b,) }";
  };
  for (bool upwards : {false, true}) {
    CHECK(complaint(defined(199, upwards)) == "no complaint");
    CHECK(complaint(defined(200, upwards)).find("programs nested more than 200 deep") !=
          std::string::npos);
    CHECK(complaint(defined(20000, upwards)).find("programs nested more than 200 deep") !=
          std::string::npos);
  }
}

TEST_CASE("random programs survive the round trip", "[core][parse]") {
  RandomJaxpr random(1);
  for (int i = 0; i < 400; ++i) {
    const Jaxpr j = random.make();
    verify(j);
    const std::string text = to_string(j);
    INFO(text);
    const Jaxpr back = read_jaxpr(text);
    CHECK((back == j));
  }
}

namespace {

// Damages the text: cuts it, changes characters, and repeats and drops pieces.
std::string mutated(std::string s, std::mt19937_64& random) {
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % (n ? n : 1)); };
  static const std::string likely = "{}()[]=:;,.~'\"\\ \n-0123456789abinlet_\xff";
  for (size_t k = 1 + below(4); k > 0; --k) {
    const size_t at = below(s.size()), n = std::min(below(20), s.size() - at);
    switch (below(6)) {
      case 0: s.resize(at); break;
      case 1: s.insert(at, 1, likely[below(likely.size())]); break;
      case 2:
        if (!s.empty()) s[at] = likely[below(likely.size())];
        break;
      case 3: s.erase(at, n); break;
      case 4: s.insert(below(s.size()), s.substr(at, n)); break;
      default: s.insert(at, std::to_string(static_cast<int64_t>(random() >> below(64)))); break;
    }
  }
  return s;
}

// Reads any text without a crash. If the text is accepted, it must be a valid program.
void try_to_read(const std::string& text) {
  try {
    const Jaxpr j = read_jaxpr(text);
    verify(j);
    if (read_jaxpr(to_string(j)) != j) FAIL_CHECK("not the same after a round trip: " << text);
  } catch (const ParseError&) {
  } catch (const std::exception& e) {
    FAIL_CHECK(e.what() << "\nfrom:\n" << text);
  }
}

}  // namespace

TEST_CASE("every beginning of a program is refused or read", "[core][parse]") {
  RandomJaxpr random(7);
  for (int i = 0; i < 10; ++i) {
    const std::string text = to_string(random.make());
    for (size_t n = 0; n < text.size(); ++n) try_to_read(text.substr(0, n));
  }
}

TEST_CASE("spoiled programs do not crash the parser", "[core][parse]") {
  RandomJaxpr programs(3);
  std::mt19937_64 random(5);
  for (int i = 0; i < 300; ++i) {
    const std::string text = to_string(programs.make(6));
    for (int k = 0; k < 20; ++k) try_to_read(mutated(text, random));
  }
}
