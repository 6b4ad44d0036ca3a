// SPDX-License-Identifier: Apache-2.0
// The remote-free list: every message arrives exactly once and whole, whoever owns the heap meanwhile. The scenes
// of recycling do what heap_registry.cpp does around the inbox, with a mutex in place of its lock.
#include <doctest/doctest.h>

#include <engine/model.h>

#include "alloc/remote_free.h"

#include <mutex>

using namespace ashlar;
using alloc::inbox;
using alloc::long_message;
using alloc::message;

namespace {

// An object under way: its first words are the message, the rest is what its owner may use again.
struct alignas(16) object {
  long_message m{{0, 0}, 0};
  model::var<int> contents;
  model::var<int> arrived;

  void write(message* next) {
    contents.set(7);
    m.set(1, 0, next);
    m.set_more(&m, 5);
  }
};

struct heap_model {
  inbox mail;
  std::mutex lock;
  bool idle = false;         // under the lock
  model::var<int> received;  // the acting owner's

  void accept(message* list) {
    while (list != nullptr) {
      message* const next = list->next();
      object& o = *reinterpret_cast<object*>(list);
      model::require(list->count() == 1, "the count arrives");
      model::require(o.m.last_place() == 5 && o.m.ahead() == &o.m, "what the head says besides arrives");
      model::require(o.contents.get() == 7, "the freer's writes are there");
      o.arrived.set(o.arrived.get() + 1);
      model::require(o.arrived.get() == 1, "a message arrives twice");
      received.set(received.get() + 1);
      list = next;
    }
  }
  // leave(): the thread ends, or the tender is done.
  void leave() {
    for (;;) {
      do {
        accept(mail.take_all());
      } while (!mail.close());
      std::lock_guard const g(lock);
      idle = true;
      if (!mail.has_mail()) {
        return;
      }
      idle = false;
      accept(mail.open());
    }
  }
  // adopt() and the beginning of tend_idle_heap(): false if another thread has the heap.
  bool take() {
    std::lock_guard const g(lock);
    if (!idle) {
      return false;
    }
    idle = false;
    accept(mail.open());
    return true;
  }
  void send(object& o) {
    o.write(nullptr);
    if (mail.post(&o.m, &o.m) && take()) {
      leave();
    }
  }
};

void posts_and_takes() {
  heap_model h;
  model::label(h.mail, "inbox");
  object a, b, c;
  model::thread first("first", [&] { h.send(a); });
  model::thread second("second", [&] {
    c.write(nullptr);
    b.write(&c.m);
    h.mail.post(&b.m, &c.m);
  });
  h.accept(h.mail.take_all());
  first.join();
  second.join();
  h.accept(h.mail.take_all());
  model::require(h.received.get() == 3, "all messages arrive");
}

// The owner's thread ends while another one frees.
void owner_ends() {
  heap_model h;
  model::label(h.mail, "inbox");
  object a, b;
  model::thread owner("owner", [&] { h.leave(); });
  model::thread freer("freer", [&] {
    h.send(a);
    h.send(b);
  });
  owner.join();
  freer.join();
  model::require(h.idle && h.received.get() == 2, "nothing waits in an idle heap");
}

// A new thread takes the idle heap over while another one frees, and ends.
void heap_is_recycled() {
  heap_model h;
  model::label(h.mail, "inbox");
  object a;
  h.leave();
  model::thread heir("heir", [&] {
    if (h.take()) {
      h.leave();
    }
  });
  model::thread freer("freer", [&] { h.send(a); });
  heir.join();
  freer.join();
  model::require(h.idle && h.received.get() == 1, "nothing waits in an idle heap");
}

model::result check(void (*scene)(), char const* tag = nullptr) {
  model::options how;
  if (tag != nullptr) {
    how.weaken = model::tagged("src/alloc/remote_free.h", tag);
  }
  return model::check(how, scene);
}

}  // namespace

TEST_CASE("every message arrives once and whole") {
  for (auto const scene : {posts_and_takes, owner_ends, heap_is_recycled}) {
    model::result const r = check(scene);
    INFO(r.report);
    CHECK(!r.failed);
    CHECK(r.complete);
  }
}

TEST_CASE("the model notices weaker orders") {
  CHECK(check(posts_and_takes, "RF1").failed);
  CHECK(check(posts_and_takes, "RF2").failed);
}

TEST_CASE("a second look is needed before a heap may stay idle") {
  CHECK(check([] {
          heap_model h;
          object a;
          model::thread freer("freer", [&] {
            a.contents.set(7);
            a.m.set(1, 0, nullptr);
            h.mail.post(&a.m, &a.m);  // a freer that would not see to the mail
          });
          h.leave();
          freer.join();
          model::require(h.received.get() == 1, "nothing waits in an idle heap");
        }).failed);
}
