"""Row M3: misses of the memory cache on generated traces, beside the policies of libcachesim (scripts/bench/eviction.py)."""

import functools

from .rows import Value

FRACTIONS = (0.01, 0.1)


@functools.cache
def _policies():
    # It needs libcachesim, without which these rows are not measured.
    import eviction as simulation
    return simulation


@functools.cache
def _trace(name, folder):
    identities, _ = _policies().make(name)
    path = folder / f"trace-{name.replace(' ', '-')}"
    path.write_text("\n".join(map(str, identities)))
    return identities, path


@functools.lru_cache(maxsize=None)
def _misses(bench, name, fraction):
    """Returns the share of requests that missed: ours, and by policy."""
    identities, path = _trace(name, bench.folder)
    capacity = max(1, round(len(set(identities.tolist())) * fraction))
    simulation = _policies()
    ones = simulation.np.ones(identities.max() + 1, dtype=int)
    theirs = {policy: simulation.misses(cache, capacity, identities, ones)[0]
              for policy, cache in simulation.POLICIES.items()}
    return bench.ours.value("memory-trace", "misses", path, capacity), theirs


def _excess(name, fraction, bench):
    """Returns our misses, divided by those of the best policy."""
    ours, theirs = _misses(bench, name, fraction)
    return ours / min(theirs.values())


def _of_lru(fraction, bench):
    """Returns our misses, divided by those of LRU, on average over the traces."""
    shares = []
    for name in TRACES:
        ours, theirs = _misses(bench, name, fraction)
        shares.append(ours / theirs["LRU"])
    return sum(shares) / len(shares)


TRACES = ("Zipf 0.8", "Zipf 1.0", "Zipf 1.2", "scan", "loop", "scroll", "feed")

ROWS = [
    *(Value(f"M3 {name}, {fraction:.0%}", f"misses on the trace {name} at {fraction:.0%}, divided by those of the best policy",
            functools.partial(_excess, name, fraction), "", 1.01, needs=("libcachesim",), times=1)
      for name in TRACES for fraction in FRACTIONS),
    *(Value(f"M3 LRU {fraction:.0%}", f"misses at {fraction:.0%}, divided by those of LRU, mean of the traces",
            functools.partial(_of_lru, fraction), "", 0.9, needs=("libcachesim",), times=1) for fraction in FRACTIONS),
]
