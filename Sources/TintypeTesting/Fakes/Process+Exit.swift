import Foundation
import TintypeCore

extension Process {
    /// Runs the process until it exits.
    ///
    /// - Throws: An error if the process cannot be started.
    package func runToExit() async throws {
        let exit = SharedPromise<Void>()
        terminationHandler = { _ in exit.fulfill(()) }
        do { try run() } catch {
            terminationHandler = nil
            throw error
        }
        // A cancellation does not end the wait, because the process would still run.
        await exit.wait { nil }
    }
}
