/// A value in memory of its own, for a large one that is handed from function to function.
///
/// An asynchronous function has room in its frame for each copy of a value that it may wait with; frames of kilobytes cost
/// more than what the functions do. A change makes a new value, so nothing is shared that changes.
struct Boxed<Value: Sendable>: Sendable {
    private var storage: Storage

    init(_ value: Value) {
        storage = Storage(value)
    }

    var value: Value {
        get { storage.value }
        set { storage = Storage(newValue) }
    }

    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }
}
