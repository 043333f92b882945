#!/usr/bin/env python3
"""Flips single bits in every file of a library and checks that none gives a wrong answer: what a command says afterwards is
what it said before, or it fails with exit code 2 and a reason; and a repair and a scan heal it, or it is refused.

usage: flip_bits.py SIGLUM [--flips N] [--seed N]
"""

import argparse
import collections
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Empty files, on which locks are held.
NO_BITS = {"lock", "catalogue.lock"}
# What is said about sizes and times, or about work that waits, is no answer about books.
NO_ANSWER = {"catalogue_bytes", "index_bytes", "library", "waiting"}
# A page of the catalogue has 4096 bytes, the first of a database 100 bytes of header.
PAGE, HEADER = 4096, 100


def call(siglum, library, *arguments):
    command = [siglum, *arguments, "--library", library]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def status_of(text):
    return {name: value for name, value in json.loads(text).items() if name not in NO_ANSWER}


class Shelf:
    """A library with everything in it, and the questions that are asked."""

    def __init__(self, siglum, folder, dice):
        self.siglum, self.folder, self.library = siglum, folder, folder / "library"
        subprocess.run([siglum, "demo", folder / "demo"], capture_output=True, check=True)
        self.books = folder / "demo" / "books"
        words = ["".join(dice.choices("abcdefghijklmnoprstuvw", k=dice.randint(2, 9))) for _ in range(3000)]
        for number in range(4):
            text = dice.choices(words, k=4000)
            (self.books / f"long {number} one.txt").write_text(" ".join(text))
            noisy = [word if dice.random() < 0.98 else word[::-1] for word in text]
            (self.books / f"long {number} other.txt").write_text(" ".join(noisy))
        records = folder / "records.jsonl"
        record = '{{"title": "{}", "creators": ["{} {}"], "date": "{}"}}\n'
        lines = [
            record.format(" ".join(dice.choices(words, k=5)), *dice.choices(words, k=2), 1800 + number)
            for number in range(300)
        ]
        records.write_text("".join(lines))
        self.records = records
        self.query = self.books / "scans" / "salt-road-1904.txt"
        queries = folder / "queries.jsonl"
        queries.write_text("".join(lines[:40]) + '{"title": "A title that nobody has", "creators": ["N. N."]}\n')
        self.queries = queries
        self.must("scan", self.books)
        self.must("check", "--import", records)
        self.must("check", "--claim", "--centre", "Pune", "A wooden whistle, and how to carve it")
        japanese = self.books / "japanese"
        self.must("not-same", japanese / "hon.txt", japanese / "hon-old-characters.txt")
        (self.books / "a later one.txt").write_text(" ".join(dice.choices(words, k=3000)))
        self.must("scan", self.books)
        self.expected = {name: self.ask(*question) for name, question in self.questions().items()}
        bad = {name: answer for name, answer in self.expected.items() if answer[0] == 2}
        if bad:
            sys.exit(f"the intact library fails: {bad}")

    def must(self, *arguments):
        code, _, said = call(self.siglum, self.library, *arguments)
        if code == 2:
            sys.exit(f"{arguments} failed:\n{said}")

    def questions(self):
        return {
            "find": ("find", "--json", self.query),
            "find siglum": ("find", "--json", "sig1zc2hrhge4why98lsv8j9g6ullng4axd6wd"),
            "clusters": ("clusters", "--json"),
            "matches": ("matches", "--json"),
            "check": ("check", "--json", "--queries", self.queries),
            "claims": ("check", "--claims", "--json"),
            "not-same": ("not-same", "--list", "--json"),
            "failed": ("status", "--failed", "--json"),
            "show": ("show", "--json", self.query),
            "status": ("status", "--json"),
        }

    def ask(self, *arguments):
        code, text, said = call(self.siglum, self.library, *arguments)
        if code not in (0, 1, 2):
            return code, said, said
        if arguments[0] == "status" and "--failed" not in arguments and code == 0:
            return code, status_of(text), said
        return code, text, said

    def differences(self):
        """The questions that are answered otherwise, and those that are refused."""
        wrong, refused = [], []
        for name, question in self.questions().items():
            code, text, said = self.ask(*question)
            if code == 2 and said.strip():
                refused.append((name, said.strip()))
            elif (code, text) != self.expected[name][:2]:
                wrong.append((name, code, text, self.expected[name][1]))
        return wrong, refused


