"""Holds siglum_1.py against the frozen values in testdata/golden and against the siglum program.

    python3 docs/check_siglum_1.py                  replays the golden cases
    python3 docs/check_siglum_1.py PATH_TO_SIGLUM   also compares random texts with what the program says of them

Prints the first differences and one closing line `N passed, M failed`; exits 1 if anything failed.
"""

import base64
import json
import pathlib
import random
import subprocess
import sys
import tomllib

import siglum_1

TESTDATA = pathlib.Path(__file__).resolve().parent.parent / "testdata"
WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa".split()
SHOWN = 5  # how many differences are printed in full


class Tally:
    passed = failed = 0

    def compare(self, name, expected, got, text):
        if expected == got:
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= SHOWN:
            print(f"{name} differs\n  expected {short(expected)}\n  got      {short(got)}\n  text     {short(text)}")


def short(value, limit=600):
    shown = ascii(value)
    return shown if len(shown) <= limit else f"{shown[:limit]}… ({len(shown)} characters)"


# Golden cases


def golden_text(case):
    sources = [key for key in ("text", "book", "words") if key in case]
    if len(sources) != 1 or ("value" in case) == ("none" in case):
        raise ValueError(f"case {case.get('name')}: wants one of text, book, words and one of value, none")
    if "text" in case:
        return case["text"] * case.get("repeat", 1)
    if "book" in case:
        return (TESTDATA / "books" / case["book"]).read_bytes().decode("utf-8-sig")
    return "".join(WORDS[siglum_1.splitmix(i) % 10] + " " for i in range(case["words"]))


def golden_value(scheme, text):
    row, starts = siglum_1.letters(siglum_1.split_pages(text))
    if scheme == "siglum-1":
        sketch = siglum_1.siglum(row)
        return sketch and siglum_1.write_siglum(*sketch)
    sketch = siglum_1.trace(row, starts)
    return sketch and base64.b64encode(sketch).decode().rstrip("=")


def replay_golden(scheme, tally):
    path = TESTDATA / "golden" / f"{scheme}.toml"
    if not path.exists():
        print(f"{path} does not exist: not replayed")
        return
    golden = tomllib.loads(path.read_text(encoding="utf-8"))
    if golden["scheme"] != scheme:
        raise ValueError(f"{path} is of scheme {golden['scheme']}")
    for case in golden["case"]:
        text = golden_text(case)
        tally.compare(f"{scheme}, {case['name']}", case.get("value"), golden_value(scheme, text), text)


# Random texts


def any_of(*ranges):
    return [chr(c) for first, last in ranges for c in range(first, last + 1)]


SCRIPTS = [
    any_of((0x41, 0x5A), (0x61, 0x7A)),                                    # ASCII
    list("eeeaaainrstàâäçéèêëîïñôöøùûüÿßæœłıŠŽƒǅﬁﬂſ") + ["e\u0301", "o\u0308\u0304", "ｆ", "Ⅷ", "™"],
    any_of((0x391, 0x3A1), (0x3A3, 0x3CE), (0x1F00, 0x1F07)) + ["ς", "α\u0301"],
    any_of((0x400, 0x45F)) + ["и\u0306"],
    any_of((0x621, 0x64A), (0x64B, 0x652), (0x6A9, 0x6CC), (0xFEF5, 0xFEFC)) + ["\u0640", "\u0670", "\u200C"],
    any_of((0x5D0, 0x5EA), (0x5B0, 0x5BC)) + ["\u05BE", "\uFB2A"],
    any_of((0x904, 0x939), (0x93E, 0x94D), (0x958, 0x961)) + ["\u0901", "\u093C", "\u200D"],
    any_of((0x4E00, 0x4E7F), (0xF900, 0xF91F), (0x2F00, 0x2F0F)) + list("國学學体體真眞"),
    any_of((0x3041, 0x3096), (0x30A1, 0x30FA), (0xFF66, 0xFF9F)) + ["ー", "か\u3099", "㍿"],
    any_of((0xAC00, 0xAC7F), (0xD780, 0xD7A3)),                            # Hangul composed
    any_of((0x1100, 0x1113), (0x1161, 0x1176), (0x11A8, 0x11C3)),          # Hangul letters in no order
    any_of((0x3131, 0x3163)),                                              # and as compatibility letters
    any_of((0x20000, 0x2007F), (0x30000, 0x3000F), (0x2F800, 0x2F81F)),    # astral Han
    any_of((0x10400, 0x1044F), (0x1D400, 0x1D433), (0x1F600, 0x1F60F)),    # other astral code points
]
ASIDES = list("0123456789٣४") + list(".,;:!?-—«»“”'()") + ["\f", "\f\f", "\0", "\u00AD", "\u00A0", "-\n", "\r\n", "\t",
                                                            "\uFEFF", "\uFFFD", "\uFFFF", "\x0B", "\x85", "\u2028"]


