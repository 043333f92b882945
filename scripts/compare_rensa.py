"""The min-hash step beside rensa's R-MinHash, shingle hashes given, 100 slots, in one run.

    python3 scripts/compare_rensa.py target/release/siglum-eval

Installs rensa from PyPI into a temporary folder. Both run on one core; CPU time, least of several turns taken in turn.
"""

import array
import os
import random
import re
import subprocess
import sys
import tempfile
import time

N_SHINGLES, SLOTS, TURNS = 70_000, 100, 15


def rensa_ms(rensa, hashes):
    start = time.process_time()
    rensa.RMinHash.digest_matrix_from_flat_token_hashes(hashes, [0, N_SHINGLES], SLOTS, 1)
    return (time.process_time() - start) * 1e3


def ours_ms(program):
    found = subprocess.run([program, "speed", "--minhash-step"], capture_output=True, text=True, check=True).stdout
    return float(re.search(r"([\d.]+) ms", found).group(1))


def main(program):
    os.environ["RAYON_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--root-user-action=ignore", "--target", folder]
        subprocess.run([*install, "rensa==0.5.0"], check=True)
        sys.path.insert(0, folder)
        import rensa

        generator = random.Random(1)
        hashes = array.array("Q", (generator.getrandbits(64) for _ in range(N_SHINGLES)))
        turns = [(ours_ms(program), rensa_ms(rensa, hashes)) for _ in range(TURNS)]
    ours, theirs = (min(times) for times in zip(*turns))
    print(f"min-hash step, {N_SHINGLES} shingle hashes, {SLOTS} slots: ours {ours:.3f} ms, rensa R-MinHash {theirs:.3f} ms,")
    print(f"{theirs / ours:.2f} times as fast as rensa")


main(sys.argv[1])
