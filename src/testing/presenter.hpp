#pragma once

#include "api_request.hpp"
#include "object_store.hpp"
#include "served_resource.hpp"
#include "stored_object.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0::testing {

/// Writes objects, lists and events the way one client asked for.
class Presenter {
 public:
  Presenter(std::shared_ptr<const ServedResource> resource, Representation representation,
            std::string include_object)
      : resource_(std::move(resource)),
        representation_(representation),
        include_object_(std::move(include_object)) {}

  [[nodiscard]] std::string Object(const StoredObject& object) const;
  /// One watch event with its line end.
  [[nodiscard]] std::string Event(std::string_view type, const StoredObject& object) const;
  [[nodiscard]] std::string Bookmark(std::uint64_t version, bool initial_events_end) const;
  [[nodiscard]] static std::string ErrorEvent(const Error& error);

  /// The parts of a list: what comes before its items, an item, what comes after them.
  struct ListMetadata {
    std::uint64_t version = 0;
    std::string continueToken = {};
    std::size_t remaining = 0;  ///< 0: not shown.
  };
  [[nodiscard]] std::string ListBegin(const ListMetadata& metadata) const;
  [[nodiscard]] std::string ListItem(const StoredObject& object) const;
  [[nodiscard]] std::string ListEnd(const ListMetadata& metadata) const;

 private:
  [[nodiscard]] std::string Row(const StoredObject& object) const;
  [[nodiscard]] std::string Metadata(const StoredObject& object) const;

  std::shared_ptr<const ServedResource> resource_;
  Representation representation_;
  std::string include_object_;
};

/// The body of a list, written piece by piece: a large one never stands in memory as a whole.
class ListBody {
 public:
  ListBody(Presenter presenter, ListPage page, Presenter::ListMetadata metadata)
      : presenter_(std::move(presenter)), page_(std::move(page)), metadata_(std::move(metadata)) {}

  /// About how long the body is.
  [[nodiscard]] std::size_t EstimatedSize() const;
  /// Appends the next piece of at least `size` bytes, or the rest. False: there was none.
  bool Next(std::size_t size, std::string& out);

 private:
  Presenter presenter_;
  ListPage page_;
  Presenter::ListMetadata metadata_;
  std::size_t next_ = 0;
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace k8s::inline v0::testing
