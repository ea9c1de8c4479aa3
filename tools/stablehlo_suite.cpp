#include "weft/tools/suite.h"
namespace weft::tools { std::unique_ptr<Suite> stablehlo_suite(const ConformanceOptions&) { return nullptr; } }
