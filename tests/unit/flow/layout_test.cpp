// SPDX-License-Identifier: Apache-2.0
// The layouts of the flow graph that compiled programs share with the library (docs/abi.md). A layout that differs
// breaks these programs: the soname has to rise if a release has had the layout. Private members among them: compiled
// with -fno-access-control.
#include <ashlar/flow/edges/edges.h>
#include <ashlar/flow/frozen/frozen_graph.h>
#include <ashlar/flow/resources/provided_request.h>
#include <ashlar/flow/work/source_burst.h>

#include <cstddef>

using namespace ashlar::flow;

#pragma GCC diagnostic ignored "-Winvalid-offsetof"

static_assert(sizeof(ashlar::object_name) == 8);

static_assert(sizeof(graph_core) == 432 && offsetof(graph_core, name_) == 0 && offsetof(graph_core, count_) == 8);
static_assert(offsetof(graph_core, group_) == 288 && offsetof(graph_core, arena_) == 328);
static_assert(offsetof(graph_core, spawns_in_) == 336 && offsetof(graph_core, users_) == 344);
static_assert(offsetof(graph_core, previous_graph_) == 352 && offsetof(graph_core, next_graph_) == 360);
static_assert(offsetof(graph_core, first_) == 368 && offsetof(graph_core, last_) == 376);
static_assert(offsetof(graph_core, reserved_) == 384 && offsetof(graph_core, nodes_lock_) == 392);
static_assert(offsetof(graph_core, ending_lock_) == 393 && offsetof(graph_core, priority_lock_) == 394);
static_assert(offsetof(graph_core, cancelled_) == 395 && offsetof(graph_core, thrown_) == 396);
static_assert(offsetof(graph_core, counts_messages_) == 397 && offsetof(graph_core, draws_waits_) == 398);
static_assert(offsetof(graph_core, enqueues_) == 399 && offsetof(graph_core, heap_) == 400);
static_assert(offsetof(graph_core, heap_size_) == 408 && offsetof(graph_core, heap_room_) == 416);
static_assert(offsetof(graph_core, heap_number_) == 424);

static_assert(sizeof(node_base) == 40 && offsetof(node_base, name_) == 8 && offsetof(node_base, core_) == 16);
static_assert(offsetof(node_base, previous_) == 24 && offsetof(node_base, next_) == 32);
static_assert(sizeof(picture) == 8 && offsetof(picture, content_) == 0);

static_assert(sizeof(wait_token) == 304 && offsetof(wait_token, uses_) == 0 && offsetof(wait_token, first_) == 280);
static_assert(offsetof(wait_token, second_) == 288 && offsetof(wait_token, joint_uses_) == 296);
static_assert(sizeof(passage) == 8);

static_assert(sizeof(edge_list) == 32 && offsetof(edge_list, size_) == 0 && offsetof(edge_list, room_) == 4);
static_assert(offsetof(edge_list, own_) == 8 && offsetof(edge_list, more_) == 24);

static_assert(sizeof(output_edges) == 88 && offsetof(output_edges, only_) == 0);
static_assert(offsetof(output_edges, version_) == 8 && offsetof(output_edges, closed_) == 12);
static_assert(offsetof(output_edges, list_) == 16 && offsetof(output_edges, graph_) == 48);
static_assert(offsetof(output_edges, lock_) == 56 && offsetof(output_edges, foreign_) == 57);
static_assert(offsetof(output_edges, pulling_) == 60 && offsetof(output_edges, puller_) == 64);
static_assert(offsetof(output_edges, others_) == 72 && offsetof(output_edges, tallies_) == 80);
using others = output_edges::others;
static_assert(sizeof(others) == 96 && offsetof(others, pullers) == 0 && offsetof(others, told) == 32);
static_assert(offsetof(others, again) == 64);

static_assert(sizeof(burst) == 16 && offsetof(burst, since_) == 0 && offsetof(burst, left_) == 8);
static_assert(offsetof(burst, are_short_) == 12);
static_assert(sizeof(source_burst) == 48 && offsetof(source_burst, way_) == 16);
static_assert(offsetof(source_burst, took_) == 32 && offsetof(source_burst, bursts_) == 40);
static_assert(offsetof(source_burst, is_kept_) == 41 && offsetof(source_burst, caused_) == 42);

static_assert(sizeof(resource_cell) == 8 && offsetof(resource_cell, next) == 0);
static_assert(sizeof(resource_pool) == 24 && offsetof(resource_pool, lock_) == 0);
static_assert(offsetof(resource_pool, free_) == 8 && offsetof(resource_pool, waiters_) == 16);
static_assert(sizeof(resource_use) == 32 && offsetof(resource_use, pool) == 0 && offsetof(resource_use, cell) == 8);
static_assert(offsetof(resource_use, request) == 16 && offsetof(resource_use, next) == 24);
static_assert(sizeof(resource_request) == 48 && offsetof(resource_request, uses_) == 0);
static_assert(offsetof(resource_request, number_) == 8 && offsetof(resource_request, resume_) == 16);
static_assert(offsetof(resource_request, age_) == 24 && offsetof(resource_request, listed_) == 32);
static_assert(offsetof(resource_request, passed_) == 36 && offsetof(resource_request, waits_) == 40);
static_assert(sizeof(provided_request) == 72 && offsetof(provided_request, links_) == 16);
static_assert(offsetof(provided_request, number_of_links_) == 24 && offsetof(provided_request, uses_) == 32);
static_assert(offsetof(provided_request, node_) == 40 && offsetof(provided_request, resume_) == 48);
static_assert(offsetof(provided_request, got_) == 56 && offsetof(provided_request, asked_) == 64);
static_assert(offsetof(provided_request, missing_) == 68);

static_assert(sizeof(frozen_core) == 16 && offsetof(frozen_core, plan_) == 0 && offsetof(frozen_core, size_) == 8);
