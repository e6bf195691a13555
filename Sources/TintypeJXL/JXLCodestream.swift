import TintypeCore

/// The bytes of a codestream from its first frame on. In a container, boxes may divide them (ISO/IEC 18181-2, 9.9).
struct JXLCodestream {
    /// The file or its first bytes, which must outlive this value.
    let bytes: UnsafeRawBufferPointer
    /// The parts of the file that have arrived and contain the codestream, in order.
    private(set) var parts: [Range<Int>] = []
    /// The error of reading beyond the parts.
    private(set) var endError = TintypeError.truncatedJXL

    /// Finds the parts in a file.
    ///
    /// - Parameter headerEnd: The end of the image header in the file. Boxes may divide the header as well.
    init(_ bytes: UnsafeRawBufferPointer, headerEnd: Int) {
        self.bytes = bytes
        // A bare codestream begins with FF, a container with the length of its first box.
        guard bytes.first == 0 else {
            append(headerEnd..<bytes.count)
            return
        }
        let (file, all) = (ISOFile(bytes: bytes), 0..<bytes.count)
        var offset = 0
        while offset < bytes.count, let box = try? JXLBox(file, at: offset, in: all) {
            guard !box.isLong else {
                endError = .longBox
                return
            }
            if box.isCodestream, box.end > headerEnd { append(max(box.body, headerEnd)..<box.end) }
            offset = box.end
        }
    }

    private mutating func append(_ part: Range<Int>) {
        let arrived = part.clamped(to: 0..<bytes.count)
        if !arrived.isEmpty { parts.append(arrived) }
    }
}

/// A box of a container, of which the end may not have arrived.
private struct JXLBox {
    /// Whether it contains a part of the codestream.
    let isCodestream: Bool
    /// Whether its length is stored in 64 bits, which libjxl 0.7 expects at another place than the standard states.
    let isLong: Bool
    /// The offset of its contents.
    let body: Int
    /// The offset of the next box.
    let end: Int

    init(_ file: ISOFile, at offset: Int, in all: Range<Int>) throws(TintypeError) {
        let size = try file.number(at: offset, in: all)
        let kind = try file.number(at: offset + 4, in: all)
        let isPart = kind == Self.part
        isCodestream = isPart || kind == Self.whole
        isLong = size == 1
        // A part begins with its index.
        body = offset + (isPart ? 12 : 8)
        end = size == 0 ? .max : offset + size
        guard isLong || body <= end else { throw .damagedJXL }
    }

    /// `jxlc` and `jxlp`.
    private static let (whole, part) = (0x6A78_6C63, 0x6A78_6C70)
}

/// Reads the fields of headers (ISO/IEC 18181-1, B.2), the lowest bit of each byte first.
struct JXLBitReader {
    private let bytes: UnsafeRawBufferPointer
    private let endError: TintypeError
    /// The parts that have not been read. The first one begins with the byte of the next bit.
    private var parts: ArraySlice<Range<Int>>
    /// The number of bits of the next byte that have been read, 0 to 7.
    private var bit = 0

    /// A number of bits, and a number to add.
    typealias Field = (bits: Int, base: Int)

    init(_ codestream: JXLCodestream) {
        (bytes, parts, endError) = (codestream.bytes, codestream.parts[...], codestream.endError)
    }

    /// Reads up to 32 bits.
    ///
    /// - Throws: At the end of the bytes, as all methods do: ``TintypeError/Code/undecodable``, or
    ///   ``TintypeError/Code/limitExceeded`` if further bytes cannot be found.
    mutating func read(_ count: Int) throws(TintypeError) -> Int {
        var (value, length) = (0, 0)
        while length < count {
            guard let part = parts.first else { throw endError }
            let step = min(8 - bit, count - length)
            value |= (Int(bytes[part.lowerBound]) >> bit & (1 << step - 1)) << length
            length += step
            bit += step
            if bit == 8 { alignToByte() }
        }
        return value
    }

    mutating func readFlag() throws(TintypeError) -> Bool { try read(1) == 1 }

    /// Reads a number (`U32`): two bits choose one of four fields.
    mutating func number(_ fields: [Field]) throws(TintypeError) -> Int {
        let field = fields[try read(2)]
        return field.base + (try read(field.bits))
    }

    /// Returns the signed value of a number whose lowest bit is the sign (`UnpackSigned`).
    static func signed(_ number: Int) -> Int { number & 1 == 0 ? number >> 1 : -(number >> 1) - 1 }

    /// Reads a number of up to 64 bits (`U64`).
    mutating func longNumber() throws(TintypeError) -> UInt64 {
        switch try read(2) {
        case 0: return 0
        case 1: return UInt64(try read(4) + 1)
        case 2: return UInt64(try read(8) + 17)
        default: break
        }
        var value = UInt64(try read(12))
        for shift in stride(from: 12, to: 64, by: 8) {
            guard try readFlag() else { break }
            value |= UInt64(try read(min(8, 64 - shift))) << UInt64(shift)
        }
        return value
    }

    /// Skips the name of a frame or a channel.
    mutating func skipName() throws(TintypeError) {
        let length = try number([(0, 0), (4, 0), (5, 16), (10, 48)])
        try skip(length * 8)
    }

    /// Skips bits.
    mutating func skip(_ count: Int) throws(TintypeError) {
        let first = min(count, (8 - bit) % 8)
        _ = try read(first)
        try skip(bytes: (count - first) / 8)
        _ = try read((count - first) % 8)
    }

    /// Skips bytes, from the next bit on.
    mutating func skip(bytes count: Int) throws(TintypeError) {
        var left = count
        while left > 0 {
            guard let part = parts.first else { throw endError }
            if left < part.count {
                parts[parts.startIndex] = part.lowerBound + left..<part.upperBound
                return
            }
            parts.removeFirst()
            left -= part.count
        }
    }

    /// Returns a reader of the next bytes, from the next byte on.
    func prefix(bytes count: Int) throws(TintypeError) -> JXLBitReader {
        var (result, left) = (self, count)
        result.parts = []
        for part in parts {
            guard left > 0 else { break }
            let length = min(left, part.count)
            result.parts.append(part.lowerBound..<part.lowerBound + length)
            left -= length
        }
        guard left == 0 else { throw endError }
        return result
    }

    /// Moves to the next byte, unless the next bit is the first one of a byte.
    mutating func alignToByte() {
        guard bit > 0, let part = parts.first else { return }
        bit = 0
        let rest = part.lowerBound + 1..<part.upperBound
        if rest.isEmpty { parts.removeFirst() } else { parts[parts.startIndex] = rest }
    }
}

extension TintypeError {
    fileprivate static let longBox = exceeded(
        .library, "the JPEG XL has a box with a length of 64 bits before its last frame, which Tintype does not support"
    )
}
