import CTintypeKernels
import Foundation

/// Turns a picture counter-clockwise. Quarter turns lose nothing; others mix neighbours linearly.
public struct RotateTransformer: ImageTransformer {
    public var degrees: Double
    /// Whether the picture grows so that all of it stays; otherwise it keeps its size, and what leaves it is cut off.
    public var isFitting: Bool

    public init(degrees: Double, isFitting: Bool = true) {
        self.degrees = degrees
        self.isFitting = isFitting
    }

    public var identifier: String {
        "rotate(\(normalizedDegrees.canonical)\(isFitting ? "" : ",keep"))"
    }

    /// Without whole turns: from -180, which is left out, to 180.
    private var normalizedDegrees: Double {
        let remainder = degrees.isFinite ? degrees.remainder(dividingBy: 360) : degrees
        return remainder == -180 ? 180 : remainder
    }

    /// What the turned picture does not cover is transparent.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` for an angle that is no number,
    ///   ``TintypeError/Code/limitExceeded``, ``TintypeError/Code/outOfMemory``.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let angle = try normalizedDegrees.checkedForTransform("angle")
        if let orientation = exactOrientation(for: angle, of: pixels.size) { return try pixels.oriented(orientation) }
        let rotation = Rotation(degrees: angle, of: pixels.size, isFitting: isFitting)
        _ = try rotation.size.checkedForTransform()
        return try pixels.copied(to: rotation.size) { source, target, stride throws(TintypeError) in
            try Strips(of: rotation.size.height, bytesPerRow: stride).forEach { rows in
                for y in rows {
                    let start = rotation.source(ofRow: y)
                    tintype_kernels_current().pointee.sample(
                        source, pixels.bytesPerRow, pixels.size.width, pixels.size.height, target + y * stride,
                        rotation.size.width, start.x, start.y, rotation.step.x, rotation.step.y)
                }
            }
        }
    }

    /// The orientation that does the same, where one does: a picture that keeps its size is turned by a quarter only
    /// if it is square.
    private func exactOrientation(for angle: Double, of size: PixelSize) -> Orientation? {
        switch angle {
        case 0: .up
        case 180: .down
        case 90 where isFitting || size.width == size.height: .left
        case -90 where isFitting || size.width == size.height: .right
        default: nil
        }
    }
}

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
        let centeredX = 0.5 - Double(size.width) / 2
        let centeredY = Double(y) + 0.5 - Double(size.height) / 2
        // The way back: clockwise, in coordinates that grow downwards.
        return SIMD2(
            Self.fixed(centeredX * cosine - centeredY * sine + Double(source.width) / 2 - 0.5),
            Self.fixed(centeredX * sine + centeredY * cosine + Double(source.height) / 2 - 0.5))
    }

    private static func fixed(_ value: Double) -> Int64 { Int64((value * 65536).rounded()) }
}

/// Mirrors a picture.
public struct FlipTransformer: ImageTransformer, Hashable {
    /// Left becomes right.
    public var isHorizontal: Bool
    /// Top becomes bottom.
    public var isVertical: Bool

    public init(horizontal: Bool = false, vertical: Bool = false) {
        isHorizontal = horizontal
        isVertical = vertical
    }

    public var identifier: String {
        "flip(\(isHorizontal ? "h" : "")\(isVertical ? "v" : ""))"
    }

    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        try pixels.oriented(orientation)
    }

    /// This and another after it.
    func then(_ other: FlipTransformer) -> FlipTransformer {
        FlipTransformer(
            horizontal: isHorizontal != other.isHorizontal, vertical: isVertical != other.isVertical)
    }

    /// The same as an orientation that a picture may be stored with.
    var orientation: Orientation {
        switch (isHorizontal, isVertical) {
        case (false, false): .up
        case (true, false): .upMirrored
        case (true, true): .down
        case (false, true): .downMirrored
        }
    }
}
