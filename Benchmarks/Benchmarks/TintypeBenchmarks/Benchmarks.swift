import Benchmark

/// Every benchmark, a topic a file. Beside `X` stands `X.control`, the same work as a program would do it without
/// Tintype; where several share one, it is named after what they have in common: `X` for `X.a` and `X.b`.
let benchmarks: @Sendable () -> Void = {
    memoryHits()
    diskHits()
    coldLoads()
    coalescing()
    diskEntries()
    decoding()
    resizing()
}
