#if TINTYPE_TSAN
import Foundation
#else
public import Synchronization
#endif

#if !TINTYPE_TSAN
/// A value that is accessible only while its lock is held. It is the only kind of lock in the project.
///
/// The state is a value type. A critical section calls one method of it, which returns an action; the caller performs
/// the action after unlocking. A critical section runs no user code and no I/O, and resumes no continuation.
/// `docs/locks.md` lists every instance.
@usableFromInline
package struct Locked<State: Sendable>: ~Copyable, Sendable {
    @usableFromInline
    let mutex: Mutex<State>

    /// Creates an unlocked value.
    @inlinable
    package init(_ state: State) {
        mutex = Mutex(state)
    }

    /// Locks, calls `body` with the value, and unlocks. Blocks the thread while another one holds the lock.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    // Inlinable, so that other modules specialise it: the unspecialised form looks up type metadata while the lock is
    // held. The type must be `@usableFromInline` too: a type that is `package` alone is never specialised outside of
    // its module (Swift 6.3).
    @inlinable
    package borrowing func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try mutex.withLock { state throws(Failure) in try body(&state) }
    }
}
#else
/// The variant of `Locked` for the thread sanitizer, which understands pthread mutexes but not `Synchronization.Mutex`.
///
/// `@unchecked Sendable` because the value is accessed only between locking and unlocking.
@usableFromInline
package struct Locked<State: Sendable>: ~Copyable, @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

    /// Creates an unlocked value.
    @usableFromInline
    package init(_ state: State) {
        pthread_mutex_init(mutex, nil)
        self.state.initialize(to: state)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Locks, calls `body` with the value, and unlocks. Blocks the thread while another one holds the lock.
    @usableFromInline
    package borrowing func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }
}
#endif
