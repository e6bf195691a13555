/// A level of memory shortage, of the machine or of this process's cgroup.
public enum MemoryPressure: Hashable, Sendable, CaseIterable {
    /// At least one task stalled while it waited for memory.
    case some
    /// All tasks stalled while they waited for memory.
    case critical

    /// Returns the number of bytes that a cache of `cost` bytes retains: half for ``some``, 0 for ``critical``.
    ///
    /// Lasting pressure is signalled again and halves the cache again.
    package func remainder(of cost: Int) -> Int {
        self == .some ? cost / 2 : 0
    }
}
