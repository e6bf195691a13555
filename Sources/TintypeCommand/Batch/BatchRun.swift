/// Runs work on many items, several at a time, until the user interrupts it.
enum BatchRun {
    /// Begins items in their order, and reports each when it ends.
    ///
    /// - Parameters:
    ///   - width: The largest number of items that run at once.
    ///   - interruption: Once it is requested, no further item begins.
    ///   - work: Returns `nil` if the interruption ended the work on the item. It is then not reported, like an item
    ///     that has not begun.
    /// - Throws: The error of `report`, after the running items have ended.
    static func run<Item: Sendable, Output: Sendable>(
        _ items: some Collection<Item>, width: Int, until interruption: Interruption,
        _ work: @escaping @Sendable (Item) async -> Output?, report: (Output) throws -> Void
    ) async throws {
        var waiting = items[...]
        try await withThrowingTaskGroup(of: Output?.self) { group in
            func begin() {
                guard !interruption.isRequested, let item = waiting.popFirst() else { return }
                group.addTask { await work(item) }
            }
            for _ in 0..<width { begin() }
            while let output = try await group.next() {
                if let output { try report(output) }
                begin()
            }
        }
    }
}
