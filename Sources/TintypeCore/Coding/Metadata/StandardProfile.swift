import Foundation

/// The colour profiles of sRGB (IEC 61966-2-1) and Display P3, built from their definitions (ICC.1:2022).
enum StandardProfile {
    /// The profile of sRGB.
    static let data = make(
        "sRGB",
        red: xyz(0.43607, 0.22249, 0.01392), green: xyz(0.38515, 0.71687, 0.09708), blue: xyz(0.14307, 0.06061, 0.7141))

    /// The profile of Display P3, which differs from sRGB only in its primaries.
    static let displayP3 = make(
        "Display P3",
        red: xyz(0.51512, 0.2412, -0.00105), green: xyz(0.29198, 0.69225, 0.04189), blue: xyz(0.1571, 0.06657, 0.78407))

    private static let headerLength = 128

    /// Creates a display profile with the white point D65 and a parametric curve for the transfer function of sRGB.
    ///
    /// - Parameters:
    ///   - name: The description of the profile.
    ///   - red: The red column of the matrix from linear light to XYZ, adapted to D50 by the Bradford method.
    ///   - green: The green column of the matrix.
    ///   - blue: The blue column of the matrix.
    private static func make(_ name: String, red: Data, green: Data, blue: Data) -> Data {
        let curve = tag("para", [0x0003_0000] + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].map(fixed))
        let tags: [(name: String, body: Data)] = [
            ("desc", text(name)), ("cprt", text("CC0")), ("wtpt", xyz(0.9642, 1, 0.8249)),
            ("rXYZ", red), ("gXYZ", green), ("bXYZ", blue), ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
        ]
        var (directory, bodies) = (Data(), Data())
        directory.append(bigEndian: tags.count, 4)
        var offset = headerLength + 4 + 12 * tags.count
        for (index, entry) in tags.enumerated() {
            // The three curve tags share one body.
            let isShared = index > 0 && tags[index - 1].body == entry.body
            directory += Data(entry.name.utf8)
            directory.append(bigEndian: isShared ? offset - entry.body.count : offset, 4)
            directory.append(bigEndian: entry.body.count, 4)
            guard !isShared else { continue }
            bodies += entry.body
            offset += entry.body.count
        }
        return header(length: headerLength + directory.count + bodies.count) + directory + bodies
    }

    /// Returns the header (7.2): version 4.3, for a display, from RGB to XYZ under D50.
    private static func header(length: Int) -> Data {
        var header = Data()
        header.append(bigEndian: length, 4)
        header += Data(count: 4)
        header.append(bigEndian: 0x0430_0000, 4)
        header += Data("mntrRGB XYZ ".utf8)
        // The creation date.
        for number in [2026, 11, 23, 0, 0, 0] { header.append(bigEndian: number, 2) }
        header += Data("acsp".utf8)
        header += Data(count: 28)
        for number in [0.9642, 1, 0.8249] { header.append(bigEndian: fixed(number), 4) }
        return header + Data(count: headerLength - header.count)
    }

    private static func tag(_ kind: String, _ numbers: [Int]) -> Data {
        var tag = Data(kind.utf8) + Data(count: 4)
        for number in numbers { tag.append(bigEndian: number, 4) }
        return tag
    }

    private static func xyz(_ x: Double, _ y: Double, _ z: Double) -> Data { tag("XYZ ", [x, y, z].map(fixed)) }

    /// Returns a text in one language (10.15), padded to a multiple of four bytes.
    private static func text(_ text: String) -> Data {
        var tag = tag("mluc", [1, 12])
        tag += Data("enUS".utf8)
        let units = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        tag.append(bigEndian: units.count, 4)
        tag.append(bigEndian: 28, 4)
        return tag + Data(units) + Data(count: (4 - units.count % 4) % 4)
    }

    /// Returns a number with 16 fractional bits (s15Fixed16Number).
    private static func fixed(_ number: Double) -> Int { Int((number * 65536).rounded()) }
}
