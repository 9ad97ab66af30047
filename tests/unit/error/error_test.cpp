#include <gtest/gtest.h>
#include <k8s/error.hpp>
#include <k8s/result.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace k8s {
namespace {

using std::chrono::seconds;

Error Status(int code, std::string reason) {
  return {.kind = ErrorKind::kStatus, .code = code, .reason = std::move(reason)};
}

Result<std::vector<int>> Numbers() { return std::vector{1, 2, 3}; }

// A reference would be to a temporary that is gone when the loop begins.
TEST(ResultTest, TheValueOfATemporaryMayBeIteratedOver) {
  int sum = 0;
  for (const int number : Numbers().value()) sum += number;
  EXPECT_EQ(sum, 6);
}

struct Predicate {
  const char* reason;
  int code;  // 0: by reason only
  bool (*holds)(const Error&);
};

const Predicate kPredicates[] = {
    {"NotFound", 404, IsNotFound},
    {"AlreadyExists", 0, IsAlreadyExists},
    {"Conflict", 409, IsConflict},
    {"Invalid", 422, IsInvalid},
    {"Gone", 410, IsGone},
    {"Expired", 0, IsExpired},
    {"Expired", 0, IsResourceExpired},
    {"NotAcceptable", 406, IsNotAcceptable},
    {"UnsupportedMediaType", 415, IsUnsupportedMediaType},
    {"MethodNotAllowed", 405, IsMethodNotSupported},
    {"ServiceUnavailable", 503, IsServiceUnavailable},
    {"BadRequest", 400, IsBadRequest},
    {"Unauthorized", 401, IsUnauthorized},
    {"Forbidden", 403, IsForbidden},
    {"Timeout", 504, IsTimeout},
    {"ServerTimeout", 0, IsServerTimeout},
    {"InternalError", 500, IsInternalError},
    {"TooManyRequests", 429, IsTooManyRequests},
    {"RequestEntityTooLarge", 413, IsRequestEntityTooLarge},
    {"StorageReadError", 0, IsStorageReadError},
};

// client-go: TestReasonForError, TestIs*
TEST(ErrorTest, PredicatesHoldForTheirReasonWhateverTheCode) {
  for (const Predicate& predicate : kPredicates) {
    SCOPED_TRACE(predicate.reason);
    EXPECT_TRUE(predicate.holds(Status(418, predicate.reason)));
    EXPECT_FALSE(predicate.holds(Status(418, "Teapot")));
    EXPECT_FALSE(predicate.holds(Error{}));
  }
}

TEST(ErrorTest, PredicatesHoldForTheirCodeUnlessAnotherReasonIsKnown) {
  for (const Predicate& predicate : kPredicates) {
    if (predicate.code == 0) continue;
    SCOPED_TRACE(predicate.reason);
    const bool code_suffices = predicate.code == 429 || predicate.code == 413;
    EXPECT_TRUE(predicate.holds(Status(predicate.code, "")));
    EXPECT_TRUE(predicate.holds(Status(predicate.code, "SomethingNew")));
    EXPECT_EQ(predicate.holds(Status(predicate.code, "AlreadyExists")), code_suffices);
  }
}

TEST(ErrorTest, ABare410IsGoneAndNotExpired) {
  EXPECT_TRUE(IsGone(Status(410, "")));
  EXPECT_FALSE(IsExpired(Status(410, "")));
  EXPECT_FALSE(IsGone(Status(410, "Expired")));
  EXPECT_TRUE(IsExpired(Status(410, "Expired")));
}

// client-go: TestReflectorFullListIfTooLarge
TEST(ErrorTest, NamesManagerAndFieldOfEachApplyConflict) {
  const Error refused{
      .kind = ErrorKind::kStatus,
      .code = 409,
      .reason = "Conflict",
      .causes = {{"FieldManagerConflict", R"(conflict with "kubectl" using v1)", ".data.mode"},
                 {"Other", "nothing", ".data.x"},
                 {"FieldManagerConflict", R"(conflict with "a \"b\\" with subresource "scale")",
                  ".spec.replicas"}}};
  const auto conflicts = FieldManagerConflicts(refused);
  ASSERT_EQ(conflicts.size(), 2U);
  EXPECT_EQ(conflicts[0].manager, "kubectl");
  EXPECT_EQ(conflicts[0].field, ".data.mode");
  EXPECT_EQ(conflicts[0].message, R"(conflict with "kubectl" using v1)");
  EXPECT_EQ(conflicts[1].manager, R"(a "b\)");
  EXPECT_EQ(conflicts[1].field, ".spec.replicas");
  EXPECT_TRUE(FieldManagerConflicts(Error{.kind = ErrorKind::kTimeout}).empty());
}

