import Foundation

/// Builds TIFFs of 4 × 32 pixels without compression, in two strips or tiles of 16 rows. The directory comes first.
struct PlainTIFF {
    /// The meaning of the samples: 2 for RGB, 5 for CMYK, 8 for CIELab.
    var photometric = 2
    var samplesPerPixel = 3
    /// 8, 16 or 32.
    var bits = 16
    var isFloat = false
    /// Whether samples are signed numbers, of which the smallest is 0.
    var isSigned = false
    /// The meaning of the last sample: 0 for none, 1 for associated alpha, 2 for straight alpha; `nil` to say nothing.
    var extraSample: Int?
    /// How the colour differences of YCbCr are subsampled across and down; `nil` to say nothing.
    var subsampling: (across: Int, down: Int)?
    /// Whether tiles of 16 × 16 pixels take the place of strips.
    var isTiled = false
    /// Further fields, which are not in the entry itself: tag, type, number of values, and their bytes.
    var fields: [(tag: Int, type: Int, count: Int, bytes: Data)] = []

    /// Returns the file.
    ///
    /// - Parameter sample: The value of a sample of a pixel, from 0 to 1.
    func bytes(_ sample: (_ pixel: Int, _ channel: Int) -> Double) -> Data {
        let entryCount =
            (isTiled ? 11 : 10) + (extraSample == nil ? 0 : 1) + (subsampling == nil ? 0 : 1) + fields.count
        let (directory, columns) = (2 + 12 * entryCount + 4, isTiled ? 16 : 4)
        let strip = columns * 16 * samplesPerPixel * bits / 8
        let arrays = 8 + directory
        // Eight numbers each for the bits and the kinds of samples, and the two pieces. Two numbers fit into an entry.
        let pixels = arrays + 2 * 16 + 16
        let list = { (number: Int, offset: Int) in
            samplesPerPixel == 1 ? number : samplesPerPixel == 2 ? number | number << 16 : offset
        }
        // Tag, type (3: two bytes, 4: four), number of values, value or offset.
        let format = isFloat ? 3 : isSigned ? 2 : 1
        var entries =
            [
                (256, 3, 1, 4), (257, 3, 1, 32), (258, 3, samplesPerPixel, list(bits, arrays)),
                (259, 3, 1, 1),
                (262, 3, 1, photometric), (isTiled ? 324 : 273, 4, 2, arrays + 32), (277, 3, 1, samplesPerPixel),
                (isTiled ? 323 : 278, 3, 1, 16), (isTiled ? 325 : 279, 4, 2, arrays + 40),
            ] + (isTiled ? [(322, 3, 1, columns)] : []) + (extraSample.map { [(338, 3, 1, $0)] } ?? []) + [
                (339, 3, samplesPerPixel, list(format, arrays + 16))
            ]
        if let subsampling { entries.append((530, 3, 2, subsampling.across | subsampling.down << 16)) }
        var end = pixels + 2 * strip
        for field in fields {
            entries.append((field.tag, field.type, field.count, end))
            end += field.bytes.count
        }
        entries.sort { $0.0 < $1.0 }
        var data = Data("II*\0".utf8) + Self.number(8, 4) + Self.number(entries.count, 2)
        for (tag, type, count, value) in entries {
            data += Self.number(tag, 2) + Self.number(type, 2) + Self.number(count, 4) + Self.number(value, 4)
        }
        data += Data(count: 4)
        for value in [bits, format] { for _ in 0..<8 { data += Self.number(value, 2) } }
        for value in [pixels, pixels + strip, strip, strip] { data += Self.number(value, 4) }
        for (y, x) in (0..<32).flatMap({ y in (0..<columns).map { (y, $0) } }) {
            for channel in 0..<samplesPerPixel { data += encoded(x < 4 ? sample(4 * y + x, channel) : 0) }
        }
        return fields.reduce(data) { $0 + $1.bytes }
    }

    private func encoded(_ value: Double) -> Data {
        if isFloat { return Self.number(Int(Float(value).bitPattern), 4) }
        let number = Int((value * Double((1 << bits) - 1)).rounded())
        return Self.number(isSigned ? number ^ 1 << (bits - 1) : number, bits / 8)
    }

    static func number(_ number: Int, _ size: Int) -> Data {
        Data((0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }
}
