#!/usr/bin/env python3
"""Reads a published curve, as docs/curve-format.md describes it, and ranks scores.

    read_curve.py FILE [--age MS] [SCORE...]
    read_curve.py memcached://HOST:PORT/KEY [--age MS] [SCORE...]
    read_curve.py --key TABLE BOARD_JSON COLUMN

Prints one JSON object for the curve, then one for each score: "held" is for a score
that an entry has, "any" for one that may lie between entries. A rank is better + 1.
--age asks for the scores behind it as they are so many milliseconds after the curve's
time, or now ("--age now"), of as many entries ("of") as there are by then.
--key prints the memcached key of a column; BOARD_JSON is attribute j of the board's item
in the table (o = "#board").
Needs Python 3.8 and nothing else. Exits 1 if the curve is not there or damaged.
"""

import bisect
import decimal
import hashlib
import itertools
import json
import math
import socket
import struct
import sys
import time


class Damaged(Exception):
    """The bytes are not a whole curve."""


# --- protobuf -----------------------------------------------------------------


def varint(data, at):
    """The number at a place, and the place behind it."""
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
    raise Damaged("a number is cut off")


def fields(data):
    """All fields of a message: number -> the raw values, in order."""
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, at = data[at : at + size], at + size
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            raise Damaged(f"field {number} is of the unknown kind {kind}")
        if at > len(data):
            raise Damaged(f"field {number} is cut off")
        found.setdefault(number, []).append(value)
    return found


def last(found, number, default=0):
    return found.get(number, [default])[-1]


def signed(value):  # int64
    return value - (1 << 64) if value >= 1 << 63 else value


def zigzag(value):  # sint64
    return (value >> 1) ^ -(value & 1)


def double(raw):
    return struct.unpack("<d", raw)[0]


def numbers(found, number):
    """A repeated number, packed or not."""
    values = []
    for raw in found.get(number, []):
        if isinstance(raw, int):
            values.append(raw)
            continue
        at = 0
        while at < len(raw):
            value, at = varint(raw, at)
            values.append(value)
    return values


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


# --- the curve ----------------------------------------------------------------


