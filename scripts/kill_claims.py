#!/usr/bin/env python3
"""Kills runs of claims and of decisions at random instants and checks that nothing is lost and nothing doubled: a claim that
was told is in the list, no title is claimed twice, and a decision that was told is kept; also after the catalogue was lost.
After each kill the journal is whole: each line has the hash of the line before and its own, but for a last line that the
next command completes; and it says what the library lists.

usage: kill_claims.py SIGLUM [--kills N] [--seed N]
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

TITLES = 120
# The catalogue is removed after so many kills, and comes back from the journal.
LOST_EVERY = 12
SYLLABLES = "ba ke lu mi no pa ri su ta ve wo xi yu za chi dra flo gre".split()


def run(siglum, *arguments, library):
    command = [siglum, *arguments, "--library", library]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 2:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return done.stdout


def titles(dice):
    """Titles of made words, of which no two are alike."""
    word = lambda: "".join(dice.choices(SYLLABLES, k=3))
    return [" ".join(word() for _ in range(4)) for _ in range(TITLES)]


def killed(command, seconds):
    """Starts a program, kills it and its workers after a time, and gives the lines it had said."""
    program = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(program.stdout))
    reader.start()
    time.sleep(seconds)
    ended = program.poll() is not None
    try:
        os.killpg(program.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    program.wait()
    reader.join()
    return [line for line in lines if line.endswith("\n")], ended


def read_journal(siglum, library, is_killed):
    """The events of a journal, whose chain must be whole. A kill may leave the beginning of a line at the end."""
    path = library / "events.jsonl"
    *lines, rest = path.read_bytes().split(b"\n") if path.exists() else [b""]
    if rest and not is_killed:
        sys.exit(f"{path} ends without a line break: {rest}")
    before, events = "0" * 32, []
    for number, line in enumerate(lines, 1):
        event = json.loads(line)
        if event["before"] != before or not line.endswith(f',"hash":"{event["hash"]}"}}'.encode()):
            sys.exit(f"{path}, line {number} does not follow the line before it: {line}")
        before = event["hash"]
        events.append(event)
    return events


def check_journal(siglum, library):
    """The program itself finds the journal whole, its own hashes too, and the journal as its reader here has it."""
    done = subprocess.run([siglum, "status", "--library", library], capture_output=True, text=True, check=False)
    if done.returncode != 0 or "events.jsonl" in done.stderr:
        sys.exit(f"siglum status: {done.stderr}")
    # Whoever writes next completes what a kill left.
    subprocess.run([siglum, "forget", library / "nothing", "--library", library], capture_output=True, check=False)
    return read_journal(siglum, library, is_killed=False)


def claims(siglum, library):
    listed = run(siglum, "check", "--claims", "--json", library=library)
    return [json.loads(line) for line in listed.splitlines()]


def check_claims(siglum, library, told):
    """Every claim that was told is listed once, and no title twice; the journal has these claims and no others."""
    read_journal(siglum, library, is_killed=True)
    listed = claims(siglum, library)
    ids = [claim["id"] for claim in listed]
    names = [claim["title"] for claim in listed]
    lost = sorted(set(told) - set(names))
    if lost or len(set(ids)) != len(ids) or len(set(names)) != len(names):
        sys.exit(f"lost: {lost}\nlisted: {sorted(names)}")
    events = check_journal(siglum, library)
    journalled = [event["record"]["title"] for event in events if event["kind"] == "claim"]
    if sorted(journalled) != sorted(names):
        sys.exit(f"the journal has {sorted(journalled)}\nand the library lists {sorted(names)}")
    return names


def kill_claims(siglum, folder, kills, dice):
    library = folder / "claims"
    told, n_kills, n_granted, round_of = [], 0, 0, 0
    names = []
    while n_kills < kills:
        if len(names) in (0, TITLES):
            # All titles are claimed: others follow.
            queries = folder / "queries.csv"
            wanted = titles(dice)
            queries.write_text("title\n" + "".join(f"{title}\n" for title in wanted))
            n_granted += len(names)
            round_of += 1
            library = folder / f"claims {round_of}"
            told, names = [], []
        command = [siglum, "check", "--claim", "--centre", "Madurai", "--json", "--library", library, queries]
        lines, ended = killed(command, dice.uniform(0.0, 0.4))
        n_kills += not ended
        for line in lines:
            answer = json.loads(line)
            if answer.get("claim"):
                told.append(answer["query"]["title"])
        if not told:
            continue
        if not ended and n_kills % LOST_EVERY == 0:
            for name in ("catalogue.sqlite", "catalogue.sqlite-wal", "catalogue.sqlite-shm"):
                (library / name).unlink(missing_ok=True)
            # Whoever claims next makes it again.
            run(siglum, "check", "--claim", "--centre", "Pune", told[0], library=library)
        names = check_claims(siglum, library, told)
    return n_kills, n_granted + len(names)


def kill_decisions(siglum, folder, kills, dice):
    subprocess.run([siglum, "demo", folder / "demo"], capture_output=True, check=True)
    library, n_kills, told = folder / "demo" / "library", 0, set()
    pairs = [json.loads(line) for line in run(siglum, "matches", "--json", library=library).splitlines()]
    pairs = [(pair["a"], pair["b"]) for pair in pairs]
    while n_kills < kills:
        a, b = dice.choice(pairs)
        options = ["--undo"] if (a, b) in told else []
        is_undo = bool(options)
        command = [siglum, "not-same", *options, "--json", a, b, "--library", library]
        lines, ended = killed(command, dice.uniform(0.0, 0.05))
        n_kills += not ended
        read_journal(siglum, library, is_killed=True)
        if not ended and n_kills % LOST_EVERY == 0:
            for name in ("catalogue.sqlite", "catalogue.sqlite-wal", "catalogue.sqlite-shm"):
                (library / name).unlink(missing_ok=True)
            run(siglum, "repair", library=library)
        listed = run(siglum, "not-same", "--list", "--json", library=library)
        decisions = [json.loads(line) for line in listed.splitlines()]
        files = [{file["file"] for side in "ab" for file in decision[side]} for decision in decisions]
        is_listed = any({a, b} <= of for of in files)
        if lines and is_listed == is_undo:
            sys.exit(f"{a} and {b}: it was said that the decision was {'undone' if is_undo else 'made'}, and it was not")
        (told.add if is_listed else told.discard)((a, b))
        events = check_journal(siglum, library)
        last = {}
        for event in events:
            if event["kind"] in ("not-same", "undo"):
                last[event["a"], event["b"]] = event["kind"]
        n_journalled = sum(kind == "not-same" for kind in last.values())
        if n_journalled != len(decisions):
            sys.exit(f"the journal has {n_journalled} decisions, and the library lists {len(decisions)}")
    return n_kills


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("siglum", type=Path)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    siglum, dice = args.siglum.resolve(), random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        n_kills, n_claims = kill_claims(siglum, folder, args.kills // 2, dice)
        print(f"{n_kills} runs of claims killed, {n_claims} claims granted: none lost, none doubled")
        n_kills = kill_decisions(siglum, folder, args.kills - args.kills // 2, dice)
        print(f"{n_kills} decisions killed: each that was told was kept, and the chain of the journal was never broken")


main()