def decomposed_hangul(rng):
    word = [chr(0x1100 + rng.randrange(19)), chr(0x1161 + rng.randrange(21))]
    if rng.random() < 0.5:
        word.append(chr(0x11A8 + rng.randrange(27)))
    return rng.choice(["", "", "", "\u00AD", "-\n", "\f"]).join(word)


def random_code_point(rng):
    while True:
        c = rng.choice([rng.randrange(0x3400), rng.randrange(0x10000), rng.randrange(0x110000)])
        if not 0xD800 <= c <= 0xDFFF:
            return chr(c)


def random_word(rng, scripts):
    kind = rng.random()
    if kind < 0.04:
        return "".join(random_code_point(rng) for _ in range(rng.randrange(1, 6)))
    if kind < 0.08:
        return "".join(decomposed_hangul(rng) for _ in range(rng.randrange(1, 4)))
    script = rng.choice(scripts)
    return "".join(rng.choice(script) for _ in range(rng.randrange(1, 9)))


def random_text(rng, n, vocabulary_size, scripts, between=(" ", " ", " ", " ", "\n", "")):
    """About n letters: new words, words and phrases said before, and asides."""
    vocabulary = [random_word(rng, scripts) for _ in range(vocabulary_size)]
    parts, so_far = [], 0
    while so_far < n:
        kind = rng.random()
        if kind < 0.15:
            part = rng.choice(ASIDES)
        elif kind < 0.35 and parts:
            start = rng.randrange(len(parts))
            part = "".join(parts[start:start + rng.randrange(1, 12)])
        else:
            part = rng.choice(vocabulary) + rng.choice(between)
            if rng.random() < 0.1:
                vocabulary[rng.randrange(len(vocabulary))] = random_word(rng, scripts)
        parts.append(part)
        so_far += sum(c.isalpha() for c in part)  # roughly; what is a letter says only the table
    return "".join(parts)


def phrase_text(rng, n, script):
    """Exactly n letters: ten words over and over. Each code point of the script must count as one letter."""
    words = ["".join(rng.choice(script) for _ in range(length)) for length in (2, 3, 4, 5, 5, 6, 6, 7, 8, 9)]
    return "".join(rng.choice(words) for _ in range(n))[:n]


def twice_text(n):
    """Some 6000 letters of class W in which exactly n grams occur twice and all others once."""
    once = [chr(c) for c in range(0x4E00, 0xA000) if siglum_1.table()[0].get(c) == [c]]
    phrase = "".join(once.pop() for _ in range(n + 3))
    return "".join(once[:3000]) + phrase + "".join(once[3000:6000]) + phrase


