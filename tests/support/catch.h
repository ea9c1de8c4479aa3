// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/catch.h: includes the installed Catch2, version 2 or 3. Tests include only this
// header.
#pragma once
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
#include "core/ir.h"
