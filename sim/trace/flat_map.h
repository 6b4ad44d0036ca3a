// SPDX-License-Identifier: Apache-2.0
// A hash map from numbers to numbers without a node for each entry: open addressing, linear probing, at most half full.
// Any change ends all iterators; erase_if and what is called within it excepted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ashlar::sim {

template <typename Key>
class flat_map {
 public:
  struct entry {
    Key first;
    std::uint32_t second;
  };

  template <typename Map, typename Entry>
  class iterator_of {
   public:
    iterator_of(Map* map, std::size_t at) : map_(map), at_(at) { skip(); }
    Entry& operator*() const { return map_->entries_[at_]; }
    Entry* operator->() const { return &map_->entries_[at_]; }
    iterator_of& operator++() {
      ++at_;
      skip();
      return *this;
    }
    bool operator==(iterator_of const& other) const { return at_ == other.at_; }

   private:
    friend class flat_map;
    void skip() {
      while (at_ < map_->used_.size() && !map_->used_[at_]) ++at_;
    }
    Map* map_;
    std::size_t at_;
  };
  using iterator = iterator_of<flat_map, entry>;
  using const_iterator = iterator_of<flat_map const, entry const>;

  iterator begin() { return {this, 0}; }
  iterator end() { return {this, used_.size()}; }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, used_.size()}; }
  std::size_t size() const noexcept { return size_; }

  iterator find(Key key) {
    std::size_t const at = place_of(key);
    return at != none ? iterator(this, at) : end();
  }
  const_iterator find(Key key) const {
    std::size_t const at = place_of(key);
    return at != none ? const_iterator(this, at) : end();
  }

  // The entry of the key, made with `value` if there is none; true: it was made.
  std::pair<iterator, bool> try_emplace(Key key, std::uint32_t value) {
    if (2 * (size_ + 1) > used_.size()) grow();
    std::size_t at = start_of(key);
    for (; used_[at]; at = (at + 1) & mask()) {
      if (entries_[at].first == key) return {iterator(this, at), false};
    }
    used_[at] = 1;
    entries_[at] = {key, value};
    ++size_;
    return {iterator(this, at), true};
  }
  std::uint32_t& operator[](Key key) { return try_emplace(key, 0).first->second; }

  void erase(iterator at) { remove(at.at_); }
  void erase(Key key) {
    std::size_t const at = place_of(key);
    if (at != none) remove(at);
  }

  // Erases the entries for which out(entry) is true, which may change the others' values; once for each entry.
  template <typename Out>
  void erase_if(Out const& out) {
    flat_map kept;
    for (entry& e : *this) {
      if (!out(e)) kept.try_emplace(e.first, e.second);
    }
    *this = std::move(kept);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr std::size_t least = 64;

  std::size_t mask() const { return used_.size() - 1; }
  std::size_t start_of(Key key) const { return (static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15u) >> shift_; }
  std::size_t place_of(Key key) const {
    if (size_ == 0) return none;
    for (std::size_t at = start_of(key); used_[at]; at = (at + 1) & mask()) {
      if (entries_[at].first == key) return at;
    }
    return none;
  }

  // What follows without a gap moves up, unless it would come before its own start.
  void remove(std::size_t hole) {
    for (std::size_t at = (hole + 1) & mask(); used_[at]; at = (at + 1) & mask()) {
      std::size_t const from_start = (at - start_of(entries_[at].first)) & mask();
      if (from_start < ((at - hole) & mask())) continue;
      entries_[hole] = entries_[at];
      hole = at;
    }
    used_[hole] = 0;
    --size_;
  }

  void grow() {
    std::size_t const room = used_.empty() ? least : 2 * used_.size();
    std::vector<entry> old(room);
    std::vector<std::uint8_t> old_used(room);
    old.swap(entries_);
    old_used.swap(used_);
    shift_ = 64;
    for (std::size_t n = room; n > 1; n /= 2) --shift_;
    size_ = 0;
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (old_used[i]) try_emplace(old[i].first, old[i].second);
    }
  }

  std::vector<entry> entries_;
  std::vector<std::uint8_t> used_;
  std::size_t size_ = 0;
  unsigned shift_ = 64;
};

}  // namespace ashlar::sim
