#!/usr/bin/env python3
"""All pairs of 75,000 codes of 128 bits at most 7 bits apart, beside faiss IndexBinaryFlat, in one run.

    scripts/compare_faiss.py target/release/siglum-eval [--codes N] [--threads N]

Installs faiss-cpu from PyPI into a temporary environment, which is no part of Siglum. Both get the same codes and the
same number of threads; making the index counts on both sides. Turns are taken in turn and the least of each counts.
faiss finds every pair twice and every code itself; the number of pairs and the sum of their distances must agree.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import venv

MAX_DISTANCE, N_BYTES, TURNS = 7, 16, 5
FAISS = "faiss-cpu==1.15.1"
LINE = re.compile(r"([\d.]+) s, (\d+) pairs, sum of distances (\d+)")


def ours(program, n_codes, n_threads):
    """Seconds, pairs, sum of distances."""
    command = [program, "hamming", "--codes", str(n_codes), "--threads", str(n_threads), "--outright", "1"]
    found = LINE.search(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return float(found[1]), int(found[2]), int(found[3])


def theirs(faiss, codes):
    start = time.perf_counter()
    index = faiss.IndexBinaryFlat(8 * N_BYTES)
    index.add(codes)
    # faiss takes distances below its radius.
    _, distances, _ = index.range_search(codes, MAX_DISTANCE + 1)
    seconds = time.perf_counter() - start
    return seconds, (len(distances) - len(codes)) // 2, int(distances.sum()) // 2


def compare(arguments):
    import faiss
    import numpy

    faiss.omp_set_num_threads(arguments.threads)
    with tempfile.NamedTemporaryFile() as file:
        write = [arguments.program, "hamming", "--codes", str(arguments.codes), "--write", file.name, "--outright", "1"]
        subprocess.run(write, capture_output=True, check=True)
        codes = numpy.fromfile(file.name, dtype=numpy.uint8).reshape(-1, N_BYTES)
    turns = [
        (ours(arguments.program, arguments.codes, arguments.threads), theirs(faiss, codes)) for _ in range(TURNS)
    ]
    assert len({found[1:] for turn in turns for found in turn}) == 1, f"they do not agree: {turns}"
    our_seconds, their_seconds = (min(turn[side][0] for turn in turns) for side in (0, 1))
    print(f"{arguments.codes} codes of {8 * N_BYTES} bits, d <= {MAX_DISTANCE}, {arguments.threads} threads, "
          f"{turns[0][0][1]} pairs on both sides")
    print(f"siglum {our_seconds:.3f} s, faiss {faiss.__version__} IndexBinaryFlat {their_seconds:.3f} s: "
          f"{their_seconds / our_seconds:.1f} times as fast")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="the siglum-eval binary")
    parser.add_argument("--codes", type=int, default=75_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--installed", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.installed:
        return compare(arguments)
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = os.path.join(folder, "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", FAISS, "numpy"], check=True)
        subprocess.run([python, __file__, *sys.argv[1:], "--installed"], check=True)


main()
