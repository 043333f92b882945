"""Holds our ISCC codes to the vectors that ship in the PyPI package iscc-core: python3 .ci/iscc_vectors.py SIGLUM

Where the package cannot be fetched this says so and fails only in CI.
"""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "iscc-core==1.5.0"


def vectors(folder):
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "-d", folder, PACKAGE]
    subprocess.run(fetch, check=True)
    (wheel,) = pathlib.Path(folder).glob("*.whl")
    return json.loads(zipfile.ZipFile(wheel).read("iscc_core/data.json"))


def documents(vectors):
    """(scheme, document, expected code) for every vector that a book of text and metadata can pose."""
    for vector in vectors["gen_text_code_v0"].values():
        text = vector["inputs"][0]
        # An empty text is too short for us, where the standard gives every empty text one and the same code.
        if text:
            yield "iscc-text", {"text": text}, vector["outputs"]["iscc"]
    for vector in vectors["gen_meta_code_v0"].values():
        title, description, meta, _ = vector["inputs"]
        if meta is None:
            yield "iscc-meta", {"text": "", "title": title, "creators": [description or ""]}, vector["outputs"]["iscc"]
    for scheme, name in [("iscc-data", "gen_data_code_v0"), ("iscc-instance", "gen_instance_code_v0")]:
        for vector in vectors[name].values():
            try:
                text = bytes.fromhex(vector["inputs"][0].removeprefix("stream:")).decode()
            except UnicodeDecodeError:
                continue
            yield scheme, {"text": text}, vector["outputs"]["iscc"]


def digest(code):
    raw = code.removeprefix("ISCC:")
    return base64.b32decode(raw + "=" * (-len(raw) % 8))[2:]


def ours(siglum, scheme, document):
    run = [siglum, "id", "--jsonl", "--json", "--scheme", scheme, "-"]
    found = subprocess.run(run, input=json.dumps(document), capture_output=True, text=True, check=True).stdout
    return json.loads(found)["schemes"][scheme]


def main(siglum):
    with tempfile.TemporaryDirectory() as folder:
        try:
            known = vectors(folder)
        except (subprocess.CalledProcessError, ValueError) as error:
            print(f"not checked: {PACKAGE} cannot be fetched ({error})")
            return "CI" in os.environ
    passed = failed = 0
    for scheme, document, expected in documents(known):
        code = ours(siglum, scheme, document)
        # Ours have 256 bits; a shorter code of the standard is their beginning.
        good = code is not None and digest(code).startswith(digest(expected))
        passed, failed = passed + good, failed + (not good)
        if not good:
            print(f"{scheme} of {document}: {code} instead of {expected}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed < 10


sys.exit(main(sys.argv[1]))
