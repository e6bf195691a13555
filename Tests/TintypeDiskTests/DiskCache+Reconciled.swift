@testable import TintypeDisk

extension DiskCache {
    /// Waits until its index is known to have every file, so that nothing looks at the files behind a test's back.
    func waitUntilReconciled() async throws {
        let index = try openIndex()
        while try !index.isReconciled {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