TEST(ErrorTest, TooLargeResourceVersionIsKnownInEveryDialect) {
  Error newest = Status(504, "Timeout");
  newest.causes = {{.type = "ResourceVersionTooLarge", .message = "", .field = ""}};
  EXPECT_TRUE(IsTooLargeResourceVersion(newest));

  Error middle = Status(504, "Timeout");
  middle.causes = {{.type = "", .message = "Too large resource version", .field = ""}};
  EXPECT_TRUE(IsTooLargeResourceVersion(middle));
  middle.reason = "InternalError";
  EXPECT_FALSE(IsTooLargeResourceVersion(middle));

  Error oldest = Status(504, "Timeout");
  oldest.message = "Too large resource version: 5, current: 4";
  EXPECT_TRUE(IsTooLargeResourceVersion(oldest));
  EXPECT_FALSE(IsTooLargeResourceVersion(Status(504, "Timeout")));
}

// client-go: TestErrorSuggestsClientDelay
TEST(ErrorTest, SuggestsClientDelay) {
  EXPECT_EQ(SuggestsClientDelay(Status(504, "ServerTimeout")), seconds(0));
  EXPECT_EQ(SuggestsClientDelay(Status(429, "TooManyRequests")), std::nullopt);
  Error error = Status(429, "TooManyRequests");
  error.retryAfter = seconds(3);
  EXPECT_EQ(SuggestsClientDelay(error), seconds(3));
  error.retryAfter = seconds(0);
  EXPECT_EQ(SuggestsClientDelay(error), std::nullopt);
}

TEST(ErrorTest, NotFoundNamesTheResource) {
  const Error pod = NewNotFound("", "pods", "a");
  EXPECT_TRUE(IsNotFound(pod));
  EXPECT_EQ(pod.ToString(), "pods \"a\" not found");
  EXPECT_EQ(NewNotFound("apps", "deployments", "a").ToString(), "deployments.apps \"a\" not found");
}

TEST(ErrorTest, TextWithoutMessageSaysWhatIsKnown) {
  EXPECT_EQ(Status(409, "Conflict").ToString(), "status: Conflict (409)");
  EXPECT_EQ(Error{.kind = ErrorKind::kTls}.ToString(), "tls");
  EXPECT_EQ(Cancelled("list pods").ToString(), "list pods: cancelled");
}

TEST(ErrorTest, EveryKindHasItsOwnName) {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(ErrorKind::kInternal); ++i) {
    names.emplace_back(ToString(static_cast<ErrorKind>(i)));
    for (int j = 0; j < i; ++j) EXPECT_NE(names[static_cast<std::size_t>(j)], names.back());
  }
  EXPECT_EQ(ToString(static_cast<ErrorKind>(99)), "unknown");
}

TEST(ResultTest, HoldsAValueOrAnError) {
  const Result<int> good = 5;
  EXPECT_EQ(good.value(), 5);
  const Result<int> bad = InvalidArgument("no");
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().kind, ErrorKind::kInvalidArgument);
}

TEST(ResultTest, ValueThrowsTheError) {
  const Result<int> bad = DecodeError("not JSON");
  try {
    (void)bad.value();
    FAIL() << "nothing was thrown";
  } catch (const BadResult& thrown) {
    EXPECT_STREQ(thrown.what(), "not JSON");
    EXPECT_EQ(thrown.error().kind, ErrorKind::kDecode);
  }
}

TEST(ResultTest, AnErrorOfAnotherTypeThrowsWhatItComesTo) {
  struct Rich {
    int detail = 0;
    [[nodiscard]] Error ToError() const { return DecodeError("detail " + std::to_string(detail)); }
  };
  const Result<int, Rich> bad = Rich{.detail = 7};
  EXPECT_EQ(bad.error().detail, 7);
  try {
    (void)bad.value();
    FAIL();
  } catch (const BadResult& thrown) {
    EXPECT_STREQ(thrown.what(), "detail 7");
  }
}

TEST(ResultTest, WorksForVoid) {
  const Result<void> good;
  EXPECT_NO_THROW(good.value());
  const Result<void> bad = Cancelled("x");
  EXPECT_THROW(bad.value(), BadResult);
}

}  // namespace
}  // namespace k8s
