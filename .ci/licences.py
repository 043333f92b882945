"""Checks that every dependency comes from the public registry under a licence we accept. Works offline, from Cargo.lock."""

import json
import re
import subprocess
import sys

ACCEPTED = {
    "MIT", "MIT-0", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib",
    "BSL-1.0", "CC0-1.0", "MPL-2.0", "Unicode-3.0", "Unicode-DFS-2016", "Unlicense",
}  # fmt: skip
REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"


def is_accepted(expression):
    """Evaluates an SPDX expression; the old '/' means OR."""
    tokens = re.findall(r"\(|\)|[\w.+-]+(?: WITH [\w.-]+)?", expression.replace("/", " OR "))

    def any_of():
        result = all_of()
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            right = all_of()
            result = result or right
        return result

    def all_of():
        result = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            right = one()
            result = result and right
        return result

    def one():
        token = tokens.pop(0)
        if token == "(":
            result = any_of()
            tokens.pop(0)
            return result
        return token in ACCEPTED

    return any_of() and not tokens


assert is_accepted("(MIT OR GPL-3.0) AND Unicode-3.0") and not is_accepted("MIT AND GPL-3.0")

command = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline"]
packages = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["packages"]
foreign = [package for package in packages if package["source"] is not None]
problems = [
    f"{package['name']} {package['version']}: {problem}"
    for package in foreign
    for problem in [
        None if package["source"] == REGISTRY else f"comes from {package['source']}",
        None if is_accepted(package["license"] or "none") else f"has the licence {package['license']}",
    ]
    if problem
]
print("\n".join(problems) if problems else f"{len(foreign)} dependencies, all accepted")
sys.exit(bool(problems))