def random_texts():
    rng = random.Random(1)
    for n in range(25):  # every length near the limits of 8, 12 and 20 letters
        for script in (SCRIPTS[0], SCRIPTS[7][:100]):
            yield "".join(rng.choice(script) for _ in range(n))
            yield rng.choice(script) * n
    for _ in range(300):
        yield random_text(rng, rng.randrange(60), 8, SCRIPTS)
    for n in range(110):
        scripts = SCRIPTS if n % 2 else rng.sample(SCRIPTS, 2)
        yield random_text(rng, int(3000 * rng.random() ** 2.5), rng.choice([5, 30, 300]), scripts)
    yield random_text(rng, 3000, 300, SCRIPTS)
    yield random_text(rng, 12_000, 60, SCRIPTS[:2])  # grams of class N of two lengths
    yield random_text(rng, 90_000, 40, SCRIPTS[:3] + SCRIPTS[7:8])  # the sampling of step 5
    yield twice_text(63)  # the threshold of step 6 falls
    yield twice_text(64)  # it does not
    yield phrase_text(rng, 131_072, SCRIPTS[7])  # z = 32, grams of class W
    yield phrase_text(rng, 262_144, SCRIPTS[0])  # z = 64
    yield from (letter * 70_000 for letter in "ahk一三")  # the sampling keeps 2, 1, 0, 1 and 0 grams


def ask_program(program, texts):
    """What the program says of each text, as `siglum_1.identify` says it; None where it says nothing."""
    lines = [json.dumps({"id": n, "text": text}, ensure_ascii=n % 2 == 0) for n, text in enumerate(texts)]
    command = [program, "id", "--jsonl", "--json", "--scheme", "trace-1", "-"]
    done = subprocess.run(command, input="\n".join(lines).encode() + b"\n", stdout=subprocess.PIPE, check=False)
    answers = [None] * len(texts)
    for line in done.stdout.decode().splitlines():
        said = json.loads(line)
        answers[int(said["file"])] = {
            "siglum": said["siglum"], "siglum_long": said["siglum_long"], "trace-1": said["schemes"]["trace-1"]}
    if done.returncode != 0:
        print(f"{program} ended with {done.returncode}")
    return answers


def compare_random(program, tally):
    texts = list(random_texts())
    for n, (text, said) in enumerate(zip(texts, ask_program(program, texts))):
        tally.compare(f"random text {n}", siglum_1.identify(text), said, text)


# Numbers


def check_numbers(tally):
    """The numbers that the specification gives as examples."""
    lg16 = {1: 0, 2: 16, 3: 25, 5: 37, 10: 53, 1000: 159, 8192: 208, 100_000: 265}
    weights = [16, 63, 141, 250, 391, 561, 762, 993, 1253, 1543, 1861, 2206, 2580, 2979, 3405, 3855]
    weights = dict(enumerate(weights, 1)) | {24: 8192, 47: 18437, 64: 13107, 100: 1748, 160: 25, 256: 1}
    tally.compare("lg16", lg16, {x: siglum_1.lg16(x) for x in lg16}, "examples of step 2")
    tally.compare("weights", weights, {x: siglum_1.weight(x) for x in weights}, "examples of step 6")


# The written form


def check_written_form(tally):
    """What is written is read back, and nothing with wrong characters is."""
    rng = random.Random(1)
    for n in range(200):
        sketch = (rng.randrange(256), rng.randbytes(rng.choice([16, 32])))
        written = siglum_1.write_siglum(*sketch)
        wrong = list(written)
        for place in rng.sample(range(4, len(written)), n % 4 + 1):
            wrong[place] = rng.choice([c for c in siglum_1.ALPHABET if c != wrong[place]])
        readings = [read_or_none(text) for text in (written, written.upper(), "S" + written[1:], "".join(wrong))]
        tally.compare(f"written form {n}", [sketch, sketch, None, None], readings, written)


def read_or_none(text):
    try:
        return siglum_1.read_siglum(text)
    except ValueError:
        return None


def main(arguments):
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        sys.exit(__doc__)
    tally = Tally()
    check_numbers(tally)
    check_written_form(tally)
    for scheme in ("siglum-1", "trace-1"):
        replay_golden(scheme, tally)
    for program in arguments:
        compare_random(program, tally)
    print(f"{tally.passed} passed, {tally.failed} failed")
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
