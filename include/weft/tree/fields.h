// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/tree/fields.h: the fields of a C++ type, found by the compiler. Aggregates need no
// declaration; other classes use WEFT_TREE(Type, fields…), in the namespace of the type or inside
// the class. WEFT_STATIC(Type) makes a class a value without Arrays. Callables are recognized by
// operator().
#pragma once
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace weft::tree {
// The largest number of fields of a struct that is a tree without a declaration.
inline constexpr size_t max_fields = 32;
}  // namespace weft::tree

namespace weft::tree::detail {

// Converts to any type, so that brace initialization counts the fields of an aggregate.
struct Any {
  template <class T>
    requires(!std::is_lvalue_reference_v<T>)
  operator T() const&& noexcept;
};
template <size_t>
using AnyAt = Any;

template <class T, size_t... I>
constexpr bool takes_braces(std::index_sequence<I...>) {
  return requires { T{std::declval<AnyAt<I>>()...}; };
}
template <class T, size_t N>
constexpr size_t count_fields() {
  if constexpr (N == 0)
    return 0;
  else if constexpr (takes_braces<T>(std::make_index_sequence<N>{}))
    return N;
  else
    return count_fields<T, N - 1>();
}

// Converts to the bases of D, so that brace initialization shows whether the first field is a base.
template <class D>
struct AnyBaseOf {
  template <class T>
    requires(std::is_base_of_v<T, D> && !std::is_same_v<T, D>)
  operator T() const&& noexcept;
};
template <class T>
concept HasBase = requires { T{std::declval<AnyBaseOf<T>>()}; };
// True if a braced list may initialize the subobject that begins at position I, with K further
// initializers after it.
template <class T, size_t... I, size_t... K>
constexpr bool takes_nested(std::index_sequence<I...>, std::index_sequence<K...>) {
  return requires {
    T{std::declval<AnyAt<I>>()..., {std::declval<Any>()}, std::declval<AnyAt<K>>()...};
  };
}
// A C array consumes as many initializers as it has elements, but only one if it has its own
// braces.
template <class T, size_t Places, size_t... I>
constexpr bool has_c_array(std::index_sequence<I...>) {
  return ((takes_nested<T>(std::make_index_sequence<I>{}, std::index_sequence<>{}) &&
           !takes_nested<T>(std::make_index_sequence<I>{},
                            std::make_index_sequence<Places - 1 - I>{})) ||
          ...);
}

// Detects the declaration of WEFT_TREE: a member of the class or a function of its namespace.
struct Probe {
  template <class... A>
  void operator()(A&...) const {}
};
template <class T>
concept MemberFields = requires(T& t) { t.weft_fields(t, Probe{}); };
template <class T>
concept FreeFields = !MemberFields<T> && requires(T& t) { weft_fields(t, Probe{}); };
// Detects the declaration of WEFT_STATIC for this exact type, not for a base.
template <class T>
concept SaidStatic = requires(const T* t) {
  { T::weft_static(t) } -> std::same_as<const T*>;
} || requires(const T* t) {
  { weft_static(t) } -> std::same_as<const T*>;
};

// A class has an operator(), of any form, if adding another one makes the name ambiguous.
struct OneMore {
  void operator()();
};
template <class T>
struct WithOneMore : T, OneMore {};
template <class T>
consteval bool has_call() {
  if constexpr (!std::is_class_v<T>)
    return false;
  else if constexpr (requires { &T::operator(); })
    return true;
  else if constexpr (std::is_final_v<T>)
    return false;
  else
    return !requires { &WithOneMore<T>::operator(); };
}

// The classes whose fields WEFT_TREE declares.
template <class T>
concept Declared = MemberFields<T> || FreeFields<T>;
// The classes that WEFT_STATIC declares themselves, not through a base.
template <class T>
concept DeclaredStatic = std::is_class_v<T> && SaidStatic<T>;
// True if T can be called: a class with an operator(), a pointer to a function, or a pointer to a
// member function. For a final class, an operator() that is overloaded or a template is not
// detected.
template <class T>
inline constexpr bool is_callable =
    has_call<T>() || std::is_member_function_pointer_v<T> ||
    (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>);
// The aggregate structs without a WEFT_TREE. The compiler finds their fields.
template <class T>
concept Aggregate = std::is_class_v<T> && std::is_aggregate_v<T> && !Declared<T>;
// The number of fields of an aggregate; max_fields + 1 if there are more than max_fields.
template <class T>
inline constexpr size_t field_count = count_fields<T, max_fields + 1>();

// Says if the fields of an aggregate can be found, and otherwise the obstacle.
template <class T>
struct Fields {
  static constexpr bool many = field_count<T> > max_fields, derived = HasBase<T>;
  static constexpr bool c_array = [] {
    if constexpr (many || derived)
      return false;
    else
      return has_c_array<T, field_count<T>>(std::make_index_sequence<field_count<T>>{});
  }();
  static constexpr bool known = !many && !derived && !c_array;
};
// Fails to compile, with one error message, if the fields of T cannot be found.
template <class T>
struct FieldsKnown {
  static constexpr bool checked = true;
};
template <Aggregate T>
struct FieldsKnown<T> {
  static constexpr bool checked = true;
  static_assert(!Fields<T>::many,
                "weft: a struct used as a tree has at most 32 fields; nest structs or use "
                "WEFT_TREE");
  static_assert(!Fields<T>::derived,
                "weft: a struct with a base class is not a tree by itself; write WEFT_TREE(Type, "
                "field…) behind it, which names the fields of both");
  static_assert(!Fields<T>::c_array,
                "weft: a struct with a C array is not a tree by itself; use std::array, or write "
                "WEFT_TREE(Type, field…) behind it");
};

// clang-format off
#define WEFT_BINDINGS(X) \
  X(1, a) X(2, a,b) X(3, a,b,c) X(4, a,b,c,d) X(5, a,b,c,d,e) X(6, a,b,c,d,e,f) X(7, a,b,c,d,e,f,g) \
  X(8, a,b,c,d,e,f,g,h) X(9, a,b,c,d,e,f,g,h,i) X(10, a,b,c,d,e,f,g,h,i,j) \
  X(11, a,b,c,d,e,f,g,h,i,j,k) X(12, a,b,c,d,e,f,g,h,i,j,k,l) X(13, a,b,c,d,e,f,g,h,i,j,k,l,m) \
  X(14, a,b,c,d,e,f,g,h,i,j,k,l,m,n) X(15, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o) \
  X(16, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p) X(17, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q) \
  X(18, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r) X(19, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s) \
  X(20, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t) X(21, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u) \
  X(22, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v) \
  X(23, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w) \
  X(24, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x) \
  X(25, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y) \
  X(26, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z) \
  X(27, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A) \
  X(28, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A,B) \
  X(29, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A,B,C) \
  X(30, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A,B,C,D) \
  X(31, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A,B,C,D,E) \
  X(32, a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A,B,C,D,E,F)
// clang-format on

// Calls visit(field…) with references to the fields of x.
template <class T, class V>
constexpr decltype(auto) with_fields(T& object, V&& visit) {
  using U = std::remove_const_t<T>;
  if constexpr (MemberFields<U>) {
    return const_cast<U&>(object).weft_fields(const_cast<U&>(object), visit);
  } else if constexpr (FreeFields<U>) {
    return weft_fields(const_cast<U&>(object), visit);
  } else {
    constexpr size_t fields = field_count<U>;
    static_assert(FieldsKnown<U>::checked);
    if constexpr (fields == 0 || !Fields<U>::known) return visit();
#define WEFT_CASE(N, ...)           \
  else if constexpr (fields == N) { \
    auto& [__VA_ARGS__] = object;   \
    return visit(__VA_ARGS__);      \
  }
    WEFT_BINDINGS(WEFT_CASE)
#undef WEFT_CASE
  }
}
#undef WEFT_BINDINGS

// The next definitions read the name of a field from the signature text of a function that is
// instantiated with the field's address.
template <class T>
struct Fake {
  const T value;
  explicit Fake();
};
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif
template <class T>
extern const Fake<T> fake;
template <class T>
struct Pointer {
  const T* p;
};
template <class T>
Pointer(const T*) -> Pointer<T>;
template <size_t I>
struct Pick {
  template <class... A>
  constexpr auto operator()(A&... a) const {
    return pick<0>(a...);
  }
  template <size_t K, class A, class... B>
  static constexpr auto pick(A& a, B&... b) {
    if constexpr (K == I)
      return Pointer{&a};
    else
      return pick<K + 1>(b...);
  }
};
template <auto P>
constexpr std::string_view name_with_noise() {
  return __PRETTY_FUNCTION__;
}

// The text is "[with auto P = Pointer<…>{(& fake<T>.Fake<T>::value.T::name)}; std::string_view =
// …]" (GCC) or "[P = Pointer<…>{&fake.value.name}]" (clang). The name is the last identifier before
// GCC's "; std::string_view".
template <class T, size_t I>
consteval std::string_view aggregate_field_name() {
  constexpr auto pointer = with_fields(fake<T>.value, Pick<I>{});
  std::string_view s = name_with_noise<pointer>();
  s = s.substr(0, s.rfind("; std::string_view"));
  constexpr auto is_word = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  while (!s.empty() && !is_word(s.back())) s.remove_suffix(1);
  size_t first = s.size();
  while (first > 0 && is_word(s[first - 1])) --first;
  return s.substr(first);
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

// The k-th word of "w, b, layers".
constexpr std::string_view listed_name(std::string_view list, size_t k) {
  for (; k > 0; --k) list.remove_prefix(list.find(',') + 1);
  list = list.substr(0, list.find(','));
  while (!list.empty() && list.front() == ' ') list.remove_prefix(1);
  while (!list.empty() && list.back() == ' ') list.remove_suffix(1);
  return list;
}

// The name of field I of a struct. It works only at compile time: the object that it inspects is
// declared but never defined.
template <class T, size_t I>
consteval std::string_view field_name() {
  if constexpr (MemberFields<T>)
    return listed_name(T::weft_field_names(static_cast<const T*>(nullptr)), I);
  else if constexpr (FreeFields<T>)
    return listed_name(weft_field_names(static_cast<const T*>(nullptr)), I);
  else
    return aggregate_field_name<T, I>();
}

}  // namespace weft::tree::detail

// clang-format off
#define WEFT_EXPAND(...) WEFT_EXPAND1(WEFT_EXPAND1(WEFT_EXPAND1(__VA_ARGS__)))
#define WEFT_EXPAND1(...) WEFT_EXPAND2(WEFT_EXPAND2(WEFT_EXPAND2(__VA_ARGS__)))
#define WEFT_EXPAND2(...) WEFT_EXPAND3(WEFT_EXPAND3(WEFT_EXPAND3(__VA_ARGS__)))
#define WEFT_EXPAND3(...) __VA_ARGS__
#define WEFT_PARENS ()
#define WEFT_MEMBERS(first, ...) weft_x.first __VA_OPT__(, WEFT_MEMBERS_AGAIN WEFT_PARENS (__VA_ARGS__))
#define WEFT_MEMBERS_AGAIN() WEFT_MEMBERS
// clang-format on

// Makes a class a tree of the named fields: WEFT_TREE(Model, weights, bias). Write it in the
// namespace of the class or, for private fields, inside the class after `public:`.
#define WEFT_TREE(Type, ...)                                                          \
  template <class WeftVisit>                                                          \
  inline constexpr decltype(auto) weft_fields(Type& weft_x, WeftVisit&& weft_visit) { \
    return weft_visit(WEFT_EXPAND(WEFT_MEMBERS(__VA_ARGS__)));                        \
  }                                                                                   \
  [[maybe_unused]] static constexpr const char* weft_field_names(const Type*) {       \
    return #__VA_ARGS__;                                                              \
  }                                                                                   \
  static_assert(true)

// Makes a class a static value. It is part of the structure of a tree and of the cache key of a
// compiled program, which keeps a copy. The class needs == and must hold no Array. Write it in the
// same places as WEFT_TREE.
#define WEFT_STATIC(Type)                                                                          \
  [[maybe_unused]] static constexpr const Type* weft_static(const Type* weft_x) { return weft_x; } \
  static_assert(true)
