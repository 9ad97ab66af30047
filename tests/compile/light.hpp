// Included after a public header: fails when that header brings what its users should not pay for.
// The names are the include guards of the headers concerned.

#ifdef CURLINC_CURL_H
#error "a public header includes curl/curl.h"
#endif
#ifdef INCLUDE_NLOHMANN_JSON_HPP_
#error "a public header includes nlohmann/json.hpp; nlohmann/json_fwd.hpp is enough"
#endif
#ifdef SPDLOG_H
#error "a public header includes spdlog/spdlog.h"
#endif
#ifdef YAML_H_62B23520_7C8E_11DE_8A39_0800200C9A66
#error "a public header includes yaml-cpp/yaml.h"
#endif
#ifdef CPPHTTPLIB_HTTPLIB_H
#error "a public header includes httplib.h"
#endif

// libstdc++
#ifdef _GLIBCXX_REGEX
#error "a public header includes <regex>"
#endif
#ifdef _GLIBCXX_IOSTREAM
#error "a public header includes <iostream>"
#endif
#ifdef _GLIBCXX_RANGES
#error "a public header includes <ranges>"
#endif
#ifdef _GLIBCXX_FORMAT
#error "a public header includes <format>"
#endif
