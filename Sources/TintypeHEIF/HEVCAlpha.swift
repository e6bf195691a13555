import TintypeCore

/// The alpha of one picture of a sequence: luma, of which the most is opaque (ISO/IEC 23008-12, 7.5.3.2).
struct HEVCAlpha {
    private let width: Int
    /// From 0 to 65535, row by row.
    private let samples: [UInt16]

    /// - Returns: `nil` for a picture without its plane.
    init?(_ picture: HEVCPicture) {
        guard let plane = picture.plane(0) else { return nil }
        width = plane.size.width
        let most = UInt32(1) << UInt32(plane.depth) - 1
        var samples: [UInt16] = []
        samples.reserveCapacity(plane.size.area)
        for y in 0..<plane.size.height {
            for x in 0..<plane.size.width {
                let sample = min(UInt32(plane.sample(x, y, 1, 1)), most)
                samples.append(UInt16((sample * 65535 + most / 2) / most))
            }
        }
        self.samples = samples
    }

    /// Puts a row of it to as many pixels of 16-bit RGBA.
    func write(_ y: Int, _ words: UnsafeMutableBufferPointer<UInt16>) {
        for x in 0..<width { words[4 * x + 3] = samples[y * width + x] }
    }
}
