#pragma once

#include <cstdint>
#include <string>

/// Numbers as JSON has them.
namespace k8s::inline v0::codec::detail {

/// Checks the number at p. Returns the place behind it, or null.
const char* SkipNumber(const char* p, const char* end);

enum class IntegerFault { kNone, kNotANumber, kNotAnInteger, kOutOfRange };

/// Reads the integer at p, which must have neither point nor exponent, into `value`. `p` moves
/// behind it when there is no fault.
IntegerFault ReadInteger(const char*& p, const char* end, std::int64_t& value);

/// Reads a number that SkipNumber accepted. Returns false when it is too large for a double; one
/// that is too small is 0.
bool ReadDouble(const char* p, const char* end, double& value);

void AppendInteger(std::int64_t value, std::string& out);
/// Appends a number as Go's encoder writes it; null for NaN and infinities.
void AppendDouble(double value, std::string& out);

}  // namespace k8s::inline v0::codec::detail
