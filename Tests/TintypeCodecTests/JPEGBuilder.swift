import Foundation
import TintypeTesting

/// A JPEG of segments and bits that a test chooses.
struct JPEGBuilder {
    private(set) var data = Data([0xFF, 0xD8])

    /// Begins a file with quantization table 0, DC table 0 with one code, `0` for no bits, and AC table 0 with one
    /// code, `0` for the end of a block.
    static func standard(quantization: Data = segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))) -> JPEGBuilder {
        var builder = JPEGBuilder()
        builder.data += quantization
        builder.addCodes(0x00, [[0]])
        builder.addCodes(0x10, [[0]])
        return builder
    }

    static func segment(_ marker: UInt8, _ parameters: [UInt8]) -> Data {
        Data([0xFF, marker, UInt8((parameters.count + 2) >> 8), UInt8((parameters.count + 2) & 0xFF)] + parameters)
    }

    mutating func add(_ marker: UInt8, _ parameters: [UInt8]) {
        data += Self.segment(marker, parameters)
    }

    /// Adds a Huffman table.
    ///
    /// - Parameters:
    ///   - table: Its number, plus 0x10 for AC.
    ///   - symbols: Those of codes of 1 bit, of 2 bits and so on.
    mutating func addCodes(_ table: UInt8, _ symbols: [[UInt8]]) {
        let counts = (0..<16).map { UInt8($0 < symbols.count ? symbols[$0].count : 0) }
        add(0xC4, [table] + counts + symbols.joined())
    }

    /// Adds the header of a frame whose components have the numbers 1, 2 and so on.
    ///
    /// - Parameter sampling: The sampling factors of each component, 0x11 for one block.
    mutating func addFrame(_ marker: UInt8, width: UInt8 = 16, height: UInt8 = 8, sampling: [UInt8] = [0x11]) {
        let components: [UInt8] = sampling.enumerated().flatMap { [UInt8($0 + 1), $1, 0] }
        add(marker, [8, 0, height, 0, width, UInt8(sampling.count)] + components)
    }

    /// Adds a scan that uses tables 0.
    ///
    /// - Parameters:
    ///   - band: The first and last coefficient.
    ///   - approximation: Ah and Al, four bits each.
    ///   - bits: The codes between restart markers, filled up with ones.
    mutating func addScan(
        of components: [UInt8] = [1], band: ClosedRange<UInt8> = 0...63, approximation: UInt8 = 0, _ bits: String...
    ) {
        let list: [UInt8] = components.flatMap { [$0, 0] }
        add(0xDA, [UInt8(components.count)] + list + [band.lowerBound, band.upperBound, approximation])
        for (number, part) in bits.enumerated() {
            if number > 0 { data += [0xFF, 0xD0 + UInt8((number - 1) % 8)] }
            data += Self.bytes(part)
        }
    }

    /// Adds bytes as they are.
    mutating func add(raw bytes: [UInt8]) { data += bytes }

    private static func bytes(_ bits: String) -> Data {
        let digits = bits.map { UInt8($0 == "1" ? 1 : 0) }
        return stride(from: 0, to: digits.count, by: 8).reduce(into: Data()) { data, start in
            let byte = (start..<start + 8).reduce(UInt8(0)) { $0 << 1 | ($1 < digits.count ? digits[$1] : 1) }
            data += byte == 0xFF ? [byte, 0] : [byte]
        }
    }

    /// The file, with its end marker.
    var file: Data { data + [0xFF, 0xD9] }
}
