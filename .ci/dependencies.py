"""Checks that docs/dependencies.md names every direct dependency of the product's crates, and no other. Works offline."""

import json
import re
import subprocess
import sys
from pathlib import Path

PRODUCT = {"siglum", "siglum-extract", "siglum-library", "siglum-cli"}
PAGE = Path(__file__).parent.parent / "docs" / "dependencies.md"
# A row of a table: the crate, its licence, what it is for, what would replace it.
ROW = re.compile(r"^\| `([^`]+)` \|([^|]+)\|([^|]+)\|([^|]+)\|$", re.MULTILINE)


def used(packages):
    """Direct dependencies of each product crate, those of tests left out, with their licences."""
    licences = {package["name"]: package["license"] for package in packages}
    for package in packages:
        if package["name"] in PRODUCT:
            for dependency in package["dependencies"]:
                if dependency["kind"] is None and dependency["name"] not in PRODUCT:
                    yield dependency["name"], licences.get(dependency["name"])


def problems(used, text):
    rows = {name: [cell.strip() for cell in cells] for name, *cells in ROW.findall(text)}
    for name, licence in sorted(used.items()):
        if name not in rows:
            yield f"{name} is not on the page"
        elif licence and rows[name][0] != licence:
            yield f"{name} has the licence {licence}, and the page says {rows[name][0]}"
        elif not all(rows[name]):
            yield f"{name} has an empty cell"
    yield from (f"{name} is on the page and no longer used" for name in sorted(rows.keys() - used.keys()))


ROW_OF_A = "| `a` | MIT | use | other |\n"
assert not list(problems({"a": "MIT"}, ROW_OF_A))
assert list(problems({}, ROW_OF_A)) == ["a is on the page and no longer used"]
assert list(problems({"b": "MIT"}, "")) == ["b is not on the page"]
assert list(problems({"a": "ISC"}, ROW_OF_A)) == ["a has the licence ISC, and the page says MIT"]

command = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline"]
packages = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["packages"]
found = list(problems(dict(used(packages)), PAGE.read_text(encoding="utf-8")))
print("\n".join(found) if found else "docs/dependencies.md names every direct dependency")
sys.exit(bool(found))
