import Foundation
import TintypeCore

/// The threads on which librsvg works, one for each document.
///
/// librsvg rarely checks for cancellation, so a cancelled caller abandons the work instead of waiting. librsvg also
/// needs more stack than other threads have, and a thread on which one of its assertions failed must not call it again.
///
/// Abandoned work ends at its next shape, or after the group that it is drawing. At most ``maximumAbandoned`` threads
/// may be left behind; beyond that, new work fails at once.
final class SVGThreads: Sendable {
    /// The progress of the work.
    private enum State<Value: Sendable>: Sendable {
        case running
        case abandoned
        case ended(Result<Value, TintypeError>)

        var isAbandoned: Bool {
            if case .abandoned = self { true } else { false }
        }
    }

    /// The process-wide instance.
    static let shared = SVGThreads()

    private let abandonedTotal = Locked(0)
    /// The number of abandoned threads that have not ended.
    var abandonedCount: Int { abandonedTotal.withLock { $0 } }
    /// The number of threads that may be left behind.
    static let maximumAbandoned = 4

    /// The stack of a thread in bytes: ``SVGDepth/maximum`` levels of at most 26 KB each, measured with librsvg 2.54.
    /// Unused pages take no memory.
    private static let stackSize = 32 << 20
    /// The interval between checks for cancellation by the waiting caller.
    private static let pollingInterval = DispatchTimeInterval.milliseconds(10)

    /// Runs `work` on a thread of its own, and blocks the calling thread until it ends or is cancelled.
    ///
    /// - Parameters:
    ///   - isCancelled: Checked by the calling thread.
    ///   - work: Receives a check that becomes true when the caller has left.
    /// - Throws: ``TintypeError/Code/cancelled`` within ``pollingInterval`` of a cancellation,
    ///   ``TintypeError/Code/outOfMemory`` without a thread or if too many are left behind, and the errors of `work`.
    func run<Value: Sendable>(
        isCancelled: () -> Bool,
        _ work: @escaping @Sendable (_ isAbandoned: @escaping @Sendable () -> Bool) throws(TintypeError) -> Value
    ) throws(TintypeError) -> Value {
        guard abandonedCount < Self.maximumAbandoned else {
            throw TintypeError(
                .outOfMemory, stage: .decode,
                "\(Self.maximumAbandoned) SVGs that took too long are still being drawn; try again later")
        }
        let state = Shared(State<Value>.running)
        let ended = DispatchSemaphore(value: 0)
        let thread = try Self.start {
            let result = Result { () throws(TintypeError) in try work { state.value.withLock { $0.isAbandoned } } }
            let wasAbandoned = state.value.withLock { state in
                defer { state = .ended(result) }
                return state.isAbandoned
            }
            if wasAbandoned { self.abandonedTotal.withLock { $0 -= 1 } }
            ended.signal()
        }
        guard let result = wait(for: state, ended, isCancelled) else {
            pthread_detach(thread)
            throw .cancelled
        }
        // As it ends, the thread frees what librsvg and the libraries below it hold for it.
        pthread_join(thread, nil)
        return try result.get()
    }

    /// A lock that closures share.
    private final class Shared<Value: Sendable>: Sendable {
        let value: Locked<Value>

        init(_ value: Value) {
            self.value = Locked(value)
        }
    }

    /// Returns the result of the work; `nil` if the caller was cancelled.
    private func wait<Value>(
        for state: Shared<State<Value>>, _ ended: DispatchSemaphore, _ isCancelled: () -> Bool
    ) -> Result<Value, TintypeError>? {
        while true {
            guard !isCancelled() else {
                abandon(state)
                return nil
            }
            guard ended.wait(timeout: .now() + Self.pollingInterval) == .success else { continue }
            if case .ended(let result) = state.value.withLock({ $0 }) { return result }
        }
    }

    private func abandon<Value>(_ state: Shared<State<Value>>) {
        // Counted before the thread can see the new state and decrement.
        abandonedTotal.withLock { $0 += 1 }
        let isAbandoned = state.value.withLock { state in
            guard case .running = state else { return false }
            state = .abandoned
            return true
        }
        if !isAbandoned { abandonedTotal.withLock { $0 -= 1 } }
    }

    // MARK: Threads

    /// The work of a thread, as an object that a C function can hold.
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Starts a thread, which the caller must join or detach.
    private static func start(_ run: @escaping @Sendable () -> Void) throws(TintypeError) -> pthread_t {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        let retained = Unmanaged.passRetained(Body(run))
        var thread = pthread_t()
        guard pthread_create(&thread, &attributes, main, retained.toOpaque()) == 0 else {
            retained.release()
            throw TintypeError(.outOfMemory, stage: .decode, "could not start a thread to draw an SVG")
        }
        return thread
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
        if let pointer { Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run() }
        return nil
    }
}
