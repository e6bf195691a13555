import Foundation
import TintypeTesting

extension Collection<Int> {
    /// Returns some of the positions at which a file is damaged, others in each run, because all of them take minutes
    /// in a debug build, and `make fuzz` tries more. `TINTYPE_STRIDE` is their mean distance, 5 by default; 1 takes
    /// all.
    func sampled(_ name: String) -> [Int] {
        let stride = ProcessInfo.processInfo.environment["TINTYPE_STRIDE"].flatMap { Int($0) } ?? 5
        guard stride > 1 else { return Array(self) }
        var random = SeededRandom.printed(name)
        return filter { _ in Int.random(in: 0..<stride, using: &random) == 0 }
    }
}
