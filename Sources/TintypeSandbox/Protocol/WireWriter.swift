import Foundation
import TintypeCore

/// Writes the body of a message: numbers in little-endian order, and everything of variable length after its count.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ number: Int) {
        write(Int64(number))
    }

    mutating func write(_ number: Double) {
        write(number.bitPattern)
    }

    mutating func write(_ flag: Bool) {
        bytes.append(flag ? 1 : 0)
    }

    mutating func write(_ text: String) {
        let utf8 = Array(text.utf8)
        write(utf8.count)
        bytes += utf8
    }

    mutating func write(_ data: Data) {
        write(data.count)
        bytes += data
    }

    mutating func write(_ size: PixelSize) {
        write(size.width)
        write(size.height)
    }

    mutating func write(_ rect: PixelRect) {
        write(rect.x)
        write(rect.y)
        write(rect.size)
    }

    /// Writes whether there is a value, and the value.
    mutating func write<Value>(_ value: Value?, _ body: (inout WireWriter, Value) -> Void) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    mutating func write<Value>(_ values: [Value], _ body: (inout WireWriter, Value) -> Void) {
        write(values.count)
        for value in values { body(&self, value) }
    }
}

/// The reason why a message of another process cannot be understood.
struct WireError: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// Reads the body of a message. Every count is checked against the bytes that are left, so a message allocates at most
/// a few times its own size.
struct WireReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var left: Int { bytes.count - offset }

    /// Checks that nothing is left.
    func finish() throws(WireError) {
        guard left == 0 else { throw WireError("\(left) bytes are left in a message") }
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(WireError) -> Number {
        let size = MemoryLayout<Number>.size
        guard left >= size else { throw WireError("a message is too short") }
        let number = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
        offset += size
        return Number(littleEndian: number)
    }

    /// Reads a number within some bounds.
    mutating func int(in bounds: ClosedRange<Int>) throws(WireError) -> Int {
        let number: Int64 = try number()
        guard let value = Int(exactly: number), bounds.contains(value) else {
            throw WireError("\(number) is not within \(bounds)")
        }
        return value
    }

    /// Reads a number that is used only as a limit or identifier.
    mutating func anyInt() throws(WireError) -> Int { Int(truncatingIfNeeded: try number(Int64.self)) }

    mutating func double() throws(WireError) -> Double { Double(bitPattern: try number()) }

    /// Reads a number that is neither infinite nor negative.
    mutating func seconds() throws(WireError) -> Double {
        let value = try double()
        guard value.isFinite, value >= 0 else { throw WireError("\(value) is no duration") }
        return value
    }

    mutating func flag() throws(WireError) -> Bool {
        switch try number(UInt8.self) {
        case 0: false
        case 1: true
        case let byte: throw WireError("\(byte) is no flag")
        }
    }

    /// Reads the count of values that have at least `size` bytes each.
    mutating func count(of size: Int = 1) throws(WireError) -> Int {
        let count = try int(in: 0...Int.max)
        guard count <= left / size else { throw WireError("\(count) values in \(left) bytes") }
        return count
    }

    mutating func string() throws(WireError) -> String { String(decoding: try slice(), as: UTF8.self) }

    mutating func data() throws(WireError) -> Data { Data(try slice()) }

    private mutating func slice() throws(WireError) -> ArraySlice<UInt8> {
        let count = try count()
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    mutating func optional<Value>(
        _ body: (inout WireReader) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        try flag() ? try body(&self) : nil
    }

    mutating func array<Value>(
        of size: Int, _ body: (inout WireReader) throws(WireError) -> Value
    ) throws(WireError) -> [Value] {
        var values: [Value] = []
        for _ in 0..<(try count(of: size)) { values.append(try body(&self)) }
        return values
    }

    /// The bounds of coordinates and sides. Sums and products of two do not overflow.
    static let sides = -1_000_000_000...1_000_000_000

    mutating func size() throws(WireError) -> PixelSize {
        PixelSize(width: try int(in: 0...Self.sides.upperBound), height: try int(in: 0...Self.sides.upperBound))
    }

    mutating func rect() throws(WireError) -> PixelRect {
        PixelRect(x: try int(in: Self.sides), y: try int(in: Self.sides), size: try size())
    }
}
