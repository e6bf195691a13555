/// How short of memory the machine, or this process's part of it, is.
public enum MemoryPressure: Hashable, Sendable, CaseIterable {
    /// Someone had to wait for memory.
    case some
    /// Nothing went on for want of memory.
    case critical

    /// What a cache of `cost` bytes keeps: half, or nothing. A pressure that stays is told again, and halves again.
    public func remainder(of cost: Int) -> Int {
        self == .some ? cost / 2 : 0
    }
}
