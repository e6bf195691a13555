import Foundation
import TintypeCore

/// The header of a PBM, PGM, PPM or PAM (netpbm's pbm(5), pgm(5), ppm(5) and pam(5)).
struct PNMHeader: Equatable {
    /// How samples are written.
    enum Encoding: Equatable {
        /// Decimal numbers. Of a bitmap, digits, which need no space between them.
        case text
        /// One or two bytes, the more significant one first. Of a bitmap, bits.
        case binary
    }

    /// What the samples of a pixel are.
    enum Channels: Int {
        case grey = 1
        case greyAlpha = 2
        case rgb = 3
        case rgbAlpha = 4

        var hasAlpha: Bool { self == .greyAlpha || self == .rgbAlpha }
        var isGrey: Bool { self == .grey || self == .greyAlpha }
    }

    let encoding: Encoding
    /// Whether each sample is a bit, of which 1 is black.
    let isBitmap: Bool
    let size: PixelSize
    let channels: Channels
    /// The sample that is white, from 1 to 65535.
    let maximum: Int
    /// The offset of the first sample.
    let offset: Int

    /// Whether samples have more than 8 bits.
    var isWide: Bool { maximum > 255 }

    /// The number of bytes of a row of binary samples.
    var bytesPerRow: Int {
        isBitmap ? (size.width + 7) / 8 : size.width * channels.rawValue * (isWide ? 2 : 1)
    }

    /// The properties of the image.
    var info: ImageInfo {
        var info = ImageInfo(format: .pnm, size: size, hasAlpha: channels.hasAlpha)
        info.bitDepth = isWide ? Int.bitWidth - maximum.leadingZeroBitCount : 8
        return info
    }
}

/// Reads the header of a PNM. No method reads past the end.
struct PNMHeaderReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Why a header cannot be read.
    enum Failure: Error {
        /// The bytes end within the header.
        case incomplete
        case damaged(String)
    }

    /// Reads the header.
    mutating func read() throws(Failure) -> PNMHeader {
        guard bytes.count >= 3 else { throw .incomplete }
        guard bytes[0] == UInt8(ascii: "P") else { throw .damaged("it does not begin with P") }
        let kind = bytes[1]
        offset = 2
        guard kind != UInt8(ascii: "7") else { return try readPAM() }
        guard (UInt8(ascii: "1")...UInt8(ascii: "6")).contains(kind) else { throw .damaged("an unknown kind") }
        let number = Int(kind - UInt8(ascii: "1"))
        let width = try readNumber()
        let height = try readNumber()
        let isBitmap = number % 3 == 0
        let maximum = isBitmap ? 1 : try readNumber()
        // Exactly one byte of white space precedes the samples.
        guard offset < bytes.count else { throw .incomplete }
        guard Self.isSpace(bytes[offset]) else { throw .damaged("no white space after the header") }
        return try makeHeader(
            number < 3 ? .text : .binary, isBitmap: isBitmap, width, height, number % 3 == 2 ? .rgb : .grey, maximum,
            offset + 1)
    }

    private func makeHeader(
        _ encoding: PNMHeader.Encoding, isBitmap: Bool, _ width: Int, _ height: Int, _ channels: PNMHeader.Channels,
        _ maximum: Int, _ offset: Int
    ) throws(Failure) -> PNMHeader {
        guard (1...65_535).contains(maximum) else { throw .damaged("a maximum of \(maximum)") }
        return PNMHeader(
            encoding: encoding, isBitmap: isBitmap, size: PixelSize(width: width, height: height), channels: channels,
            maximum: maximum, offset: offset)
    }

    /// Reads a decimal number after white space and comments.
    private mutating func readNumber() throws(Failure) -> Int {
        while offset < bytes.count {
            if bytes[offset] == UInt8(ascii: "#") {
                while offset < bytes.count, bytes[offset] != 0x0A, bytes[offset] != 0x0D { offset += 1 }
            } else if Self.isSpace(bytes[offset]) {
                offset += 1
            } else {
                break
            }
        }
        var value = 0
        let start = offset
        while offset < bytes.count, let digit = Self.digit(bytes[offset]) {
            value = value * 10 + digit
            offset += 1
            // More than any limit allows. The product of two sides must not overflow.
            guard value <= Int(Int32.max) else { throw .damaged("a number is too large") }
        }
        guard offset < bytes.count else { throw .incomplete }
        guard offset > start else { throw .damaged("a number is missing") }
        return value
    }

    // MARK: PAM

    /// The longest line of a header in bytes, which is not a comment.
    private static let longestLine = 1024

    private mutating func readPAM() throws(Failure) -> PNMHeader {
        var values: [String: Int] = [:]
        var tupleType = ""
        guard try readLine().isEmpty else { throw .damaged("no end of line after P7") }
        while true {
            let line = try readLine()
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard let name = words.first, !name.hasPrefix("#") else { continue }
            if name == "ENDHDR" { break }
            let value = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : ""
            if name == "TUPLTYPE" {
                tupleType += tupleType.isEmpty ? value : " " + value
            } else if let number = Int(value), number >= 0, number <= Int(Int32.max) {
                values[name] = number
            } else {
                throw .damaged("\(name.prefix(20)) has no number")
            }
        }
        guard let width = values["WIDTH"], let height = values["HEIGHT"], let depth = values["DEPTH"],
            let maximum = values["MAXVAL"]
        else { throw .damaged("WIDTH, HEIGHT, DEPTH or MAXVAL is missing") }
        guard let channels = Self.channels(depth, tupleType) else {
            throw .damaged("tuples of type \(tupleType.prefix(40).debugDescription) with \(depth) samples")
        }
        return try makeHeader(.binary, isBitmap: false, width, height, channels, maximum, offset)
    }

    /// Returns the channels of a PAM, by its tuple type, or if that is unknown, by the number of samples.
    private static func channels(_ depth: Int, _ tupleType: String) -> PNMHeader.Channels? {
        let byDepth = PNMHeader.Channels(rawValue: depth)
        let byType: PNMHeader.Channels? =
            switch tupleType {
            case "BLACKANDWHITE", "GRAYSCALE": .grey
            case "BLACKANDWHITE_ALPHA", "GRAYSCALE_ALPHA": .greyAlpha
            case "RGB": .rgb
            case "RGB_ALPHA": .rgbAlpha
            default: byDepth
            }
        return byType == byDepth ? byDepth : nil
    }

    /// Reads a line of text, without its end.
    private mutating func readLine() throws(Failure) -> String {
        let start = offset
        while offset < bytes.count, bytes[offset] != 0x0A { offset += 1 }
        guard offset < bytes.count else { throw .incomplete }
        let line = bytes[start..<offset]
        offset += 1
        guard line.count <= Self.longestLine || line.first == UInt8(ascii: "#") else {
            throw .damaged("a line of the header is too long")
        }
        return String(decoding: line.prefix(Self.longestLine), as: UTF8.self)
            .trimmingCharacters(in: CharacterSet(charactersIn: "\r\t "))
    }

    // MARK: Characters

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    static func digit(_ byte: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
    }
}
