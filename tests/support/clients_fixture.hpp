#pragma once

#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/rest/config.hpp>

#include <optional>
#include <string>

#include "support/real_server.hpp"

namespace k8s::test {

/// A client of the real server for an administrator, and a namespace of the test's own.
class ClientsFixture : public RealServerTest {
 protected:
  void SetUp() override {
    RealServerTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    config_ = clientcmd::BuildConfigFromFlags("", Server().AdminKubeconfig()).value();
    config_.qps = -1;
    client_.emplace(kubernetes::Clientset::New(config_).value());
    ns_ = NewNamespace();
  }
  [[nodiscard]] auto ConfigMaps() const { return client_->CoreV1().ConfigMaps(ns_); }
  [[nodiscard]] auto Pods() const { return client_->CoreV1().Pods(ns_); }

  void Make(const std::string& name, const std::string& app = "a") const {
    ASSERT_TRUE(ConfigMaps().Create(corev1::ConfigMap{
        .metadata = {.name = name, .labels = {{"app", app}}}, .data = {{"k", "v"}}}));
  }
  void MakePod(const std::string& name) const {
    corev1::Pod pod{.metadata = {.name = name, .labels = {{"app", "web"}}}};
    pod.spec.containers.push_back({.name = "c", .image = "registry.example.com/c"});
    pod.spec.automountServiceAccountToken = false;
    const auto made = Pods().Create(pod);
    ASSERT_TRUE(made) << made.error().ToString();
  }

  rest::Config config_;
  std::optional<kubernetes::Clientset> client_;
  std::string ns_;
};

}  // namespace k8s::test