def where(path, at, bytes_):
    """Which kind of place a byte of a file is."""
    if path.suffix != ".sqlite":
        return path.name
    if at < HEADER:
        return "header of the database"
    kinds = {2: "index", 5: "inner", 10: "index", 13: "rows"}
    begin = at - at % PAGE
    kind = bytes_[begin + (HEADER if begin == 0 else 0)]
    return f"page of {kinds.get(kind, 'long values or none')}"


def apart(found, expected):
    """The places where two answers begin to differ."""
    found, expected = str(found), str(expected)
    pairs = zip(found, expected, strict=False)
    at = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(found), len(expected)))
    begin = max(0, at - 60)
    return f"\n    found    …{found[begin : at + 200]}\n    expected …{expected[begin : at + 200]}"


def flip(path, at, bit):
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1 << bit]))


def copy_back(intact, library):
    shutil.rmtree(library)
    shutil.copytree(intact, library)


def test(shelf, intact, file, at, bit):
    """What came of a flipped bit: harmless, healed, refused or WRONG."""
    copy_back(intact, shelf.library)
    path = shelf.library / file
    flip(path, at, bit)
    wrong, refused = shelf.differences()
    if wrong:
        return "WRONG", wrong
    # Whatever was flipped, a scan must not make a wrong answer of it, nor must a repair.
    scanned = call(shelf.siglum, shelf.library, "scan", shelf.books)[0]
    wrong, refused_after = shelf.differences()
    if wrong:
        return "WRONG after a scan", wrong
    if scanned == 0 and not refused_after:
        return ("healed by a scan" if refused else "harmless"), refused
    repaired = call(shelf.siglum, shelf.library, "repair")
    scanned = call(shelf.siglum, shelf.library, "scan", shelf.books)
    call(shelf.siglum, shelf.library, "check", "--import", shelf.records)
    wrong, refused_after = shelf.differences()
    if refused_after or scanned[0] == 2:
        return "refused", [repaired[2], scanned[2], *refused_after]
    # Records that were dropped come again under other numbers.
    numbers = re.compile(rb'"(id|number)":\d+,')
    wrong = [
        one for one in wrong
        if isinstance(one[2], dict) or numbers.sub(b"", one[2]) != numbers.sub(b"", one[3])
    ]  # fmt: skip
    return ("WRONG after a repair", wrong) if wrong else ("healed by a repair", refused)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("siglum", type=Path)
    parser.add_argument("--flips", type=int, default=20, help="bits in each file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", help="only files with this in their name")
    parser.add_argument("--not-long", action="store_true", help="only pages of rows and indexes in the catalogue")
    args = parser.parse_args()
    siglum, dice = args.siglum.resolve(), random.Random(args.seed)
    n_wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        shelf = Shelf(siglum, folder, dice)
        intact = folder / "intact"
        shutil.copytree(shelf.library, intact)
        files = sorted(path.relative_to(intact) for path in intact.rglob("*") if path.is_file())
        for file in files:
            bytes_ = (intact / file).read_bytes()
            if file.name in NO_BITS or not bytes_ or (args.file and args.file not in str(file)):
                continue
            outcomes = collections.Counter()
            for _ in range(args.flips):
                at, bit = dice.randrange(len(bytes_)), dice.randrange(8)
                while args.not_long and "long" in where(file, at, bytes_):
                    at = dice.randrange(len(bytes_))
                outcome, why = test(shelf, intact, file, at, bit)
                outcomes[outcome] += 1
                if outcome.startswith("WRONG"):
                    n_wrong += 1
                    print(f"{file}: bit {bit} of byte {at} ({where(file, at, bytes_)}): {outcome}")
                    for name, code, found, expected in why:
                        print(f"  {name} ended with {code}: {apart(found, expected)}")
            print(f"{file}: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(outcomes.items())), flush=True)
    if n_wrong:
        sys.exit(f"{n_wrong} flipped bits gave a wrong answer")


main()
