// SPDX-License-Identifier: Apache-2.0
// The word of a node whose memory goes back to the system while threads still believe in its element: who comes late
// takes no lock with it that it must not, and takes none from an element that has come since.
#include <scenes.h>

#include <ashlar/containers/node_state.h>

using namespace ashlar;
using containers::hold;
using containers::node_state;

namespace {

struct node_scene {
  node_state state;
  model::var<int> value{0};

  void publish(int v) {
    value.set(v);
    state.publish(hold::nothing);
  }
  // As a thread that has found the node's address at any time before.
  void look(hold h) {
    if (state.try_lock(h) != node_state::outcome::taken) return;
    model::require(value.get() != 0, "a locked element lives");
    state.unlock(h);
  }
  void end() {
    if (!state.kill()) state.drain();
    value.set(0);
  }
  // The node is free; its memory goes back and is used again, which is one step for the word.
  void go_back() {
    if (state.lose()) state.reset_if_lost();
  }
};

void late_readers() {
  node_scene s;
  s.publish(1);
  model::thread a("looks", [&] { s.look(hold::read); });
  model::thread b("looks again", [&] { s.look(hold::read); });
  s.end();
  s.go_back();
  s.publish(2);
  a.join();
  b.join();
  model::require(s.state.kill(), "nobody holds a lock in the end");
}

void late_writer() {
  node_scene s;
  s.publish(1);
  model::thread a("locks for writing", [&] { s.look(hold::write); });
  s.end();
  s.go_back();
  s.publish(2);
  s.look(hold::read);
  a.join();
  model::require(s.state.kill(), "nobody holds a lock in the end");
}

// The memory goes back twice while one reader is on its way.
void twice() {
  node_scene s;
  s.publish(1);
  model::thread a("looks", [&] { s.look(hold::read); });
  s.end();
  s.go_back();
  s.go_back();
  s.publish(2);
  s.look(hold::write);
  a.join();
  model::require(s.state.kill(), "nobody holds a lock in the end");
}

model::scene const scenes[] = {{"late readers", late_readers, 2}, {"late writer", late_writer, 2}, {"twice", twice, 3}};

}  // namespace

TEST_CASE("memory that goes back and forth takes no lock along") { model::check_all(scenes); }
TEST_CASE("random search goes on where the exhaustive one stops") { model::check_randomly(scenes, 2'000); }
