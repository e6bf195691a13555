"""What rows share: the programs, the samples, and folders."""

import functools
import pathlib
import shutil
import subprocess
import sys

from . import programs, samples, versions

ROOT = pathlib.Path(__file__).parents[3]
SAMPLES = ROOT / "Sources/CTintypeSamples/Samples"


class Bench:
    """Programs that are started when the first row needs them, and a folder of samples."""

    def __init__(self, program, tintype, folder, simd_python, is_full):
        self._program, self.tintype, self.folder = program, tintype, folder
        self.python, self.simd_python, self.is_full = sys.executable, simd_python, is_full
        # By both sides of a row.
        self.samples = {}
        self.photos = [folder / f"copies/{number:02}.jpg" for number in range(40)]

    def prepare(self):
        samples.make(self.folder, SAMPLES, self.ours)
        for name in samples.SIZES:
            samples.sized(self.folder, SAMPLES, name)
        for name in ("images", "copies", "photos", "pngs"):
            (self.folder / name).mkdir()
        for name in ("ocean", "dunes", "mountains", "night"):
            shutil.copy(SAMPLES / f"{name}.jpg", self.folder / "images")
        for path in self.photos:
            shutil.copy(self.folder / "photo.jpg", path)
        for number in range(16):
            shutil.copy(self.folder / "1.png", self.folder / f"pngs/{number:03}.png")
        for number in range(500):
            shutil.copy(SAMPLES / "dunes.jpg", self.folder / f"photos/{number:04}.jpg")

    # Programs

    def program(self):
        """Starts BenchmarkProgram once more, for a row that must begin in a fresh process."""
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        return programs.Program(self._program, TMPDIR=str(temporary), XDG_CACHE_HOME=str(temporary))

    @functools.cached_property
    def ours(self):
        return self.program()

    def renew(self):
        """Ends BenchmarkProgram, so that the next topic begins with a fresh one."""
        if "ours" in self.__dict__:
            self.__dict__.pop("ours").close()

    @functools.cache
    def _peers(self, simd):
        return programs.peers(self.simd_python) if simd else programs.peers()

    def peer(self, simd):
        return self._peers(simd)

    # Folders and names

    def named(self, arguments):
        return [str(word).format(folder=self.folder) for word in arguments]

    def name(self, text):
        return pathlib.Path(text.format(folder=self.folder))

    def empty_folder(self):
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        return out

    def write_once(self, name, text):
        path = self.folder / name
        if not path.exists():
            path.write_text(text)

    def clear_temporary(self):
        # A program that removes a million files faster than Python.
        subprocess.run(["rm", "-rf", self.folder / "tmp"], check=False)

    def missing(self, row, has_origin):
        """Returns what a row needs and is not installed."""
        found = versions.installed(self.simd_python)
        return [name for name in row.needs if not found.get(name) or (name == "nginx" and not has_origin)]


