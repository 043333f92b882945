#!/usr/bin/env python3
"""Compares the text of PDF files as siglum reads it with that of pdftotext.

    scripts/pdf_against_pdftotext.py target/release/siglum FILE_OR_FOLDER...

For each file: F1 over word tokens and over word 3-grams (NFKC, case-folded; one token per CJK, Thai, Lao, Myanmar
or Khmer character), page counts, and CPU seconds of both. Words cut at line ends are joined on both sides, since
pdftotext joins them itself; `--cut` leaves them. Files from which pdftotext gets fewer than 20 tokens are
listed but not scored. Needs nothing but Python and pdftotext (Debian: poppler-utils and poppler-data).

Options: --command 'PROGRAM ARGS {}' to run something else than `SIGLUM text --raw FILE`; --tsv for a table to keep;
--words FILE to print the words that differ most in one file.
"""

import argparse
import collections
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import unicodedata

# One token per character where words are not parted by spaces; else a run of letters, marks and digits.
ALONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
TOKEN = re.compile(f"[{ALONE}]|[^\\W_{ALONE}]+")
# A hyphen at the end of a line, between letters.
CUT = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n+(?=[^\W\d_])")
MIN_TOKENS = 20
TIMEOUT = 300


def tokens(text, join):
    text = CUT.sub("", text) if join else text
    return TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def f1(ours, theirs):
    ours, theirs = collections.Counter(ours), collections.Counter(theirs)
    shared = sum((ours & theirs).values())
    total = sum(ours.values()) + sum(theirs.values())
    return 2 * shared / total if total else 1.0


def grams(words):
    return list(zip(words, words[1:], words[2:]))


def run(command):
    """Standard output, CPU seconds, exit code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=TIMEOUT)
        out, code = done.stdout, done.returncode
    except subprocess.TimeoutExpired:
        out, code = b"", -1
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return out.decode("utf-8", "replace"), seconds, code


def n_pages(path):
    out, _, _ = run(["pdfinfo", path])
    found = re.search(r"^Pages:\s+(\d+)", out, re.MULTILINE)
    return int(found.group(1)) if found else 0


def pdf_files(paths):
    for path in paths:
        if os.path.isdir(path):
            for folder, _, names in sorted(os.walk(path)):
                yield from (os.path.join(folder, name) for name in sorted(names) if name.lower().endswith(".pdf"))
        else:
            yield path


def show_words(ours, theirs):
    ours, theirs = collections.Counter(ours), collections.Counter(theirs)
    print("  ours only:  ", " ".join(f"{w}×{n}" for w, n in (ours - theirs).most_common(40)))
    print("  theirs only:", " ".join(f"{w}×{n}" for w, n in (theirs - ours).most_common(40)))


def compare(path, command, arguments):
    ours, our_seconds, code = run([part.replace("{}", path) for part in command])
    theirs, their_seconds, _ = run(["pdftotext", "-q", path, "-"])
    our_words, their_words = tokens(ours, not arguments.cut), tokens(theirs, not arguments.cut)
    row = {
        "file": os.path.basename(path),
        "scored": len(their_words) >= MIN_TOKENS,
        "code": code,
        "f1": f1(our_words, their_words),
        "f3": f1(grams(our_words), grams(their_words)),
        "our_pages": ours.count("\f") + bool(ours),
        "their_pages": n_pages(path),
        "our_seconds": our_seconds,
        "their_seconds": their_seconds,
    }
    if arguments.words and path.endswith(arguments.words):
        show_words(our_words, their_words)
    return row


def print_row(row, tsv):
    if tsv:
        print("\t".join(f"{v:.4f}" if isinstance(v, float) else str(v) for v in row.values()), flush=True)
        return
    pages = f"{row['our_pages']}/{row['their_pages']}"
    mark = " " if row["our_pages"] == row["their_pages"] else "*"
    score = f"{row['f1']:.4f} {row['f3']:.4f}" if row["scored"] else "     -      -"
    seconds = f"{row['our_seconds']:7.3f} {row['their_seconds']:7.3f}"
    note = f"  exit {row['code']}" if row["code"] else ""
    print(f"{score} {pages:>11}{mark} {seconds}  {row['file']}{note}", flush=True)


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers) if numbers else float("nan")


def summary(rows):
    scored = [row for row in rows if row["scored"]]
    ours, theirs = sum(row["our_seconds"] for row in rows), sum(row["their_seconds"] for row in rows)
    pages = sum(row["their_pages"] for row in rows)
    unequal = [row["file"] for row in rows if row["our_pages"] != row["their_pages"]]
    print(f"{len(rows)} files, {len(scored)} scored; mean F1 {mean(row['f1'] for row in scored):.4f}, "
          f"mean 3-gram F1 {mean(row['f3'] for row in scored):.4f}")
    print(f"page counts differ in {len(unequal)}: {' '.join(unequal[:20])}")
    print(f"CPU seconds {ours:.2f} against {theirs:.2f}; pages per CPU second {pages / max(ours, 1e-9):.0f} against "
          f"{pages / max(theirs, 1e-9):.0f}: {theirs / max(ours, 1e-9):.1f} times as fast")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("siglum", help="the siglum binary")
    parser.add_argument("paths", nargs="+", help="PDF files, or folders of them")
    parser.add_argument("--command", help="what to run instead, {} for the file")
    parser.add_argument("--cut", action="store_true", help="leave words cut at line ends")
    parser.add_argument("--tsv", action="store_true", help="rows parted by tabs")
    parser.add_argument("--words", help="print the words that differ in the file whose path ends like this")
    arguments = parser.parse_args()
    if not shutil.which("pdftotext"):
        print("skipped: pdftotext is not installed (Debian: poppler-utils, poppler-data)")
        return 0
    command = shlex.split(arguments.command) if arguments.command else [arguments.siglum, "text", "--raw", "{}"]
    rows = []
    for path in pdf_files(arguments.paths):
        rows.append(compare(path, command, arguments))
        print_row(rows[-1], arguments.tsv)
    if not arguments.tsv:
        summary(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
