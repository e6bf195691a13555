package import Foundation

/// Makes icons (ICO) for tests of files with several images.
package enum IconFile {
    /// Returns an icon of two PNGs, with sides of 32 and 64 pixels. Only the larger one is damaged.
    ///
    /// - Parameter png: Returns an intact PNG with sides of this many pixels.
    /// - Throws: The errors of `png`.
    package static func withADamagedImage(_ png: (_ side: Int) throws -> Data) rethrows -> Data {
        let sides = [32, 64]
        var images = try sides.map(png)
        images[1][images[1].count / 2] ^= 0xFF
        var icon = Data([0, 0, 1, 0, UInt8(sides.count), 0])
        var offset = 6 + 16 * sides.count
        for (side, image) in zip(sides, images) {
            icon += Data([UInt8(side), UInt8(side), 0, 0, 1, 0, 32, 0])
            for number in [UInt32(image.count), UInt32(offset)] {
                icon += withUnsafeBytes(of: number.littleEndian) { Data($0) }
            }
            offset += image.count
        }
        return images.reduce(icon, +)
    }
}
