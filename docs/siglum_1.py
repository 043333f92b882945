"""siglum-1 and trace-1 a second time: slow, obvious, and written from docs/siglum-1.md alone.

The numbers in the headings below are those of that page. Python 3.11, standard library only. The only Unicode data
is the table letters-1.txt. Composites (10) and probabilities (11) are left out.

    python3 docs/siglum_1.py FILE...   prints `SIGLUM  FILE` for each file of UTF-8 text, `-  FILE` if it has no siglum
    python3 docs/siglum_1.py --jsonl   reads lines {"text": ...}, prints lines {"siglum", "siglum_long", "trace-1"}

In both, a form feed U+000C separates pages, and a text without one has no pages.
"""

import base64
import functools
import json
import math
import pathlib
import sys
from collections import Counter

TABLE = pathlib.Path(__file__).resolve().parent.parent / "crates" / "siglum" / "src" / "text" / "letters-1.txt"
M32, M64 = 2**32 - 1, 2**64 - 1


def splitmix(z):
    z ^= z >> 30
    z = z * 0xBF58476D1CE4E5B9 & M64
    z ^= z >> 27
    z = z * 0x94D049BB133111EB & M64
    return z ^ z >> 31


def fmix64(x):
    x ^= x >> 33
    x = x * 0xFF51AFD7ED558CCD & M64
    x ^= x >> 33
    x = x * 0xC4CEB9FE1A85EC53 & M64
    return x ^ x >> 33


def polynomial(values, base):
    """values[0] · base^(n-1) + … + values[n-1] · base^0 modulo 2^64."""
    total = 0
    for value in values:
        total = (total * base + value) & M64
    return total


# 1. Letters


@functools.cache
def table():
    """The letters of each code point that has any, and the ranges of class W."""
    counts_as, wide = {}, []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        if line.startswith("wide "):
            first, last = line.removeprefix("wide ").split("..")
            wide.append(range(int(first, 16), int(last, 16) + 1))
            continue
        left, right = line.split(" > ")
        if ".." in left:
            first, last = (int(number, 16) for number in left.split(".."))
            for n in range(last - first + 1):
                counts_as[first + n] = [int(right, 16) + n]
        else:
            counts_as[int(left, 16)] = [int(number, 16) for number in right.split()]
    return counts_as, wide


@functools.cache
def is_wide(letter):
    return any(letter in a_range for a_range in table()[1])


def split_pages(text):
    """A list of pages, or the text itself if it has none."""
    return text.split("\f") if "\f" in text else text


def letters(pages):
    """The row of letters of a text (a string: a book without pages) or of a list of pages, and where pages start.

    A page starts where the row ended before it: a page without letters starts where the next one does, and a Hangul
    syllable that is joined over a page break belongs to the page on which it began.
    """
    row, starts = [], []
    for page in [pages] if isinstance(pages, str) else pages:
        starts.append(len(row))
        for character in page:
            for letter in table()[0].get(ord(character), []):
                append_joined(row, letter)
    return row, [] if isinstance(pages, str) else starts


def append_joined(row, c):
    """Appends a letter, or joins it to the last one as Hangul is joined."""
    last = row[-1] if row else 0
    if 0x1100 <= last <= 0x1112 and 0x1161 <= c <= 0x1175:
        row[-1] = 0xAC00 + ((last - 0x1100) * 21 + (c - 0x1161)) * 28
    elif 0xAC00 <= last <= 0xD7A3 and (last - 0xAC00) % 28 == 0 and 0x11A8 <= c <= 0x11C2:
        row[-1] = last + (c - 0x11A8) + 1
    else:
        row.append(c)


# 2. Sixteenths of an octave

MANTISSAS = [int(number, 16) for number in """
    8000000000000000 85AAC367CC487B15 8B95C1E3EA8BD6E7 91C3D373AB11C337 9837F0518DB8A970 9EF5326091A111AE
    A5FED6A9B15138EB AD583EEA42A14AC7 B504F333F9DE6485 BD08A39F580C36BF C5672A115506DADE CE248C151F8480E4
    D744FCCAD69D6AF5 E0CCDEEC2A94E112 EAC0C6E7DD24392F F5257D152486CC2D""".split()]


