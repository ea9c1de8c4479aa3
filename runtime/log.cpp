// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/log.cpp: the library's own logger, separate from the program's default logger.
#include "runtime/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace weft {
namespace {

constexpr std::string_view topics[] = {"passes"};

struct Log {
  spdlog::logger logger{"weft", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
  spdlog::logger topic{"weft", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
  std::vector<std::string> wanted;
  Log() {
    topic.set_pattern("%n: %v");
    logger.set_level(spdlog::level::warn);
    logger.set_pattern("%n: %l: %v");
    const char* set = std::getenv("WEFT_LOG");
    for (std::string_view rest = set ? set : ""; !rest.empty();) {
      const std::string word(rest.substr(0, rest.find(',')));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      const auto level = spdlog::level::from_str(word);  // from_str returns off for an unknown word
      if (std::find(std::begin(topics), std::end(topics), word) != std::end(topics))
        wanted.push_back(word);
      else if (level != spdlog::level::off || word == "off")
        logger.set_level(level);
      else
        logger.warn("WEFT_LOG names '{}', which is neither a level nor a topic", word);
    }
  }
};
Log& log() {
  static auto* l = new Log;
  return *l;
}

}  // namespace

void log_warning(const std::string& text) { log().logger.warn(text); }
void log_info(const std::string& text) { log().logger.info(text); }
bool log_shows_info() { return log().logger.should_log(spdlog::level::info); }
bool log_wants(const char* topic) {
  const auto& wanted = log().wanted;
  return std::find(wanted.begin(), wanted.end(), topic) != wanted.end();
}
void log_text(const std::string& text) { log().topic.info(text); }

}  // namespace weft
