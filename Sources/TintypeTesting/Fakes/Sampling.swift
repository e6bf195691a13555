extension Collection {
    /// All elements; every 16th under the thread sanitizer.
    ///
    /// For tests that decode a file on one thread with each of its bytes damaged in turn. The sanitizer makes them ten times
    /// slower, and finds data races, of which one thread has none.
    public var sampledForRaces: [Element] {
        #if TINTYPE_TSAN
        return enumerated().filter { $0.offset.isMultiple(of: 16) }.map(\.element)
        #else
        return Array(self)
        #endif
    }
}
