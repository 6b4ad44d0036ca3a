#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs real programs with malloc replaced and compares what they say with a run without: programs.sh <proxy library>
# <source folder> <include folder>. Programs that are not installed are named and skipped; exit code 77 if all were.
set -u
proxy=$(readlink -f "$1"); source=$2; include=$3
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
ran=0; failed=0

# check NAME PROGRAM ARGUMENTS...: the same output and exit code in both runs
check() {
  local name=$1; shift
  if ! command -v "$1" >/dev/null; then echo "skipped: $name ($1 is not installed)"; return; fi
  ran=$((ran + 1))
  "$@" >"$work/plain" 2>&1; local plain=$?
  LD_PRELOAD=$proxy "$@" >"$work/replaced" 2>&1; local replaced=$?
  if [ $plain -ne $replaced ] || ! cmp -s "$work/plain" "$work/replaced"; then
    echo "FAILED: $name: exit $plain without, $replaced with the replacement"; tail -5 "$work/replaced"
    failed=$((failed + 1))
  else
    echo "passed: $name"
  fi
}

cat >"$work/load.py" <<'PYTHON'
import json, re, subprocess, sys, threading, zlib
data = [{"n": i, "list": [str(i)] * 5} for i in range(50000)]
text = json.dumps(data)
assert json.loads(text) == data
sums = {}
def work(k):
    sums[k] = sum(len(bytes(i % 500)) for i in range(60000))
threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(len(zlib.compress(text.encode())), sorted(sums.items()), len(re.findall(r"1\d", text)))
for _ in range(20):
    print(subprocess.check_output(["echo", "child"]))
PYTHON
check python3 python3 "$work/load.py"

cat >"$work/load.sql" <<'SQL'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i+1 from n where i<100000)
  insert into t select i, hex(i * 7919 % 1000003), i * 1.5 from n;
create index tb on t(b);
select count(*), sum(c) from t where b > '38';
select count(*) from (select a.b, count(*) k from t a join t b on a.a = b.a group by a.b order by k desc);
pragma integrity_check;
SQL
check sqlite3 sqlite3 -init /dev/null :memory: ".read $work/load.sql"

check "g++, a large file" sh -c \
  "g++ -std=c++20 -O1 -I'$include' -include regex -include map -S -o - '$source/stress/alloc_shadow.cpp' | cksum"

check "python3 with little address space" bash -c "ulimit -v 400000; python3 '$work/load.py'"
check "sqlite3 in valgrind" valgrind -q --error-exitcode=9 --soname-synonyms=somalloc=nouserintercepts \
  sqlite3 -init /dev/null :memory: "create table t(a); insert into t values(1), (2); select sum(a) from t"

git init -q "$work/repository" 2>/dev/null && (
  cd "$work/repository" && git config user.email a@b && git config user.name a &&
  for i in 1 2 3; do cp "$source"/stress/*.cpp .; echo $i >>a.txt; git add . && git commit -qm "$i"; done)
check "git, history and pack" sh -c "cd '$work/repository' && git log -p | cksum && git gc -q --aggressive && git fsck"

# A threaded web server under load: every request answered, no complaint at the end.
if [ -x /usr/sbin/apache2 ] && command -v ab >/dev/null; then
  ran=$((ran + 1))
  modules=/usr/lib/apache2/modules; port=$((20000 + RANDOM % 20000))
  head -c 20000 /dev/urandom | base64 >"$work/index.html"; chmod 755 "$work"
  cat >"$work/apache.conf" <<CONF
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule deflate_module $modules/mod_deflate.so
LoadModule filter_module $modules/mod_filter.so
ServerName localhost
Listen 127.0.0.1:$port
PidFile $work/pid
Mutex file:$work
ErrorLog $work/error.log
DocumentRoot $work
User www-data
Group www-data
ThreadsPerChild 25
SetOutputFilter DEFLATE
CONF
  LD_PRELOAD=$proxy /usr/sbin/apache2 -f "$work/apache.conf" -D FOREGROUND & server=$!
  for _ in $(seq 1000); do [ -s "$work/pid" ] && break; sleep 0.1; done
  mapped=$(grep -c tbbmalloc_proxy /proc/$server/maps)
  ab -q -n 10000 -c 32 -H "Accept-Encoding: gzip" "http://127.0.0.1:$port/index.html" >"$work/ab" 2>&1
  kill $server; wait $server 2>/dev/null
  if [ "$mapped" -eq 0 ] || ! grep -q "Complete requests: *10000" "$work/ab" ||
     ! grep -q "Failed requests: *0" "$work/ab" || grep -qE "tbbmalloc:|signal|exit signal" "$work/error.log"; then
    echo "FAILED: apache2"; cat "$work/ab" "$work/error.log" | tail -20; failed=$((failed + 1))
  else
    echo "passed: apache2, 10000 requests, $(grep 'Requests per second' "$work/ab")"
  fi
else
  echo "skipped: apache2 (apache2 or ab is not installed)"
fi

[ $ran -eq 0 ] && exit 77
[ $failed -eq 0 ]
