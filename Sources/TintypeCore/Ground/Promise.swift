/// A value that arrives once, and the tasks that wait for it.
///
/// Every asynchronous wait for a single result goes through this type. Blocking calls (`ImagePipeline+Cached`)
/// wait on a semaphore. The first ``fulfill(_:)`` counts; later ones change nothing. All members may be called from any
/// thread. A promise is part of the object that waits for it; ``SharedPromise`` is one that closures can share.
// A struct, because the end of a generic object looks up its type, which costs more than the wait itself. Inlinable,
// because a type that is `package` alone is never specialised outside of its module (Swift 6.3), and an unspecialised
// wait costs as much as a short transfer.
@usableFromInline
package struct Promise<Value: Sendable>: ~Copyable, Sendable {
    // Unsafe continuations, because a checked one is an allocation for each wait. Each is resumed exactly once, by the
    // call that takes it out of the state; no call puts it back.
    @usableFromInline
    typealias State = PromiseState<Value, UnsafeContinuation<Value, Never>>

    @usableFromInline
    let state = Locked(State())

    /// Creates a promise without a value.
    @inlinable
    package init() {}

    /// The value, or `nil` while it has not arrived.
    @inlinable
    package var value: Value? { state.withLock { $0.value } }

    /// Whether the value has arrived.
    @inlinable
    package var isFulfilled: Bool { state.withLock { $0.value != nil } }

    /// Sets the value and resumes all waiting tasks in the order in which they began to wait.
    ///
    /// - Returns: `false` if a value has already been set; the new value is then dropped.
    @inlinable
    @discardableResult
    package borrowing func fulfill(_ value: Value) -> Bool {
        guard let waiters = state.withLock({ $0.fulfill(value) }) else { return false }
        waiters.first?.resume(returning: value)
        for waiter in waiters.others { waiter.resume(returning: value) }
        return true
    }

    /// Waits for the value. Returns without suspending if it has arrived.
    ///
    /// - Parameter onCancel: Called on the cancelling thread, at most once, when the waiting task is cancelled first. A
    ///   value that it returns ends this wait at once, and no other; `nil` means that the wait goes on until
    ///   ``fulfill(_:)``.
    @inlinable
    package borrowing func wait(onCancel: @Sendable () -> Value?) async -> Value {
        let (arrived, waiter) = state.withLock { ($0.value, $0.nextWaiter()) }
        if let arrived { return arrived }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let value = state.withLock { $0.add(continuation, as: waiter) }
                if let value { continuation.resume(returning: value) }
            }
        } onCancel: {
            guard let value = onCancel() else { return }
            state.withLock { $0.cancel(waiter, with: value) }?.resume(returning: value)
        }
    }
}

/// A ``Promise`` that the closures of one wait share.
@usableFromInline
package final class SharedPromise<Value: Sendable>: Sendable {
    @usableFromInline
    let promise = Promise<Value>()

    /// Creates a promise without a value.
    @inlinable
    package init() {}

    /// Sets the value. See ``Promise/fulfill(_:)``.
    @inlinable
    @discardableResult
    package func fulfill(_ value: Value) -> Bool { promise.fulfill(value) }

    /// Waits for the value. See ``Promise/wait(onCancel:)``.
    @inlinable
    package func wait(onCancel: @Sendable () -> Value?) async -> Value { await promise.wait(onCancel: onCancel) }
}

extension SharedPromise where Value == Void {
    /// Waits for the value, or for the cancellation of the waiting task, whichever comes first.
    @inlinable
    package func wait() async {
        await promise.wait(onCancel: {})
    }
}

/// The waiters of a ``Promise``, and the values that end cancelled waits.
///
/// Each waiter is resumed exactly once, whatever the order of its registration, its cancellation and the value.
@usableFromInline
struct PromiseState<Value: Sendable, Waiter: Sendable>: Sendable {
    /// A wait that has begun: it is registered, or it was cancelled before that.
    @usableFromInline
    enum Wait: Sendable {
        case registered(Waiter)
        case cancelled(with: Value)
    }

    @usableFromInline var value: Value?
    /// Nearly all promises have one waiter, which then costs no allocation.
    @usableFromInline var first: (number: Int, waiter: Waiter)?
    @usableFromInline var others: [Int: Wait] = [:]
    @usableFromInline var lastNumber = 0

    @inlinable
    init() {}

    @inlinable
    mutating func nextWaiter() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Registers a waiter.
    ///
    /// - Returns: The value that ends the wait at once, or `nil` if the waiter is registered.
    @inlinable
    mutating func add(_ waiter: Waiter, as number: Int) -> Value? {
        if case .cancelled(let value)? = others[number] {
            others[number] = nil
            return value
        }
        if let value { return value }
        if first == nil { first = (number, waiter) } else { others[number] = .registered(waiter) }
        return nil
    }

    /// Ends one wait with a value of its own.
    ///
    /// - Returns: The waiter to resume, or `nil` if it was resumed before or is not registered yet.
    @inlinable
    mutating func cancel(_ number: Int, with value: Value) -> Waiter? {
        guard self.value == nil else { return nil }
        guard first?.number != number else {
            defer { first = nil }
            return first?.waiter
        }
        guard case .registered(let waiter)? = others.removeValue(forKey: number) else {
            others[number] = .cancelled(with: value)
            return nil
        }
        return waiter
    }

    /// Sets the value.
    ///
    /// - Returns: The waiters to resume, in order of arrival, or `nil` if a value has already been set.
    @inlinable
    mutating func fulfill(_ value: Value) -> (first: Waiter?, others: [Waiter])? {
        guard self.value == nil else { return nil }
        self.value = value
        defer { (first, others) = (nil, [:]) }
        guard !others.isEmpty else { return (first?.waiter, []) }
        var waiters = first.map { [$0] } ?? []
        for case (let number, .registered(let waiter)) in others { waiters.append((number, waiter)) }
        return (nil, waiters.sorted { $0.number < $1.number }.map(\.waiter))
    }
}