def lg16(x):
    e = x.bit_length() - 1
    m = x << (63 - e)
    return 16 * e + max(i for i in range(16) if m >= MANTISSAS[i])


# 3. Grams


def grams(row):
    """The three sets A, B, W, each as its share and its grams."""
    kappa = min(160, max(80, 80 + 7 * (lg16(len(row)) - 208) // 10))
    k, lam = divmod(kappa, 16)
    a, b, w = [], [], []

    def add(grams_of_set, end, n):
        if end - n >= 0:
            grams_of_set.append(row[end - n:end])

    for i, letter in enumerate(row):
        if is_wide(letter):
            add(w, i + 1, 4)
        else:
            add(a, i + 1, k)
            if lam > 0:
                add(b, i + 1, k + 1)
    return [(16 - lam, a), (lam, b), (16, w)]


# 4. Hash


@functools.cache
def letter_hash(c):
    return splitmix(c + 1)


def gram_hash(gram):
    h = polynomial(map(letter_hash, gram), 0x9FB21C651E98DF25)
    return (h ^ splitmix(2)) * 0xD6E8FEB86659FD93 & M64


# 5. Sampling


def sample(gram_list, length):
    """How often each kept q occurs."""
    bound = 2**64 * 65536 // length if length > 65536 else 2**64 - 1
    return Counter(q for q in map(gram_hash, gram_list) if q < bound)


def gram_name(q):
    return max(1, splitmix(q))


# 6. Weight


@functools.cache
def weight(x):
    if x <= 0:
        return 0
    y = min(256, x) / 16
    return max(1, math.floor(4096 * y * y / (1 + 4 ** (y - 3)) + 0.5))


def weigh(row):
    """Pairs of the name and the weight above 0 of each distinct gram of each set."""
    distinct = [(gram_name(q), lg16(tf), share)
                for share, gram_list in grams(row) for q, tf in sample(gram_list, len(row)).items()]
    threshold = 25 + 6 * (lg16(len(row)) - 266) // 16
    while True:
        weighty = [(f, weight(lg - threshold) * share) for f, lg, share in distinct if lg > threshold]
        if len(weighty) >= 64 or len(weighty) == len(distinct) or threshold < -64:
            return weighty
        threshold -= 1


# 7. Race


def race(lane, runners):
    """The content bit of a lane. A runner is the lower and the upper half of a gram's name, and its R."""
    s = splitmix(lane + 77) & M32
    best = 2**64
    for lo, hi, r in runners:
        z = (lo ^ s) * 0x85EBCA6B & M32
        z ^= z >> 15
        z = (z + hi) * 0xC2B2AE35 & M32
        z ^= z >> 13
        z = z * 0x27D4EB2F & M32
        z ^= z >> 16
        time = 2 * (z >> 1) * r + (z & 1)
        if time < best:
            best = time
    return best & 1


# 8. Content bits


def siglum(row):
    """The length class and the 32 bytes of content of a row of letters; None if there is no siglum."""
    weighty = weigh(row) if len(row) >= 8 else []
    if not weighty:
        return None
    runners = [(f & M32, f >> 32, (2**32 - 1) // w) for f, w in weighty]
    content = 0
    for lane in range(256):
        content = content << 1 | race(lane, runners)
    return length_class(len(row)), content.to_bytes(32, "big")


# 9. Length class


def length_class(length):
    return min(255, max(0, lg16(length) - 96))


# 10. Written form (bech32m as in BIP 350)

VERSION, PREFIX, ALPHABET = 1, "sig", "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def bech32m_polymod(values):
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for i, generator in enumerate([0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]):
            if top >> i & 1:
                check ^= generator
    return check ^ 0x2BC830A3


def bech32m_prefix():
    return [ord(c) >> 5 for c in PREFIX] + [0] + [ord(c) & 31 for c in PREFIX]


def write_siglum(length_class, content):
    """Content is 16 bytes for the short form, 32 for the long."""
    if len(content) not in (16, 32) or not 0 <= length_class <= 255:
        raise ValueError("a siglum has 16 or 32 bytes of content and a length class of 0 to 255")
    bits = f"{VERSION:04b}{length_class:08b}" + "".join(f"{byte:08b}" for byte in content)
    bits += "0" * (-len(bits) % 5)
    data = [int(bits[i:i + 5], 2) for i in range(0, len(bits), 5)]
    check = bech32m_polymod(bech32m_prefix() + data + [0] * 6)
    data += [check >> 5 * (5 - i) & 31 for i in range(6)]
    return PREFIX + "1" + "".join(ALPHABET[value] for value in data)


def read_siglum(text):
    """The length class and the 16 or 32 bytes of content of a written siglum."""
    if not text.isascii() or text not in (text.lower(), text.upper()):
        raise ValueError("neither all lower nor all upper case")
    text = text.lower()
    if not text.startswith(PREFIX + "1") or len(text) not in (38, 64):
        raise ValueError("not a siglum: prefix or length")
    if any(c not in ALPHABET for c in text[4:]):
        raise ValueError("a character that bech32m does not use")
    data = [ALPHABET.index(c) for c in text[4:]]
    if bech32m_polymod(bech32m_prefix() + data) != 0:
        raise ValueError("the checksum is wrong")
    bits = "".join(f"{value:05b}" for value in data[:-6])
    n = 128 if len(text) == 38 else 256
    if int(bits[:4], 2) != VERSION:
        raise ValueError("another version")
    if "1" in bits[12 + n:]:
        raise ValueError("the padding is not zero")
    return int(bits[4:12], 2), int(bits[12:12 + n], 2).to_bytes(n // 8, "big")


# 12. Traces


def trace_hash(row, place, n):
    p = polynomial([(c + 1) * 0xD6E8FEB86659FD93 for c in row[place:place + n]], 0x9E3779B97F4A7C15)
    return fmix64(p ^ 0x5BD1E995 if is_wide(row[place]) else p)


def leb128(number):
    """Seven bits a byte, the lowest first; the highest bit says that more follow."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def differences(numbers):
    return [b - a for a, b in zip([0, *numbers], numbers)]


def trace(row, page_starts):
    """The bytes of the trace; None if there is none."""
    z = 16
    while z < 64 and len(row) // (2 * z) >= 4096:
        z *= 2
    samples, keys = [], []
    for i, letter in enumerate(row):
        n = 6 if is_wide(letter) else 12
        if i + n > len(row):
            continue
        h = trace_hash(row, i, n)
        if h < 2**64 // z:
            samples.append((i, h >> 28))
            if h < 2**56 and len(row) - i >= 20:
                keys.append(trace_hash(row, i, 10 if is_wide(letter) else 20) >> 32)
    if not samples:
        return None
    out = bytes([VERSION]) + leb128(len(row)) + leb128(sum(map(is_wide, row))) + leb128(z) + leb128(len(samples))
    for step, (_, value) in zip(differences([i for i, _ in samples]), samples):
        out += leb128(step) + value.to_bytes(4, "little")
    out += b"".join(key.to_bytes(4, "little") for key in keys)
    out += leb128(len(page_starts)) + b"".join(map(leb128, differences(page_starts)))
    return out


# The command


def identify(text):
    """What --jsonl prints of a text."""
    row, starts = letters(split_pages(text))
    sketch, its_trace = siglum(row), trace(row, starts)
    return {
        "siglum": sketch and write_siglum(sketch[0], sketch[1][:16]),
        "siglum_long": sketch and write_siglum(*sketch),
        "trace-1": its_trace and base64.b64encode(its_trace).decode().rstrip("="),
    }


def main(arguments):
    if arguments == ["--jsonl"]:
        for line in sys.stdin.buffer:
            if line.strip():
                print(json.dumps(identify(json.loads(line)["text"])), flush=True)
    elif arguments and not arguments[0].startswith("-"):
        for name in arguments:
            text = pathlib.Path(name).read_bytes().decode("utf-8-sig")
            sketch = siglum(letters(split_pages(text))[0])
            print(write_siglum(sketch[0], sketch[1][:16]) if sketch else "-", name, sep="  ")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
