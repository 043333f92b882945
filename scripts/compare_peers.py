#!/usr/bin/env python3
"""Two copies of a book with reading errors of their own: who still knows them, and who takes others for them.

    scripts/compare_peers.py target/release/siglum target/release/siglum-eval [--corpus DIR] [--books N]

Installs iscc-lib, datasketch, rensa and py-tlsh from PyPI into a temporary environment, which is no part of Siglum. All
get the same texts, in one run. Unrelated books of one language, the real ones of the corpus or generated ones, are copied
twice at 1, 2 and 5 errors for a hundred characters; then come the pairs of the corpus that are labelled the same text,
and the versions of papers, whole. A pair is found if it is within the threshold that users of the scheme are given, or, by
LSH and by traces, if it is returned; a false pair is one of two unrelated books of which the same is so. Seconds are CPU
seconds for a MB of text, one after the other, of the same files; Siglum's are of `siglum id` or `siglum scan` on one
thread, reading files and starting included.
"""

import argparse
import csv
import itertools
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "docs"))
from siglum_1 import read_siglum  # noqa: E402

PACKAGES = ["iscc-lib==0.7.0", "datasketch==2.0.0", "rensa==0.5.0", "py-tlsh==5.0.0", "numpy"]
RATES = [1, 2, 5]
# Of the 256 bits of a code a quarter may differ: similarity 0.75, as iscc-search has it; 64 bits in the same share.
ISCC_SHARE = 0.25
# Trend Micro's own advice for near duplicates.
TLSH_NEAR = 30
MINHASH_NEAR, N_HASHES = 0.5, 128
# For 0.5 datasketch takes 25 bands of 5; rensa's must divide the 128, and 32 of 4 come nearest.
RENSA_BANDS = 32
SAME = {"SAME_PAGINATION", "DIFFERENT_PAGINATION", "SAME_TEXT"}


def bits(code):
    return int.from_bytes(code, "big")


class Iscc:
    def __init__(self, n_bits):
        import iscc_lib

        self.lib, self.n_bits, self.name = iscc_lib, n_bits, f"ISCC text code, {n_bits} bits"

    def code(self, text):
        made = self.lib.gen_text_code_v0(text, bits=self.n_bits)
        code = made["iscc"] if isinstance(made, dict) else made.iscc
        return bits(self.lib.iscc_decode(code)[-1])

    def near(self, a, b):
        return (a ^ b).bit_count() <= ISCC_SHARE * self.n_bits


class Tlsh:
    name = f"TLSH, distance {TLSH_NEAR}"

    def __init__(self):
        import tlsh

        self.tlsh = tlsh

    def code(self, text):
        return self.tlsh.hash(text.encode())

    def near(self, a, b):
        return self.tlsh.diff(a, b) <= TLSH_NEAR


def shingles(text, n=5):
    words = text.lower().split()
    return {" ".join(words[at : at + n]) for at in range(max(1, len(words) - n + 1))}


class Datasketch:
    name = f"datasketch, {N_HASHES} min-hashes of 5 words, {MINHASH_NEAR}"

    def __init__(self):
        import datasketch

        self.lib = datasketch

    def code(self, text):
        made = self.lib.MinHash(num_perm=N_HASHES)
        made.update_batch([shingle.encode() for shingle in shingles(text)])
        return made

    def near(self, a, b):
        return a.jaccard(b) >= MINHASH_NEAR

    def lsh(self):
        index = self.lib.MinHashLSH(threshold=MINHASH_NEAR, num_perm=N_HASHES)
        return lambda key, code: index.insert(str(key), code), lambda code: map(int, index.query(code))


class Rensa:
    name = f"rensa, {N_HASHES} min-hashes of 5 words, {MINHASH_NEAR}"

    def __init__(self):
        import rensa

        self.lib = rensa

    def code(self, text):
        made = self.lib.RMinHash(num_perm=N_HASHES, seed=42)
        made.update(list(shingles(text)))
        return made

    def near(self, a, b):
        return a.jaccard(b) >= MINHASH_NEAR

    def lsh(self):
        index = self.lib.RMinHashLSH(threshold=MINHASH_NEAR, num_perm=N_HASHES, num_bands=RENSA_BANDS)
        return index.insert, index.query


