"""Tables as pandas DataFrames, or dicts of numpy arrays where pandas is not installed."""

import csv
import io

import numpy as np

from ._files import opened


def frame(rows, columns):
    """Return a table of dicts, with the columns in this order. What a row lacks is NaN or None."""
    try:
        import pandas
    except ImportError:
        return {c: _column([row.get(c) for row in rows]) for c in columns}
    return pandas.DataFrame(rows, columns=list(columns))


def _column(values):
    if all(v is None or isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        if any(v is None or isinstance(v, float) for v in values):
            return np.array([np.nan if v is None else v for v in values], float)
    if any(v is None or isinstance(v, (dict, list)) for v in values):
        a = np.empty(len(values), object)
        a[:] = values
        return a
    return np.array(values)


def read_csv(path, numbers, texts):
    """Read a CSV file of the program. numbers and texts are the names of columns of either
    kind; a column that is in neither is a text. A number that is empty is NaN."""
    try:
        import pandas
    except ImportError:
        pass
    else:
        types = {c: float for c in numbers} | {c: str for c in texts}
        return pandas.read_csv(path, dtype=types, keep_default_na=False, na_values={c: [""] for c in numbers})
    with io.TextIOWrapper(opened(path), encoding="utf-8", newline="") as f:
        rows = list(csv.reader(f))
    head, body = rows[0], rows[1:]
    columns = list(zip(*body)) if body else [()] * len(head)
    return {
        c: np.array([float(v) if v else np.nan for v in values]) if c in numbers else np.array(values, dtype=str)
        for c, values in zip(head, columns)
    }
