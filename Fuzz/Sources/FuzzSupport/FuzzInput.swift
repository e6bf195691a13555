package import Foundation

/// Reads choices and bytes from an input. After its end, everything is zero or empty.
package struct FuzzInput: Sendable {
    private var bytes: ArraySlice<UInt8>

    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = ArraySlice(bytes)
    }

    package var isEmpty: Bool { bytes.isEmpty }

    package mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    /// Reads an unsigned number of up to four bytes, the highest first.
    package mutating func number(bytes count: Int) -> UInt32 {
        (0..<count).reduce(0) { number, _ in number << 8 | UInt32(byte()) }
    }

    /// Takes up to `count` bytes.
    package mutating func take(_ count: Int) -> Data {
        defer { bytes = bytes.dropFirst(count) }
        return Data(bytes.prefix(count))
    }

    /// Chooses an element of a list.
    package mutating func any<Element>(of list: [Element]) -> Element { list[Int(byte()) % list.count] }
}