# The probability that two sigla are of the same text, docs/siglum-1.md section 11.
PRIOR = 1e-4
CLASSES = [(95, (5.52, 25.19, 1994.46, 2169.84), (5.42, 24.69, 1807.28, 1966.93)),
           (185, (8.35, 49.22, 551.88, 680.79), (8.31, 48.91, 518.95, 642.46)),
           (255, (13.43, 92.04, 334.23, 378.26), (12.28, 84.95, 268.27, 306.79))]


def log10_beta_binomial(d, n, a, b):
    beta = lambda x, y: math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)
    choose = math.lgamma(n + 1) - math.lgamma(d + 1) - math.lgamma(n - d + 1)
    return (choose + beta(d + a, n - d + b) - beta(a, b)) / math.log(10)


class Siglum:
    def __init__(self, program, n_bits):
        self.program, self.n_bits, self.name = program, n_bits, f"siglum-1, {n_bits} bits, probability 0.5"

    def codes(self, paths):
        command = [self.program, "id", "--json", "--threads", "1", *map(str, paths)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        form = "siglum" if self.n_bits == 128 else "siglum_long"
        made = [json.loads(line)[form] for line in lines]
        read = [read_siglum(one) if one else None for one in made]
        return [one and (one[0], bits(one[1])) for one in read], seconds

    def near(self, a, b):
        (class_a, code_a), (class_b, code_b) = a, b
        d = min((code_a ^ code_b).bit_count(), self.n_bits // 2)
        least = min(class_a, class_b)
        same = next(fits[n] for last, *fits in CLASSES for n in [self.n_bits // 256] if least <= last)
        gap = abs(class_a - class_b)
        length = 1.4 if gap <= 1 else 0.6 if gap == 2 else 0.1 if gap <= 4 else -2 if gap <= 8 else -4
        told = log10_beta_binomial(d, self.n_bits, *same[:2]) - log10_beta_binomial(d, self.n_bits, *same[2:])
        odds = PRIOR / (1 - PRIOR) * 10 ** min(6, told + length)
        return odds >= 1


class Compared:
    """Traces: `siglum compare` of every pair would take hours in processes of their own, so a library is scanned."""

    name = "siglum, traces (scan)"

    def __init__(self, program):
        self.program = program

    def pairs(self, paths, folder):
        command = [self.program, "scan", "--library", str(folder), "--threads", "1", *map(str, paths)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        command = [self.program, "matches", "--json", "--library", str(folder)]
        lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
        return {frozenset((match["a"], match["b"])): match["relation"] for match in map(json.loads, lines)}, seconds

    def rows(self, paths, folder, related, unrelated):
        """How many of related and of unrelated pairs are the same text, and how many are related at all."""
        matches, seconds = self.pairs(paths, folder)
        relation = lambda pair: matches.get(frozenset((str(paths[pair[0]]), str(paths[pair[1]]))))
        same = lambda pairs: sum(relation(pair) in SAME for pair in pairs)
        any_at_all = lambda pairs: sum(relation(pair) is not None for pair in pairs)
        yield f"{self.name}, the same text", (same(related), same(unrelated), seconds)
        yield f"{self.name}, any relation", (any_at_all(related), any_at_all(unrelated), seconds)


def measured(scheme, paths):
    if isinstance(scheme, Siglum):
        return scheme.codes(paths)
    start, codes = time.process_time(), []
    for path in paths:
        text = path.read_text(encoding="utf-8", errors="replace")
        try:
            codes.append(scheme.code(text))
        except (ValueError, RuntimeError):
            codes.append(None)
    return codes, time.process_time() - start


def count_together(scheme, codes, related, unrelated):
    """Of related and of unrelated pairs, how many an index of buckets returns."""
    insert, query = scheme.lsh()
    known = [(at, code) for at, code in enumerate(codes) if code is not None]
    for at, code in known:
        insert(at, code)
    together = {frozenset((at, other)) for at, code in known for other in query(code)}
    return sum(frozenset(pair) in together for pair in related), sum(frozenset(pair) in together for pair in unrelated)


def rows_of(scheme, paths, related, unrelated):
    """The name of a scheme and what it finds, and of its index of buckets if it has one."""
    codes, seconds = measured(scheme, paths)
    yield scheme.name, (*count(scheme, codes, related, unrelated), seconds)
    if hasattr(scheme, "lsh"):
        start = time.process_time()
        counted = count_together(scheme, codes, related, unrelated)
        yield f"{scheme.name.split(',')[0]}, the same, its LSH", (*counted, seconds + time.process_time() - start)


def count(scheme, codes, related, unrelated):
    """Of related and of unrelated pairs, how many are near."""
    near = lambda pair: codes[pair[0]] is not None and codes[pair[1]] is not None and scheme.near(codes[pair[0]], codes[pair[1]])
    return sum(map(near, related)), sum(map(near, unrelated))


def n_bytes(paths):
    return sum(path.stat().st_size for path in paths) / 1e6


def copies(schemes, scanner, folder):
    rows = {}
    for rate in RATES:
        paths = sorted((folder / str(rate)).glob("*.txt"))
        related = [(at, at + 1) for at in range(0, len(paths), 2)]
        unrelated = [pair for pair in itertools.combinations(range(len(paths)), 2) if pair[0] // 2 != pair[1] // 2]
        found = [row for scheme in schemes for row in rows_of(scheme, paths, related, unrelated)]
        found.extend(scanner.rows(paths, folder / f"library-{rate}", related, unrelated))
        for name, (hits, false, seconds) in found:
            rows.setdefault(name, []).append((hits, len(related), false, len(unrelated), seconds / n_bytes(paths)))
    print("\n## Copies with errors of their own\n")
    print("| | " + " | ".join(f"found at {rate} %" for rate in RATES) + " | false pairs, of all unrelated | CPU s a MB |")
    print("|---|" + "---|" * (len(RATES) + 2))
    for name, cells in rows.items():
        found = " | ".join(f"{100 * found / n:.1f} %" for found, n, *_ in cells)
        false = " / ".join(str(false) for _, _, false, _, _ in cells) + f" of {cells[0][3]:,}"
        print(f"| {name} | {found} | {false} | {min(seconds for *_, seconds in cells):.3f} |", flush=True)


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def real(schemes, scanner, folder, title, is_related, library):
    """Labelled pairs of whole texts, and all pairs of these texts that no label joins."""
    files = {row["id"]: folder / row["file"] for row in table(folder / "manifest.tsv")}
    rows = table(folder / "pairs.tsv")
    related = [(row["id_a"], row["id_b"]) for row in rows if is_related(row)]
    listed = {frozenset((row["id_a"], row["id_b"])) for row in rows}
    names = sorted({name for pair in related for name in pair})
    paths, place = [files[name] for name in names], {name: at for at, name in enumerate(names)}
    related = [(place[a], place[b]) for a, b in related]
    unrelated = [(place[a], place[b]) for a, b in itertools.combinations(names, 2) if frozenset((a, b)) not in listed]
    print(f"\n## {title}\n\n| | found, of {len(related)} | false pairs, of {len(unrelated):,} | CPU s a MB |\n|---|---|---|---|")
    found = itertools.chain.from_iterable(rows_of(scheme, paths, related, unrelated) for scheme in schemes)
    for name, (hits, false, seconds) in itertools.chain(found, scanner.rows(paths, library, related, unrelated)):
        print(f"| {name} | {100 * hits / max(1, len(related)):.1f} % | {false} | {seconds / n_bytes(paths):.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("siglum")
    parser.add_argument("siglum_eval")
    parser.add_argument("--corpus")
    parser.add_argument("--books", type=int, default=100)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        if not arguments.inside:
            venv.create(folder / "peers", with_pip=True)
            python = folder / "peers" / ("Scripts" if os.name == "nt" else "bin") / "python"
            subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
            sys.exit(subprocess.run([python, __file__, *sys.argv[1:], "--inside"]).returncode)
        schemes = [Siglum(arguments.siglum, 128), Siglum(arguments.siglum, 256), Iscc(64), Iscc(256), Datasketch(), Rensa(), Tlsh()]
        made = ["--corpus", arguments.corpus] if arguments.corpus else ["--generated", "1"]
        command = [arguments.siglum_eval, "copies", "--books", str(arguments.books), "--dir", str(folder), *made]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        print(f"# Beside other schemes\n\n{', '.join(PACKAGES)}; one run, one thread.")
        scanner = Compared(arguments.siglum)
        copies(schemes, scanner, folder)
        if arguments.corpus:
            corpus = Path(arguments.corpus).resolve()
            is_same = lambda row: row["relation"] in SAME and row.get("confidence", "sure") == "sure"
            is_version = lambda row: row["relation"] != "UNRELATED"
            real(schemes, scanner, corpus / "texts", "Real books labelled the same text", is_same, folder / "library-texts")
            real(schemes, scanner, corpus / "papers", "Versions of papers", is_version, folder / "library-papers")


if __name__ == "__main__":
    main()
