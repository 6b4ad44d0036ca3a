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
  "$@" >"$work/plain" 2>&1; local plain=$?
  if [ $plain -ne 0 ]; then echo "skipped: $name (exit $plain without the replacement)"; return; fi
  ran=$((ran + 1))
  LD_PRELOAD=$proxy "$@" >"$work/replaced" 2>&1; local replaced=$?
  if [ $plain -ne $replaced ] || ! cmp -s "$work/plain" "$work/replaced"; then
    echo "FAILED: $name: exit $plain without, $replaced with the replacement"; tail -5 "$work/replaced"
    failed=$((failed + 1))
  else
    echo "passed: $name"
  fi
}

# script NAME PROGRAM TEXT: the same for a line of shell, which needs the program. Numbers of seconds are left out.
script() {
  if ! command -v "$2" >/dev/null; then echo "skipped: $1 ($2 is not installed)"; return; fi
  check "$1" bash -c "cd '$work/files' && { $3; } 2>&1 | sed -E 's/[0-9.]+ ?(ms|sec|min|s)\\b//g'; exit \${PIPESTATUS[0]}"
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

# Real programs on the tests' own sources, repeated to some megabytes. Each takes some seconds at most.
mkdir "$work/files"
for i in $(seq 8); do cat "$source"/stress/*.cpp "$source"/unit/alloc/*.cpp; done >"$work/files/text"
cp -r "$source/unit" "$work/files/tree"
sed 's/the/a/; 7d' "$work/files/text" >"$work/files/other"
head -c 300000 "$work/files/text" | tr -c 'a-z\n' ' ' >"$work/files/words"
objects="$work/files/objects.o"; g++ -std=c++20 -g -c -I"$include" "$source/stress/alloc_shadow.cpp" -I"$source" -o "$objects" \
  2>/dev/null || rm -f "$objects"

script "python3 without its own allocator" python3 "PYTHONMALLOC=malloc python3 ../load.py"
# Parts of Python's own tests that take no sockets and no time, where they are installed.
if python3 -c 'import test.test_json' 2>/dev/null; then
  script "python3 -m test" python3 "PYTHONMALLOC=malloc python3 -W ignore -m test -q test_json test_list test_struct test_heapq \
    test_bisect test_textwrap | grep -vE 'duration|load avg|random seed|passed in'"
else
  echo "skipped: python3 -m test (its tests are not installed)"
fi
script perl perl "perl -ne 'push @{\$h{\$_}}, \$. for /\w+/g; END { print \"\$_ @{\$h{\$_}}[0..2]\n\" for sort keys %h }' words | cksum"
script awk awk "awk '{ for (i = 1; i <= NF; i++) n[\$i]++ } END { for (w in n) print n[w], w }' text | sort | cksum"
script "bash, arrays" bash "declare -A n; while read -r a b _; do n[_\$a]=\$((n[_\$a] + 1)); done <words; echo \${#n[@]}"
script sed sed "sed -E 's/([a-z]+) ([a-z]+)/\\2 \\1/g; y/abc/xyz/; /^ *$/d' text | cksum"
script grep grep "grep -cP '(\\w+) .*\\1' text; grep -oiE 'al+oc[a-z]*' text | cksum"
script "sort, four threads" sort "sort --parallel=4 -S 20M text | uniq -c | cksum"
script diff diff "diff -u text other | cksum"
script patch patch "cp text copy && diff -u text other >change; patch -s copy change && cmp copy other"
script gzip gzip "gzip -9c text | gzip -dc | cmp - text"
script bzip2 bzip2 "bzip2 -c text | bzip2 -dc | cmp - text"
script "xz, two threads" xz "xz -T2 -3 --block-size=500000 -c text | xz -dc | cmp - text"
script "zstd, two threads" zstd "zstd -qc -T2 -12 text | zstd -dcq | cmp - text"
script lz4 lz4 "lz4 -qc text | lz4 -dcq | cmp - text"
script tar tar "tar cf - tree | tar tf - | sort | cksum"
script "zip, unzip" zip "rm -f a.zip; zip -qr a.zip tree && unzip -qt a.zip"
script openssl openssl "openssl enc -aes-256-cbc -pbkdf2 -k key -S 0011223344556677 -in text | openssl dgst -sha256"
script gdb gdb "gdb -nx -batch -ex 'info functions main' -ex 'info types size' '$objects' | cksum"
script "objdump, nm, readelf" objdump "objdump -dC '$objects' | cksum; nm -C '$objects' | cksum; readelf -wi '$objects' | cksum"
script "g++, linking" g++ "echo 'int main() {}' >m.cpp && g++ m.cpp -o m && ./m"
script clang clang-19 "clang-19 -std=c++20 -O1 -I'$include' -I'$source' -S -o - '$source/stress/alloc_shadow.cpp' | cksum"
script cmake cmake "for i in \$(seq 300); do echo \"list(APPEND l a\$i) \"; done >l.cmake; \
  printf 'list(SORT l)\nmessage(\"\${l}\")' >>l.cmake; cmake -P l.cmake"
script make make "{ echo 'all:'; for i in \$(seq 500); do printf 'all: t%d\nt%d:\n' \$i \$i; done; } >Makefile; make -sj4"
script node node "node -e 'let m = new Map(); for (let i = 0; i < 3e5; i++) m.set(\"k\" + i, [i]); \
  console.log(m.size, JSON.stringify([...m]).length, Buffer.alloc(1e7).length)'"
script java java "java -version"
script rustc rustc "echo 'fn main() { println!(\"{}\", (1..9).map(|i| i.to_string()).collect::<Vec<_>>().join(\"-\")); }' >r.rs; \
  rustc -O r.rs && ./r"
script vim vim "cp text v; vim -nes -u NONE -c '%s/alloc/free/g' -c 'g/^\\s*\$/d' -c 'wq' v </dev/null; cksum <v"
script tclsh tclsh "echo 'for {set i 0} {\$i < 100000} {incr i} {set a(\$i) [expr \$i * 7]}; puts [array size a]' | tclsh"
script jq jq "python3 -c 'import json; print(json.dumps([{\"a\": i, \"b\": [i] * 5} for i in range(20000)]))' >j; \
  jq 'map(select(.a % 3 == 0) | .b | add) | add' j"
script curl curl "curl -s file://\$PWD/text | cksum"
script bc bc "echo 'scale = 1000; 4 * a(1); 3 ^ 5000' | bc -l | cksum"
script groff groff "printf '.TH A 1\n.SH B\n' | cat - words | groff -man -Tascii 2>/dev/null | cksum"

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

echo "$ran programs ran, $failed failed"
[ $ran -eq 0 ] && exit 77
[ $failed -eq 0 ]