class Curve:
    def __init__(self, data):
        envelope = fields(data)
        body = last(envelope, 2, b"")
        if crc32c(body) != struct.unpack("<I", last(envelope, 1, bytes(4)))[0]:
            raise Damaged("the checksum is wrong")
        f = fields(body)
        if last(f, 1) != 1:
            raise Damaged(f"format {last(f, 1)}, this program reads 1")
        self.board = last(f, 2, b"").decode()
        self.column = last(f, 3, b"").decode()
        self.decimals = last(f, 4)
        self.ascending = last(f, 5) != 0
        self.generation = signed(last(f, 6))
        self.as_of_ms = signed(last(f, 7))
        self.total = last(f, 8)
        self.absolute = last(f, 15) == 1
        self.tolerance = double(last(f, 16, bytes(8)))
        self.gap_tolerance = double(last(f, 17, bytes(8)))
        self.spreads = numbers(f, 18)
        self.walk_head(zigzag(last(f, 9)), numbers(f, 10), numbers(f, 11))
        self.walk_body(numbers(f, 13), numbers(f, 14), 1 << last(f, 12))
        self.horizon_ms = last(f, 19)
        self.drift = double(last(f, 23, bytes(8)))
        self.noise = double(last(f, 24, bytes(8)))
        self.walk_later(last(f, 20), numbers(f, 21), numbers(f, 22), 1 << last(f, 12))

    def walk_head(self, key, gaps, counts):
        """head_better[i] entries are better than those with head_keys[i]."""
        if len(gaps) != max(0, len(counts) - 1):
            raise Damaged("the head's gaps and counts do not match")
        self.best_key, self.end_key, self.end_better = key, key, 0
        self.head_keys, self.head_better = [], []
        for i, count in enumerate(counts):
            key -= gaps[i - 1] if i else 0
            self.head_keys.append(key)
            self.head_better.append(self.end_better)
            self.end_key, self.end_better = key, self.end_better + count

    def walk_body(self, gaps, rises, grains):
        """better is values[i] at keys[i], best first."""
        if len(gaps) != len(rises) + 1 or self.spreads and len(self.spreads) != len(rises):
            raise Damaged("the body's gaps, rises and spreads do not match")
        key, value = self.end_key, self.end_better * grains
        self.keys, self.values = [], []
        for i, gap in enumerate(gaps):
            key -= gap
            value += rises[i - 1] if i else 0
            self.keys.append(key)
            self.values.append(value / grains)
        if value != self.total * grains:
            raise Damaged("the knots do not end at the total")

    def walk_later(self, first, rises, spreads, grains):
        """One horizon later better is laters[i] at keys[i]."""
        if not self.horizon_ms:
            self.laters, self.later_spreads = self.values, self.spreads
            return
        lines = len(self.keys) - 1
        if len(rises) != lines or spreads and len(spreads) != lines:
            raise Damaged("the forecast's rises and spreads do not match the body")
        self.laters = [value / grains for value in itertools.accumulate(rises, initial=first)]
        self.later_spreads = spreads or self.spreads

    def key_of(self, score):
        """The key of a decimal score, better is larger. Scores finer than the column
        are refused."""
        try:
            units = decimal.Decimal(score).scaleb(self.decimals)
        except decimal.InvalidOperation:
            raise ValueError(f"{score!r} is not a decimal number") from None
        if not units.is_finite() or units != units.to_integral_value():
            raise ValueError(f"{score} is not a number of at most {self.decimals} decimals")
        return -int(units) if self.ascending else int(units)

    def total_at(self, age_ms):
        return int(self.mixed(self.total, self.laters[-1], self.moment(age_ms)[0]) + 0.5)

    def moment(self, age_ms):
        """How far the way to the forecast is gone, and how many horizons old that is."""
        horizons = max(0, age_ms) / self.horizon_ms if self.horizon_ms else 0.0
        return min(1.0, math.floor(horizons * 65536) / 65536), horizons

    @staticmethod
    def mixed(now, later, part):
        return now + part * (later - now)

    def place(self, key, held, age_ms=0):
        """How many entries are better than a key: estimate, lowest, highest."""
        part, horizons = self.moment(age_ms)
        total = self.mixed(self.total, self.laters[-1], part)
        tolerance = self.tolerance if held else self.gap_tolerance
        if key < self.keys[-1]:
            better, half = total, self.grown_below(horizons)
        elif key >= self.keys[0]:
            now, exact = self.above_body(key)
            better = min(self.mixed(self.values[0], self.laters[0], part), now * (1 + part * self.drift))
            half = self.grown_above(now, horizons)
            half += 0.0 if exact else tolerance * self.weight(better, total)
        else:
            i = bisect.bisect_left([-k for k in self.keys], -key)  # keys[i-1] > key >= keys[i]
            upper = self.mixed(self.values[i - 1], self.laters[i - 1], part)
            lower = self.mixed(self.values[i], self.laters[i], part)
            along = (key - self.keys[i]) / (self.keys[i - 1] - self.keys[i])
            better = lower - along * (lower - upper)
            half = tolerance * self.weight(better, total) + self.spread(i - 1, horizons)
        half = min(half, float(1 << 32))  # more than a board has
        low, high = max(0, math.floor(better - half)), min(int(total + 0.5), math.ceil(better + half))
        return {"better": int(better + 0.5), "low": low, "high": high}

    def above_body(self, key):
        """How many entries are better than a key that lies above the body, and whether
        that is exact: nobody lies between the head and the body."""
        if not self.head_keys or key > self.best_key:
            return 0, True
        if key < self.head_keys[-1]:
            return self.end_better, False
        return self.head_better[bisect.bisect_left([-k for k in self.head_keys], -key)], True

    def weight(self, better, total):
        return 1.0 if self.absolute else math.sqrt(max(1, min(better, total - better)))

    def spread(self, line, horizons):
        now = 2 ** (self.spreads[line] / 8) - 1 if self.spreads else 0.0
        later = 2 ** (self.later_spreads[line] / 8) - 1 if self.later_spreads else 0.0
        half = now
        if self.later_spreads:
            half = math.sqrt(now * now + horizons * (later * later - now * now))
        moved = (abs(self.laters[i] - self.values[i]) for i in (line, line + 1))
        return half + max(0, horizons - 1) * max(moved)

    def grown_above(self, now, horizons):
        half = 1.96 * math.sqrt(self.noise * max(1, now) * horizons)
        return half + max(0, horizons - 1) * abs(self.drift * now)

    def grown_below(self, horizons):
        lines = len(self.keys) - 1
        if lines == 0:
            return self.grown_above(self.total, horizons)
        return self.spread(lines - 1, horizons) - self.spread(lines - 1, 0)

    def facts(self):
        names = "board column decimals ascending generation as_of_ms horizon_ms total".split()
        return {name: getattr(self, name) for name in names}

    def ask(self, score, age_ms=0):
        key = self.key_of(score)
        aged = {"age_ms": age_ms, "of": self.total_at(age_ms)} if age_ms else {}
        return {"score": score, "key": key, **aged, "held": self.place(key, True, age_ms), "any": self.place(key, False, age_ms)}


# --- where it comes from --------------------------------------------------------


def key_of_curve(table, board, column):
    """The memcached key of a board, as the registry has it, and one of its columns."""
    names = [table, board["name"], column]
    if board.get("id"):
        names.append(board["id"])
    return "rankcurve:" + hashlib.sha256("\0".join(names).encode()).hexdigest()


def fetch(address, key):
    """One get of memcached's text protocol."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall(f"get {key}\r\n".encode())
        answer = connection.makefile("rb")
        words = answer.readline().split()
        if len(words) != 4 or words[0] != b"VALUE":
            raise LookupError(f"memcached does not hold {key}: {b' '.join(words).decode()}")
        data = answer.read(int(words[3]))
    if len(data) != int(words[3]):
        raise Damaged("memcached's answer is cut off")
    return data


def main(source, *scores):
    if source == "--key":
        if len(scores) != 3:
            sys.exit(__doc__)
        table, board, column = scores
        print(key_of_curve(table, json.loads(board), column))
        return
    scheme = "memcached://"
    if source.startswith(scheme):
        data = fetch(*source[len(scheme) :].split("/", 1))
    else:
        with open(source, "rb") as file:
            data = file.read()
    curve = Curve(data)
    print(json.dumps(curve.facts()))
    age_ms, words = 0, iter(scores)
    for word in words:
        if word == "--age":
            age_ms = age_of(next(words, ""), curve)
        else:
            print(json.dumps(curve.ask(word, age_ms)))


def age_of(word, curve):
    if word == "now":
        return round(time.time() * 1000) - curve.as_of_ms
    if not word.lstrip("-").isdecimal():
        raise ValueError(f"--age {word!r} is neither a number of milliseconds nor now")
    return int(word)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (Damaged, LookupError, OSError, ValueError, ArithmeticError) as error:
        sys.exit(f"{sys.argv[0]}: {error}")
