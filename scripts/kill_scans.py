#!/usr/bin/env python3
"""Kills scans at random instants and checks that nothing is lost: whenever a scan is let finish, the library says exactly what
one says that was never disturbed.

usage: kill_scans.py SIGLUM [--kills N] [--seed N]
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# About one kill in so many is followed by a scan that may end, and by the comparison.
KILLS_A_LIBRARY = 10


def run(siglum, *arguments, library):
    command = [siglum, *arguments, "--library", library]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 2:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return done.stdout


def look(siglum, library):
    """Looks at a library as a scan left it that was killed; it may have come to no library at all."""
    command = [siglum, "status", "--json", "--library", library]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 2 and "no library" not in done.stderr:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")


def content(siglum, library):
    """All a library says, without sizes and times."""
    status = json.loads(run(siglum, "status", "--json", library=library))
    counts = {name: n for name, n in status.items() if not name.endswith("_bytes") and name != "library"}
    return {
        "matches": run(siglum, "matches", "--json", library=library),
        "clusters": run(siglum, "clusters", "--json", library=library),
        "status": counts,
    }


def make_books(siglum, folder, dice):
    """The demo's shelf and some longer books, so that a scan takes a while."""
    subprocess.run([siglum, "demo", folder], capture_output=True, check=True)
    books = folder / "books"
    words = ["".join(dice.choices("abcdefghijklmnoprstuvw", k=dice.randint(2, 9))) for _ in range(4000)]
    for number in range(24):
        text = dice.choices(words, k=20_000)
        (books / f"long {number} one.txt").write_text(" ".join(text))
        noisy = [word if dice.random() < 0.98 else word[::-1] for word in text]
        (books / f"long {number} other.txt").write_text(" ".join(noisy))
    return books


def kill_scan(siglum, books, library, seconds):
    """Starts a scan and kills it and its workers; says whether it had ended before."""
    scan = subprocess.Popen(
        [siglum, "scan", books, "--library", library],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    time.sleep(seconds)
    ended = scan.poll() is not None
    try:
        os.killpg(scan.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    scan.wait()
    return ended


def check(what, found, expected):
    if found != expected:
        print(f"{what}: the library differs from an undisturbed one", file=sys.stderr)
        for part in expected:
            if found[part] != expected[part]:
                print(f"--- {part}, expected\n{expected[part]}\n--- found\n{found[part]}", file=sys.stderr)
        sys.exit(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("siglum", type=Path)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    siglum, dice = args.siglum.resolve(), random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        books = make_books(siglum, folder / "demo", dice)
        begun = time.monotonic()
        run(siglum, "scan", books, library=folder / "undisturbed")
        whole = time.monotonic() - begun
        expected = content(siglum, folder / "undisturbed")
        n_kills = n_libraries = 0
        while n_kills < args.kills:
            library = folder / "killed"
            shutil.rmtree(library, ignore_errors=True)
            for _ in range(KILLS_A_LIBRARY):
                # Early kills meet the reading, late ones what is done with all of it.
                n_kills += not kill_scan(siglum, books, library, dice.uniform(0.0, 0.6 * whole))
                if dice.random() < 0.2:
                    look(siglum, library)
            run(siglum, "scan", books, library=library)
            n_libraries += 1
            check(f"after {n_kills} kills", content(siglum, library), expected)
        print(f"{n_kills} scans killed, {n_libraries} libraries finished, each as if undisturbed ({whole:.1f} s a scan)")


main()
