/// A value that must not appear in logs, error messages and dumps.
package struct Secret<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The value.
    package let revealed: Value

    /// Hides a value.
    package init(_ value: Value) {
        revealed = value
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder.
    package var description: String { "(secret)" }
    /// A placeholder.
    package var debugDescription: String { description }
    /// A mirror without the value, because `dump` and string interpolation of structs read mirrors.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
