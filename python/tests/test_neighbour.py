"""The wheel in environments of users: an empty one, and one with the project qats of PyPI, which is another one (time
series of ships)."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

PYTHON = Path(__file__).resolve().parent.parent

BOTH = """
import numpy as np
import qats, qatsbench
assert qats.TimeSeries("x", np.arange(10.0), np.arange(10.0)).mean() == 4.5
z, y = np.load("z.npy"), np.load("y.npy")
assert qatsbench.TS().fit(z, y).temperature(z[:1]) > 1
print(qats.__version__, qatsbench._program.find())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if not shutil.which("go"):
        pytest.skip("the wheel is built with Go")
    made = [sys.executable, PYTHON / "packing.py", "wheel", tmp_path_factory.mktemp("dist")]
    return Path(subprocess.run(made, capture_output=True, text=True, check=True).stdout.split()[0])


@pytest.fixture(scope="module")
def environment(tmp_path_factory, wheel):
    """An environment with the other project, and after it this package from a wheel."""
    pytest.importorskip("scipy", reason="the other project needs scipy and pandas")
    pytest.importorskip("pandas", reason="the other project needs scipy and pandas")
    folder = tmp_path_factory.mktemp("two")
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder / "venv"], check=True)
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    # The new environment finds the packages of the system, but not those of an environment that runs the tests.
    where = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip())
    (packages / "tests.pth").write_text(sysconfig.get_path("purelib"))
    got = subprocess.run(
        [python, "-m", "pip", "install", "-q", "--no-deps", "qats==5.5.0", "pymatreader", "npTDMS", "QtPy", "xmltodict"],
        capture_output=True,
        text=True,
    )
    if got.returncode != 0:
        pytest.skip("pip cannot download the other project")
    # The environment that runs the tests may have this package, too, which pip finds there.
    subprocess.run([python, "-m", "pip", "install", "-q", "--force-reinstall", "--no-deps", "--no-index", wheel], check=True)
    return folder, python


def run(python, *words, folder):
    env = {k: v for k, v in os.environ.items() if k not in ("QATS_BIN", "PYTHONPATH")}
    return subprocess.run([python, *words], cwd=folder, env=env, capture_output=True, text=True)


def test_both_projects_work_in_one_environment(environment, small):
    folder, python = environment
    for name, array in zip("zy", small):
        np.save(folder / name, array)
    done = run(python, "-c", BOTH, folder=folder)
    assert done.returncode == 0, done.stderr
    version, program = done.stdout.split()
    assert version == "5.5.0" and Path(program) == python.with_name("qatsbench")
    assert "time series" in run(python.with_name("qats"), "--help", folder=folder).stdout
    help = run(python.with_name("qatsbench"), "--help", folder=folder).stdout
    assert "  try " in help and "\n  qatsbench COMMAND [flags]" in help
    assert "\n  python3 -m qatsbench COMMAND [flags]" in run(python, "-m", "qatsbench", "--help", folder=folder).stdout or os.name == "nt"


def test_an_upgrade_keeps_this_package(environment):
    folder, python = environment
    done = run(python, "-m", "pip", "install", "-q", "-U", "--no-deps", "qats", folder=folder)
    if done.returncode != 0:
        pytest.skip("pip cannot download the other project")
    assert run(python, "-c", "import qatsbench; qatsbench.QaTS", folder=folder).returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="README writes a pattern of a shell")
def test_the_first_screen_of_readme_works_in_an_empty_environment(wheel, tmp_path):
    """From a wheel's file to the first answer and to the first lines of Python, as README prints them."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    shutil.copy(wheel, tmp_path)
    start = re.search(r"## Start\n(.*?)With Go", (PYTHON.parent / "README.md").read_text(encoding="utf-8"), re.S)[1]
    install, answer = re.findall(r"^    (pip install qatsbench-\S+|qatsbench .*?)(?: +#.*)?$", start, re.M)
    env = {k: v for k, v in os.environ.items() if k not in ("QATS_BIN", "PYTHONPATH")}
    env["PATH"] = f"{tmp_path / 'venv' / 'bin'}:/usr/bin:/bin"

    def typed(line):
        return subprocess.run(["sh", "-c", line], cwd=tmp_path, env=env, capture_output=True, text=True)

    if typed("pip download --no-deps -q numpy").returncode != 0:
        pytest.skip("pip cannot download numpy")
    done = typed(install)
    assert done.returncode == 0, done.stderr
    assert typed(answer).stdout.startswith("Use `qats`: on your test rows NLL")
    block = re.search(r"```python\n(.*?)```", start, re.S)[1]
    data = "import numpy as np\nrng = np.random.default_rng(0)\ny, yt = rng.integers(0, 3, (2, 300))\nZ, Zt = (4 * rng.normal(size=(300, 3)) + 3 * np.eye(3)[v] for v in (y, yt))\n"
    (tmp_path / "first.py").write_text(data + block)
    done = typed("python first.py")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "model.json").is_file()
