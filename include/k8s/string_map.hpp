#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0 {

/// A map from text to V in one sorted block of memory: labels, annotations, data. The interface of
/// std::map, with keys looked up by string_view. Mirrors map[string]V; null and empty are one.
///
/// Iteration gives pairs `first`, `second` in ascending byte order of the keys. Keys must not be
/// changed through an iterator. Insertion and erasure invalidate iterators and references. V may be
/// incomplete where a StringMap is declared.
/// Cost. Look-up O(log n); insertion O(n), O(1) when keys come in order, as they do in JSON.
/// Thread safety. As std::map.
template <class V>
class StringMap {
 public:
  using key_type = std::string;
  using mapped_type = V;
  /// Not a std::pair: its constructors need a complete V too early.
  struct value_type {
    std::string first;
    V second;
    friend bool operator==(const value_type& left, const value_type& right) {
      return left.first == right.first && left.second == right.second;
    }
  };

 private:
  using Storage = std::vector<value_type>;

 public:
  using iterator = typename Storage::iterator;
  using const_iterator = typename Storage::const_iterator;

  StringMap() = default;
  /// A later pair replaces an earlier one of the same key.
  StringMap(std::initializer_list<value_type> pairs) : StringMap(pairs.begin(), pairs.end()) {}
  template <class Iterator>
  StringMap(Iterator first, Iterator last) {
    for (; first != last; ++first) insert_or_assign(first->first, first->second);
  }

  [[nodiscard]] bool empty() const { return pairs_.empty(); }
  [[nodiscard]] std::size_t size() const { return pairs_.size(); }
  iterator begin() { return pairs_.begin(); }
  iterator end() { return pairs_.end(); }
  [[nodiscard]] const_iterator begin() const { return pairs_.begin(); }
  [[nodiscard]] const_iterator end() const { return pairs_.end(); }
  /// The i-th pair in the order of the keys. Requires: i < size().
  [[nodiscard]] const value_type& nth(std::size_t i) const { return pairs_[i]; }

  iterator find(std::string_view key) { return pairs_.begin() + Index(key); }
  [[nodiscard]] const_iterator find(std::string_view key) const {
    return pairs_.begin() + Index(key);
  }
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != end(); }
  [[nodiscard]] std::size_t count(std::string_view key) const { return contains(key) ? 1 : 0; }

  /// Throws std::out_of_range for an absent key.
  V& at(std::string_view key) { return const_cast<V&>(std::as_const(*this).at(key)); }
  [[nodiscard]] const V& at(std::string_view key) const {
    auto found = find(key);
    if (found == end()) throw std::out_of_range("StringMap::at: no such key");
    return found->second;
  }
  /// The key's value, made fresh when the key is absent.
  V& operator[](std::string_view key) {
    auto place = LowerBound(key);
    if (Matches(place, key)) return place->second;
    return pairs_.insert(place, value_type{std::string(key), V()})->second;
  }

  /// Returns the pair's place, and whether the key was new.
  std::pair<iterator, bool> insert_or_assign(std::string key, V value) {
    auto place = LowerBound(key);
    if (Matches(place, key)) {
      place->second = std::move(value);
      return {place, false};
    }
    return {pairs_.insert(place, value_type{std::move(key), std::move(value)}), true};
  }
  /// Adds a pair unless the key is there.
  std::pair<iterator, bool> emplace(std::string key, V value) {
    auto place = LowerBound(key);
    if (Matches(place, key)) return {place, false};
    return {pairs_.insert(place, value_type{std::move(key), std::move(value)}), true};
  }
  std::pair<iterator, bool> insert(value_type pair) {
    return emplace(std::move(pair.first), std::move(pair.second));
  }

  /// Returns how many pairs were removed, 0 or 1.
  std::size_t erase(std::string_view key) {
    auto found = find(key);
    if (found == end()) return 0;
    pairs_.erase(found);
    return 1;
  }
  iterator erase(const_iterator place) { return pairs_.erase(place); }
  void clear() { pairs_.clear(); }
  void reserve(std::size_t pairs) { pairs_.reserve(pairs); }
  /// Gives back memory that is not in use.
  void shrink_to_fit() { pairs_.shrink_to_fit(); }

  friend bool operator==(const StringMap& left, const StringMap& right) {
    return left.pairs_ == right.pairs_;
  }

 private:
  iterator LowerBound(std::string_view key) {
    if (pairs_.empty() || pairs_.back().first < key) return pairs_.end();
    return std::lower_bound(pairs_.begin(), pairs_.end(), key, Before);
  }
  bool Matches(iterator place, std::string_view key) {
    return place != pairs_.end() && place->first == key;
  }
  [[nodiscard]] std::ptrdiff_t Index(std::string_view key) const {
    auto place = std::lower_bound(pairs_.begin(), pairs_.end(), key, Before);
    if (place == pairs_.end() || place->first != key) place = pairs_.end();
    return place - pairs_.begin();
  }
  static bool Before(const value_type& pair, std::string_view key) { return pair.first < key; }

  Storage pairs_;
};

}  // namespace k8s::inline v0
