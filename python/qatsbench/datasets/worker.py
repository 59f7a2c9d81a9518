"""Reads published files in a process of its own, with a limit on memory and time.

A file that is made for it can ask for any memory, or crash a library that reads it. The process has
RLIMIT_AS, so such a file is an error of its network alone; where the system has no such limit
(Windows; macOS does not hold to it), only the checks of the readers are left.

The process reads one job a line, in JSON, and answers with one line.
"""

import json
import os
import signal
import subprocess
import sys
import threading

from .errors import DatasetError, short

MEMORY = 4 << 30
SECONDS = 600  # of processor time, for one job


class Reader:
    """The process, from the side of the command. It is started for the first job, and again after one that ended it."""

    def __init__(self, memory=MEMORY, seconds=SECONDS):
        self.memory, self.seconds, self.process, self.peak = memory, seconds, None, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _start(self):
        package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        path = os.pathsep.join(p for p in (package, os.environ.get("PYTHONPATH")) if p)
        # One thread: the libraries of numpy reserve memory for each, which would count.
        env = os.environ | {
            "PYTHONPATH": path,
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "HDF5_PLUGIN_PRELOAD": "::",
            "HDF5_USE_FILE_LOCKING": "FALSE",
            "MALLOC_ARENA_MAX": "2",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "qatsbench.datasets.worker", str(self.memory), str(self.seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            start_new_session=True,
        )
        self._words = []
        threading.Thread(target=self._listen, args=(self.process.stderr, self._words), daemon=True).start()

    @staticmethod
    def _listen(stream, words):
        for line in stream:
            words.append(line.decode(errors="replace"))
            del words[:-5]

    def do(self, job):
        """Gives a job to the process and returns its answer. A fault of the files is an error."""
        if self.process is None:
            self._start()
        answer = b""
        try:
            self.process.stdin.write(json.dumps(job).encode() + b"\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            pass
        except BaseException:  # an interrupt
            self.close()
            raise
        if not answer.endswith(b"\n"):
            code = self.process.wait()
            self.close()
            raise DatasetError(self._death(code))
        answer = json.loads(answer)
        self.peak = max(self.peak, answer.pop("peak", 0))
        if "error" in answer:
            raise DatasetError(answer["error"])
        return answer

    def _death(self, code):
        if -code == getattr(signal, "SIGXCPU", 0):
            return f"reading took more than {self.seconds} seconds of processor time"
        if code < 0:
            return f"reading ended by signal {-code}: the file is damaged, or needs more than {gib(self.memory)} of memory (--memory)"
        return f"reading ended with status {code}: {short(''.join(self._words[-1:]), 200)}"

    def close(self):
        """Ends the process."""
        if self.process is None:
            return
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except OSError:
                pass
        self.process.wait()
        self.process = None


def gib(n):
    """Prints a number of bytes in GiB."""
    return f"{n / (1 << 30):.3g} GiB"


def work(job):
    """Does a job: reads networks and stages them. Returns what the folder must know of them."""
    from . import folder, formats, published

    skipped = []
    if job["do"] == "network":
        networks = iter([published.build(job["spec"], job["files"])])
    else:
        networks = formats.read(job["format"], job["files"], formats.Options(**job["options"]), skipped)
    done = []
    for n in networks:
        e = folder.entry(n)
        files = folder.stage(job["stage"], n)
        done.append(
            {
                "entry": e,
                "files": files,
                "cal": len(n.cal.labels) if n.cal else 0,
                "test": len(n.test.labels),
                "classes": n.test.scores.shape[1],
                "clipped": n.clipped,
                "warning": n.warning,
                "told": n.told,
            }
        )
    return {"networks": done, "skipped": skipped}


def main():
    memory, seconds = int(sys.argv[1]), int(sys.argv[2])
    try:
        import resource
    except ImportError:  # Windows
        resource = None
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    import numpy  # before the limit: what numpy needs for itself is no fault of a file

    numpy.lib.format
    if resource:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        limit = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        try:
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
        except (ValueError, OSError):
            pass
    for line in sys.stdin.buffer:
        if resource:
            used = resource.getrusage(resource.RUSAGE_SELF)
            resource.setrlimit(
                resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds, resource.getrlimit(resource.RLIMIT_CPU)[1])
            )
        try:
            answer = work(json.loads(line))
        except DatasetError as e:
            answer = {"error": str(e)}
        except MemoryError:
            answer = {"error": f"needs more than {gib(memory)} of memory (--memory)"}
        except RecursionError:
            answer = {"error": "nested too deeply"}
        if resource:
            answer["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        out.write(json.dumps(answer).encode() + b"\n")
        out.flush()


if __name__ == "__main__":
    main()
