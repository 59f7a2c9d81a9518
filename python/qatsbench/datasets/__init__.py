"""Published predictions of trained networks, fetched and made ready for qats.

    python -m qatsbench.datasets fetch bundle      the arrays of the project's specs
    python -m qatsbench.datasets fetch real        download, check, import
    python -m qatsbench.datasets import FORMAT ...  import files that you have

    import qatsbench.datasets
    qatsbench.datasets.fetch("real")

Needs pooch, h5py, PyYAML and numpy: pip install './python[datasets]' in a clone. The bundle needs none of them. Nothing here
needs the program.

One module a concept: bundle fetches the arrays of the project; table reads sources.yaml, which lists every published file; download fetches
files; forms and unpickle read them, in the process of worker; published and formats make networks of
them; lm_eval, helm and inspect_logs read what harnesses of language models store, by choices and stream;
splits says which rows calibrate; network checks; folder writes arrays and manifest.
"""

from .errors import DatasetError
from .fetching import fetch, import_files

__all__ = ["DatasetError", "fetch", "import_files"]
