import Foundation

extension Process {
    /// Runs the process until it exits.
    ///
    /// - Throws: An error if the process cannot be started.
    package func runToExit() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            terminationHandler = { _ in continuation.resume() }
            do { try run() } catch {
                terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }
}
