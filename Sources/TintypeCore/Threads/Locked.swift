#if TINTYPE_TSAN
import Foundation
#else
public import Synchronization
#endif

/// The one lock of the project: a value that is reached only while the lock is held.
///
/// The state is a pure struct; a critical section makes one call on it and takes an action out, which the caller
/// carries out after the lock is free. No user code, no I/O and no continuation is touched inside.
/// `docs/architecture.md` lists every instance.
#if !TINTYPE_TSAN
@usableFromInline
package struct Locked<State: Sendable>: ~Copyable, Sendable {
    @usableFromInline
    let mutex: Mutex<State>

    @inlinable
    package init(_ state: State) {
        mutex = Mutex(state)
    }

    // Other modules make their own of it: the general form looks up types while the lock is held. They can only because
    // the type is usable from inline, too; what is `package` alone is never specialised outside of its module (Swift 6.3).
    @inlinable
    package borrowing func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try mutex.withLock { state throws(Failure) in try body(&state) }
    }
}
#else
/// The same for the thread sanitizer, which knows the locks of pthread and not that of `Synchronization`.
///
/// `@unchecked Sendable` because the value is reached only between locking and unlocking.
package struct Locked<State: Sendable>: ~Copyable, @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

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

    package borrowing func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }
}
#endif
