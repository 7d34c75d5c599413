"""The mutants that are proved all the same, each with the reason why it may be."""

from __future__ import annotations

RIGHT = "the same, or right in another way: what differs is how fast it is"
ALIKE = "`k < key or (strict and k <= key)` is what `k < key or (strict and k == key)` is"
FORMS = "about the form of a value or the number of factors, which is known before anything is proved"
NEVER = "the empty stream is never valid: nobody asks"
BOOLEANS = "keys that are truth values are tested, not proved"

WHY = {
    "Filter.accepts: line 5: answer is None or isinstance(answer, str | tuple | Stream) became "
    "answer is None and isinstance(answer, str | tuple | Stream)": FORMS,
    "Product.ready: line 5: len(indices) == 2 became len(indices) <= 2": FORMS,
    "Union.value: line 3: at_a is False or at_b is False became at_a is False and at_b is False": RIGHT,
    "Union.value: line 7: is_stream(x) or is_stream(y) became is_stream(x) and is_stream(y)": FORMS,
    "Union.value: line 3: False became True": RIGHT,
    "Difference.seek: line 4: a.index(q[0]) == key became a.index(q[0]) <= key": RIGHT,
    "Rekeyed.seek: line 7: found == key became found <= key": ALIKE,
    "Empty.start: line 2: 0 became 1": NEVER,
    "Empty.ready: line 2: False became True": NEVER,
    "Empty.index: line 2: 0 became 1": NEVER,
    "Empty.value: line 2: 0 became 1": NEVER,
    "TreeRun.index: line 2: self.kind == 'bool' became self.kind <= 'bool'": BOOLEANS,
    "TreeRun.index: line 2: self.column[4 * q] != 0 became self.column[4 * q] == 0": BOOLEANS,
    "TreeRun.index: line 2: 0 became 1": BOOLEANS,
    "TreeRun.index: line 2: 4 became 5": BOOLEANS,
    "adaptive: line 5: AHEAD + 1 became AHEAD - 1": RIGHT,
    "adaptive: line 12: low < high became low > high": RIGHT,
    "adaptive: line 18: low became high": RIGHT,
    "adaptive: line 10: q + 1 became q - 1": RIGHT,
    "adaptive: line 12: low became high": RIGHT,
    "adaptive: line 12: high became low": RIGHT,
    "adaptive: line 10: q + step < hi became q + step <= hi": RIGHT,
    "adaptive: line 19: keys[q] == key became keys[q] <= key": ALIKE,
    "adaptive: line 13: high became low": RIGHT,
    "linear: line 3: keys[q] == key became keys[q] <= key": ALIKE,
    "binary: line 11: low became high": RIGHT,
    "binary: line 6: high became low": RIGHT,
    "binary: line 7: keys[middle] == key became keys[middle] <= key": ALIKE,
    "gallop: line 12: low < high became low > high": RIGHT,
    "gallop: line 18: low became high": RIGHT,
    "gallop: line 12: low became high": RIGHT,
    "gallop: line 12: high became low": RIGHT,
    "gallop: line 10: q + step < hi became q + step <= hi": RIGHT,
    "gallop: line 3: keys[q] == key became keys[q] <= key": ALIKE,
    "gallop: line 7: keys[q + step] == key became keys[q + step] <= key": ALIKE,
    "gallop: line 13: high became low": RIGHT,
    "gallop: line 14: keys[middle] == key became keys[middle] <= key": ALIKE,
    "passed: line 3: k == key became k <= key": ALIKE,
    "landing: line 8: whole == key became whole <= key": RIGHT,
    "climb: line 9: q == 0 became q <= 0": RIGHT,
    "climb: line 9: (keys[4 * q] < key) | strict & (keys[4 * q] == key) became "
    "(keys[4 * q] < key) & (strict & (keys[4 * q] == key))": RIGHT,
    "climb: line 6: keys[4 * q] == key became keys[4 * q] <= key": ALIKE,
    "climb: line 9: keys[4 * q] == key became keys[4 * q] <= key": ALIKE,
    "climb_far: line 16: keys[4 * q] == key became keys[4 * q] <= key": ALIKE,
    "climb_far: line 7: keys[4 * above] == key became keys[4 * above] <= key": ALIKE,
}
