import Foundation

/// Writes bits, the lowest one of each byte first.
struct JXLBitWriter {
    private(set) var bytes = Data()
    private var count = 0

    mutating func append(_ value: Int, _ length: Int) {
        for index in 0..<length {
            if count % 8 == 0 { bytes.append(0) }
            bytes[bytes.count - 1] |= UInt8(value >> index & 1) << UInt8(count % 8)
            count += 1
        }
    }

    /// Appends the choice of a field, and the field.
    mutating func append(_ choice: Int, _ choiceLength: Int, _ value: Int, _ length: Int) {
        append(choice, choiceLength)
        append(value, length)
    }

    mutating func align() { count = bytes.count * 8 }
}
