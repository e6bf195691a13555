import Benchmark

/// Every benchmark, a topic a file. Beside `X` stands `X.control`: the same work as a program would write it by hand.
/// `scripts/bench` runs them all and prints the ratios.
let benchmarks: @Sendable () -> Void = {
}
