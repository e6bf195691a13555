import TintypeCore

/// A value that a test and the closures it hands out share.
public final class Shared<Value: Sendable>: Sendable {
    private let value: Locked<Value>

    public init(_ value: Value) {
        self.value = Locked(value)
    }

    /// The value as it is now.
    public var now: Value { value.withLock { $0 } }

    public func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { body(&$0) }
    }
}
