package import Synchronization

/// The one lock of the project: a value that is reached only while the lock is held.
///
/// The state is a pure struct; a critical section makes one call on it and takes an action out, which the caller
/// carries out after the lock is free. No user code, no I/O and no continuation is touched inside.
/// `docs/architecture.md` lists every instance.
package struct Locked<State: Sendable>: ~Copyable, Sendable {
    @usableFromInline
    let mutex: Mutex<State>

    @inlinable
    package init(_ state: State) {
        mutex = Mutex(state)
    }

    @inlinable
    package borrowing func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try mutex.withLock { state throws(Failure) in try body(&state) }
    }
}
