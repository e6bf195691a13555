import Dispatch
import Foundation
import Tintype

/// The wish of the user to stop, by `SIGINT` or `SIGTERM`.
///
/// After the first signal, a command begins nothing further and finishes what is in hand. The second one ends the process at
/// once, after it has removed the temporary files.
final class Interruption: Sendable {
    private struct State: Sendable {
        var isRequested = false
        var actions: [@Sendable () -> Void] = []
    }

    /// The interruption of this process. Signals are handled from its first use on.
    static let shared = Interruption(signals: [SIGINT, SIGTERM])

    /// An interruption that never comes: signals keep their default action, which ends the process.
    static let none = Interruption(signals: [])

    private let state = Locked(State())

    /// - Parameter signals: The signals to handle. One that the parent process ignores stays ignored.
    init(signals: [Int32]) {
        for number in signals where !Self.isIgnored(number) {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
            // The handler holds the source, which must live as long as the process.
            source.setEventHandler { [weak self] in withExtendedLifetime(source) { self?.request() } }
            source.activate()
        }
    }

    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return true }
        // Functions cannot be compared; that which stands for "ignore" has the address 1.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Calls `action` when the user interrupts the command; at once, if this has happened.
    func whenRequested(_ action: @escaping @Sendable () -> Void) {
        let isRequested = state.withLock { state in
            if !state.isRequested { state.actions.append(action) }
            return state.isRequested
        }
        if isRequested { action() }
    }

    /// Handles a signal.
    func request() {
        let actions = state.withLock { state -> [@Sendable () -> Void]? in
            guard !state.isRequested else { return nil }
            state.isRequested = true
            defer { state.actions = [] }
            return state.actions
        }
        guard let actions else {
            OutputFile.removeTemporaryFiles()
            _exit(130)
        }
        for action in actions { action() }
    }
}

/// Runs work on many items, several at a time.
enum BatchRun {
    /// Begins items in their order, and reports each when it ends.
    ///
    /// - Parameters:
    ///   - width: The largest number of items that run at once.
    ///   - interruption: Once it is requested, no further item begins.
    /// - Returns: The number of items that were not begun.
    /// - Throws: The error of `report`, after the items in hand have ended.
    static func run<Item: Sendable, Output: Sendable>(
        _ items: some Collection<Item>, width: Int, until interruption: Interruption,
        _ work: @escaping @Sendable (Item) async -> Output, report: (Output) throws -> Void
    ) async throws -> Int {
        var waiting = items[...]
        try await withThrowingTaskGroup(of: Output.self) { group in
            func begin() {
                guard !interruption.isRequested, let item = waiting.popFirst() else { return }
                group.addTask { await work(item) }
            }
            for _ in 0..<width { begin() }
            while let output = try await group.next() {
                try report(output)
                begin()
            }
        }
        return waiting.count
    }
}
