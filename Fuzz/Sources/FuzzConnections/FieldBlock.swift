import Foundation
import FuzzSupport

/// A field block in the form in which it is sent (RFC 7541, 6), with every representation, valid or not.
struct FieldBlock {
    private(set) var bytes = Data()

    /// Fields that the client reads, or that are not allowed.
    static let fields: [(name: String, value: String)] = [
        ("content-length", "3"), ("content-length", "0"), ("content-length", "-1"), ("content-type", "image/png"),
        ("content-encoding", "gzip"), ("location", "/next"), ("set-cookie", "a=b"), ("transfer-encoding", "chunked"),
        (":status", "200"), (":path", "/"), ("", ""), ("UPPER", "x"), ("vary", "*"), ("etag", "\"x\""),
        ("cache-control", "max-age=9"), ("connection", "close"),
    ]
    /// The indices of a status, a length, a location and other fields in the static table.
    private static let indices: [UInt32] = [8, 9, 10, 11, 12, 13, 14, 28, 31, 46, 55, 16, 1, 4, 61, 0]
    private static let tableSizes: [UInt32] = [0, 1, 31, 32, 64, 4095, 4096, 4097, 65_536, 0x3FFF_FFFF]

    /// Reads a number of representations, and writes them.
    init(_ input: inout FuzzInput) {
        for _ in 0..<Int(input.byte() & 15) { addRepresentation(&input) }
    }

    private mutating func addRepresentation(_ input: inout FuzzInput) {
        switch input.byte() & 15 {
        case 0, 1, 2: add(input.any(of: Self.indices), prefix: 7, under: 0x80)
        // The dynamic table, and beyond its end.
        case 3, 4: add(62 + UInt32(input.byte()), prefix: 7, under: 0x80)
        case 5: add(input.number(bytes: 4), prefix: 7, under: 0x80)
        case 6, 7: addLiteral(prefix: 6, under: 0x40, &input)
        case 8: addLiteral(prefix: 4, under: 0x00, &input)
        case 9: addLiteral(prefix: 4, under: 0x10, &input)
        case 10: add(input.any(of: Self.tableSizes), prefix: 5, under: 0x20)
        case 11: add(input.number(bytes: 4), prefix: 5, under: 0x20)
        case 12: addStatus(input.take(Int(input.byte() & 7)))
        case 13: addStatus(Data(input.any(of: ["200", "302", "103", "101", "000", "304"]).utf8))
        // An integer of more bytes than fit.
        case 14: bytes += Data([input.byte()]) + Data(repeating: 0xFF, count: Int(input.byte() & 15)) + input.take(1)
        default: bytes += input.take(Int(input.byte() & 31))
        }
    }

    private mutating func addStatus(_ status: Data) {
        add(8, prefix: 4, under: 0)
        addString(status, isCompressed: false)
    }

    /// Writes a field whose name is an index or a string.
    private mutating func addLiteral(prefix: UInt8, under mark: UInt8, _ input: inout FuzzInput) {
        let choice = input.byte()
        let known = Self.fields[Int(choice & 15)]
        switch choice >> 6 {
        case 0: add(input.any(of: Self.indices), prefix: prefix, under: mark)
        case 1: add(UInt32(input.byte()), prefix: prefix, under: mark)
        case 2:
            add(0, prefix: prefix, under: mark)
            addString(Data(known.name.utf8), isCompressed: false)
        default:
            add(0, prefix: prefix, under: mark)
            addString(&input)
        }
        if choice & 0x20 == 0 { addString(Data(known.value.utf8), isCompressed: false) } else { addString(&input) }
    }

    /// Writes bytes of the input as a string, in the Huffman code or not. Their length may be wrong.
    private mutating func addString(_ input: inout FuzzInput) {
        let choice = input.byte()
        let text = input.take(Int(choice & 0x3F))
        guard choice & 0xC0 != 0xC0 else {
            add(input.number(bytes: 2), prefix: 7, under: 0x80)
            return bytes += text
        }
        addString(text, isCompressed: choice & 0x80 != 0)
    }

    private mutating func addString(_ text: Data, isCompressed: Bool) {
        add(UInt32(text.count), prefix: 7, under: isCompressed ? 0x80 : 0)
        bytes += text
    }

    /// Writes an integer (RFC 7541, 5.1).
    private mutating func add(_ value: UInt32, prefix: UInt8, under mark: UInt8) {
        let limit = (UInt32(1) << prefix) - 1
        guard value >= limit else { return bytes.append(mark | UInt8(value)) }
        bytes.append(mark | UInt8(limit))
        var rest = value - limit
        while rest >= 128 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
