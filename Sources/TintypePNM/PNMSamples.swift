import Foundation
import TintypeCore

/// Reads the samples of a PNM in the order of the file, as rows of straight 16-bit RGBA.
struct PNMSamples {
    private let header: PNMHeader
    private let bytes: UnsafeRawBufferPointer
    private var offset: Int
    /// The 16-bit code of each sample.
    private let codes: [UInt16]

    init(_ header: PNMHeader, _ bytes: UnsafeRawBufferPointer) {
        (self.header, self.bytes) = (header, bytes)
        offset = header.offset
        codes = Self.codes(maximum: header.maximum)
    }

    /// Samples of at most 8 bits are rounded to 8 bits first, so that the 8-bit image is exact.
    private static func codes(maximum: Int) -> [UInt16] {
        (0...maximum).map { sample in
            maximum <= 255
                ? UInt16((sample * 255 + maximum / 2) / maximum * 257)
                : UInt16((sample * 65_535 + maximum / 2) / maximum)
        }
    }

    /// Reads a row.
    ///
    /// - Parameter words: Four words for each pixel.
    /// - Returns: `false` if the file ends before the end of the row. The words are then undefined.
    /// - Throws: `TintypeError.Code.undecodable` for text that is no number.
    mutating func readRow(_ words: UnsafeMutableBufferPointer<UInt16>) throws(TintypeError) -> Bool {
        switch (header.encoding, header.isBitmap) {
        case (.text, let isBitmap): return try readText(words, isBitmap: isBitmap)
        case (.binary, true): return readBits(words)
        case (.binary, false): return readBytes(words)
        }
    }

    private mutating func readBits(_ words: UnsafeMutableBufferPointer<UInt16>) -> Bool {
        guard bytes.count - offset >= header.bytesPerRow else { return false }
        for x in 0..<header.size.width {
            let bit = bytes[offset + x >> 3] >> UInt8(7 - x & 7) & 1
            Self.store(grey: bit == 1 ? 0 : 65_535, at: x, in: words)
        }
        offset += header.bytesPerRow
        return true
    }

    private mutating func readBytes(_ words: UnsafeMutableBufferPointer<UInt16>) -> Bool {
        guard bytes.count - offset >= header.bytesPerRow else { return false }
        let (isWide, channels) = (header.isWide, header.channels)
        var next = offset
        for x in 0..<header.size.width {
            store(at: x, in: words, channels) {
                let sample = isWide ? Int(bytes[next]) << 8 | Int(bytes[next + 1]) : Int(bytes[next])
                next += isWide ? 2 : 1
                // A sample above the maximum is white, as in Pillow and ImageMagick.
                return codes[min(sample, header.maximum)]
            }
        }
        offset = next
        return true
    }

    private mutating func readText(
        _ words: UnsafeMutableBufferPointer<UInt16>, isBitmap: Bool
    ) throws(TintypeError) -> Bool {
        var samples = [UInt16](repeating: 0, count: header.size.width * header.channels.rawValue)
        for index in samples.indices {
            guard let sample = try readNumber(isDigit: isBitmap) else { return false }
            samples[index] = isBitmap ? (sample == 1 ? 0 : 65_535) : codes[min(sample, header.maximum)]
        }
        var next = 0
        for x in 0..<header.size.width {
            store(at: x, in: words, header.channels) {
                next += 1
                return samples[next - 1]
            }
        }
        return true
    }

    /// Reads a number after white space and comments, or one digit.
    ///
    /// - Returns: `nil` at the end of the file.
    private mutating func readNumber(isDigit: Bool) throws(TintypeError) -> Int? {
        while offset < bytes.count {
            if bytes[offset] == UInt8(ascii: "#") {
                while offset < bytes.count, bytes[offset] != 0x0A { offset += 1 }
            } else if PNMHeaderReader.isSpace(bytes[offset]) {
                offset += 1
            } else {
                break
            }
        }
        guard offset < bytes.count else { return nil }
        guard var value = PNMHeaderReader.digit(bytes[offset]), !isDigit || value < 2 else {
            throw TintypeError(.undecodable, stage: .decode, "the PNM is damaged: a sample is no number")
        }
        offset += 1
        while !isDigit, offset < bytes.count, let digit = PNMHeaderReader.digit(bytes[offset]) {
            value = min(value * 10 + digit, 65_536)
            offset += 1
        }
        return value
    }

    // MARK: Pixels

    private static func store(grey: UInt16, at x: Int, in words: UnsafeMutableBufferPointer<UInt16>) {
        for channel in 0..<3 { words[4 * x + channel] = grey }
        words[4 * x + 3] = 65_535
    }

    @inline(__always)
    private func store(
        at x: Int, in words: UnsafeMutableBufferPointer<UInt16>, _ channels: PNMHeader.Channels, _ next: () -> UInt16
    ) {
        if channels.isGrey {
            Self.store(grey: next(), at: x, in: words)
        } else {
            for channel in 0..<3 { words[4 * x + channel] = next() }
            words[4 * x + 3] = 65_535
        }
        if channels.hasAlpha { words[4 * x + 3] = next() }
    }
}
