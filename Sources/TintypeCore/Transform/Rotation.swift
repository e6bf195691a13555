import Foundation

/// Where the pixels of a turned picture come from.
struct Rotation {
    /// The size of the turned picture.
    let size: PixelSize
    /// From one pixel to the next, in pixels of the source with 16 bits of fraction.
    let step: SIMD2<Int64>
    private let source: PixelSize
    private let cosine: Double
    private let sine: Double

    /// - Parameter degrees: finite.
    init(degrees: Double, of source: PixelSize, isFitting: Bool) {
        self.source = source
        cosine = cos(degrees * .pi / 180)
        sine = sin(degrees * .pi / 180)
        step = SIMD2(Self.fixed(cosine), Self.fixed(sine))
        let (width, height) = (Double(source.width), Double(source.height))
        // A corner that reaches into a pixel by less than can be seen claims none.
        func side(_ length: Double) -> Int { max(1, Int((length - 1e-6).rounded(.up))) }
        size =
            isFitting
            ? PixelSize(
                width: side(width * abs(cosine) + height * abs(sine)),
                height: side(width * abs(sine) + height * abs(cosine))) : source
    }

    /// The place in the source of the first pixel of a row, with 16 bits of fraction; (0, 0) is the middle of a pixel.
    func source(ofRow y: Int) -> SIMD2<Int64> {
        let across = 0.5 - Double(size.width) / 2
        let down = Double(y) + 0.5 - Double(size.height) / 2
        // The way back: clockwise, in coordinates that grow downwards.
        return SIMD2(
            Self.fixed(across * cosine - down * sine + Double(source.width) / 2 - 0.5),
            Self.fixed(across * sine + down * cosine + Double(source.height) / 2 - 0.5))
    }

    private static func fixed(_ value: Double) -> Int64 { Int64((value * 65536).rounded()) }
}
