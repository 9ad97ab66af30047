#pragma once

#include <k8s/result.hpp>

#include "api_request.hpp"
#include "managed_fields.hpp"
#include "object_store.hpp"
#include "registry.hpp"
#include "served_resource.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::testing {

/// An object after a request that wrote or read it.
struct Outcome {
  ObjectRef object;
  int status = 200;
  bool deleted = false;  ///< `object` is the last state.
};

/// What the API server does with objects, HTTP aside: create, update, patch, delete.
/// Thread safety. All members may be called from any thread.
class ObjectHandler {
 public:
  ObjectHandler(Registry& registry, ObjectStore& store) : registry_(registry), store_(store) {}

  Result<Outcome> Get(const ApiRequest& request) const;
  Result<Outcome> Create(const ApiRequest& request);
  Result<Outcome> Update(const ApiRequest& request);
  Result<Outcome> Patch(const ApiRequest& request);
  Result<Outcome> Delete(const ApiRequest& request);
  /// Deletes a list's objects; returns those it showed.
  Result<ListPage> DeleteCollection(const ApiRequest& request);

  // What tests do: no conflicts, no field managers, status included.
  enum class Force { kAdd, kModify, kApply };
  Result<std::uint64_t> Put(Json object, Force how);
  Result<std::uint64_t> Remove(const Json& object);
  Result<std::uint64_t> Remove(const ServedResource& resource, std::string_view namespace_,
                               std::string_view name);

 private:
  Result<Outcome> CreatePodSubresource(const ApiRequest& request);
  Result<Outcome> CreateReview(const ApiRequest& request, Json object);
  Result<Outcome> Write(const ApiRequest& request, const std::string& name,
                        const ObjectStore::Decide& decide);
  Result<Outcome> DeleteNamed(const ApiRequest& request, const std::string& namespace_,
                              const std::string& name, const Json& options);
  Result<WriteDecision> DecidePatch(const ApiRequest& request, const Json& patch,
                                    const ObjectRef& live) const;
  Result<Json> Patched(const ApiRequest& request, const Json& patch, const Json* live) const;
  /// What other objects mean to the server: definitions serve resources, namespaces hold objects.
  void AfterWrite(const ServedResource& resource, const WriteResult& result);
  void ServeDefinition(const Json& definition, bool gone);
  void EmptyNamespace(const std::string& name);

  Registry& registry_;
  ObjectStore& store_;
};

}  // namespace k8s::inline v0::testing
