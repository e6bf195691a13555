import ArgumentParser
import Tintype

/// A value of an option with its place on the command line, which is otherwise lost between options of different names.
struct Ordered<Value: Sendable>: Sendable {
    let place: Int
    let value: Value

    /// The parser reads from left to right, so counting tells the order.
    static func parsing(
        _ parse: @escaping @Sendable (String) -> Value?
    ) -> @Sendable (String) throws -> Ordered<Value> {
        { text in
            guard let value = parse(text) else { throw ValidationError("'\(text)' is not valid here.") }
            return Ordered(place: OptionPlace.next(), value: value)
        }
    }
}

private enum OptionPlace {
    private static let last = Locked(0)

    static func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
