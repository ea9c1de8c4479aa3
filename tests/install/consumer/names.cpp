// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/install/consumer/names.cpp: a user's own names, which Weft also uses internally. Weft must
// keep its names out of a program that uses its namespace.
#include <weft/weft.h>

using namespace weft;

struct Ref {};
struct RefCounted {};
struct Function {};
struct FunctionRef {};
struct Node {};
struct Buffer {};
struct Reserved {};
struct Temporaries {};
struct Reading {};
struct Source {};
struct StopToken {};
struct StopFlag {};
struct TimeLimit {};
struct Literal {};
struct Atom {};
struct Eqn {};
struct JaxprData {};
struct Op {};
struct Executable {};
struct ParamField {};
struct ParamsBase {};
struct AnyParams {};
struct Ints {};
struct Bools {};
struct Strings {};
struct Promoted {};
struct Subscript {};
struct RandomDraw {};

int make_ref(int x) { return x; }
int intern(int x) { return x; }
int verify(int x) { return x; }
int promote(int x) { return x; }
int to_inexact(int x) { return x; }
int real_part(int x) { return x; }
int short_name(int x) { return x; }
int numpy_name(int x) { return x; }
int parse_dtype(int x) { return x; }
int with_dtype(int x) { return x; }
int row_major(int x) { return x; }
int checked_mul(int x) { return x; }
int canonical_axis(int x) { return x; }
int extents_of(int x) { return x; }
int parallel_for(int x) { return x; }
int retire(int x) { return x; }
int draw_bits(int x) { return x; }
int einsum_of(int x) { return x; }
int rounded(int x) { return x; }
template <class T>
concept Integer = sizeof(T) == 4;
template <class T>
concept Number = sizeof(T) == 8;

// Each name is found without a qualifier.
int sum_of_names() {
  int sum = 0;
  sum += static_cast<int>(sizeof(Ref));
  sum += static_cast<int>(sizeof(RefCounted));
  sum += static_cast<int>(sizeof(Function));
  sum += static_cast<int>(sizeof(FunctionRef));
  sum += static_cast<int>(sizeof(Node));
  sum += static_cast<int>(sizeof(Buffer));
  sum += static_cast<int>(sizeof(Reserved));
  sum += static_cast<int>(sizeof(Temporaries));
  sum += static_cast<int>(sizeof(Reading));
  sum += static_cast<int>(sizeof(Source));
  sum += static_cast<int>(sizeof(StopToken));
  sum += static_cast<int>(sizeof(StopFlag));
  sum += static_cast<int>(sizeof(TimeLimit));
  sum += static_cast<int>(sizeof(Literal));
  sum += static_cast<int>(sizeof(Atom));
  sum += static_cast<int>(sizeof(Eqn));
  sum += static_cast<int>(sizeof(JaxprData));
  sum += static_cast<int>(sizeof(Op));
  sum += static_cast<int>(sizeof(Executable));
  sum += static_cast<int>(sizeof(ParamField));
  sum += static_cast<int>(sizeof(ParamsBase));
  sum += static_cast<int>(sizeof(AnyParams));
  sum += static_cast<int>(sizeof(Ints));
  sum += static_cast<int>(sizeof(Bools));
  sum += static_cast<int>(sizeof(Strings));
  sum += static_cast<int>(sizeof(Promoted));
  sum += static_cast<int>(sizeof(Subscript));
  sum += static_cast<int>(sizeof(RandomDraw));
  sum += make_ref(1);
  sum += intern(1);
  sum += verify(1);
  sum += promote(1);
  sum += to_inexact(1);
  sum += real_part(1);
  sum += short_name(1);
  sum += numpy_name(1);
  sum += parse_dtype(1);
  sum += with_dtype(1);
  sum += row_major(1);
  sum += checked_mul(1);
  sum += canonical_axis(1);
  sum += extents_of(1);
  sum += parallel_for(1);
  sum += retire(1);
  sum += draw_bits(1);
  sum += einsum_of(1);
  sum += rounded(1);
  return sum + Integer<float> + Number<double>;
}
