import CTintypeKernels
import Foundation

/// Rotates an image counter-clockwise. Quarter turns are lossless; other angles interpolate linearly.
public struct RotateTransformer: BuiltInTransformer {
    /// The angle in degrees, counter-clockwise.
    package var degrees: Double
    /// Whether the canvas grows to hold the whole rotated image. Otherwise the size stays and the corners are cut off.
    package var isFitting: Bool

    /// Creates a transformer that rotates by `degrees`, counter-clockwise.
    public init(degrees: Double, isFitting: Bool = true) {
        self.degrees = degrees
        self.isFitting = isFitting
    }

    /// The kind of the transformer, the angle without full turns, and whether the size is kept.
    package var name: String {
        "rotate(\(normalizedDegrees.canonical)\(isFitting ? "" : ",keep"))"
    }

    /// The angle without full turns: greater than -180, at most 180.
    var normalizedDegrees: Double {
        let remainder = degrees.isFinite ? degrees.remainder(dividingBy: 360) : degrees
        return remainder == -180 ? 180 : remainder
    }

    /// Returns `true`.
    package var appliesToPreviews: Bool { true }

    /// Returns the rotated image. Pixels that it does not cover are transparent.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if the angle is not finite, ``TintypeError/Code/limitExceeded``,
    ///   ``TintypeError/Code/outOfMemory``.
    package func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let angle = try normalizedDegrees.checkedForTransform("angle")
        if let orientation = exactOrientation(for: angle, of: pixels.size) { return try pixels.oriented(orientation) }
        let rotation = Rotation(degrees: angle, of: pixels.size, isFitting: isFitting)
        _ = try rotation.size.checkedForTransform()
        return try pixels.copied(to: rotation.size) { source, target, stride throws(TintypeError) in
            try Strips(of: rotation.size.height, bytesPerRow: stride).forEachAtOnce { rows in
                for y in rows {
                    let start = rotation.source(ofRow: y)
                    tintype_kernels_current().pointee.sample(
                        source, pixels.bytesPerRow, pixels.size.width, pixels.size.height, target + y * stride,
                        rotation.size.width, start.x, start.y, rotation.step.x, rotation.step.y)
                }
            }
        }
    }

    /// Returns the lossless orientation for an angle, if there is one. A quarter turn that keeps the size is lossless
    /// only for a square image.
    func exactOrientation(for angle: Double, of size: PixelSize) -> Orientation? {
        switch angle {
        case 0: .up
        case 180: .down
        case 90 where isFitting || size.width == size.height: .left
        case -90 where isFitting || size.width == size.height: .right
        default: nil
        }
    }
}

/// The mapping from pixels of a rotated image to positions in the source.
struct Rotation {
    /// The size of the rotated image in pixels.
    let size: PixelSize
    /// The source offset from one output pixel to the next, in pixels with 16 fractional bits.
    let step: SIMD2<Int64>
    private let source: PixelSize
    private let cosine: Double
    private let sine: Double

    /// Creates the mapping for a finite angle, counter-clockwise.
    init(degrees: Double, of source: PixelSize, isFitting: Bool) {
        self.source = source
        cosine = cos(degrees * .pi / 180)
        sine = sin(degrees * .pi / 180)
        step = SIMD2(Self.fixed(cosine), Self.fixed(sine))
        let (width, height) = (Double(source.width), Double(source.height))
        // A corner that reaches less than 1e-6 into a pixel does not add that pixel.
        func side(_ length: Double) -> Int { max(1, Int((length - 1e-6).rounded(.up))) }
        size =
            isFitting
            ? PixelSize(
                width: side(width * abs(cosine) + height * abs(sine)),
                height: side(width * abs(sine) + height * abs(cosine))) : source
    }

    /// Returns the source position of the first pixel of row `y`, with 16 fractional bits. (0, 0) is the centre of a
    /// pixel.
    func source(ofRow y: Int) -> SIMD2<Int64> {
        let centeredX = 0.5 - Double(size.width) / 2
        let centeredY = Double(y) + 0.5 - Double(size.height) / 2
        // The inverse rotation: clockwise, in coordinates whose y axis points down.
        return SIMD2(
            Self.fixed(centeredX * cosine - centeredY * sine + Double(source.width) / 2 - 0.5),
            Self.fixed(centeredX * sine + centeredY * cosine + Double(source.height) / 2 - 0.5))
    }

    private static func fixed(_ value: Double) -> Int64 { Int64((value * 65536).rounded()) }
}

/// Mirrors an image.
public struct FlipTransformer: BuiltInTransformer, Hashable {
    /// Whether left and right are swapped.
    package var isHorizontal: Bool
    /// Whether top and bottom are swapped.
    package var isVertical: Bool

    /// Creates a transformer that mirrors along one or both axes.
    public init(horizontal: Bool = false, vertical: Bool = false) {
        isHorizontal = horizontal
        isVertical = vertical
    }

    /// The kind of the transformer and the axes.
    package var name: String {
        "flip(\(isHorizontal ? "h" : "")\(isVertical ? "v" : ""))"
    }

    /// Returns `true`.
    package var appliesToPreviews: Bool { true }

    /// Returns the mirrored image.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    package func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        try pixels.oriented(orientation)
    }

    /// Returns the flip that applies this one, then `other`.
    func then(_ other: FlipTransformer) -> FlipTransformer {
        FlipTransformer(
            horizontal: isHorizontal != other.isHorizontal, vertical: isVertical != other.isVertical)
    }

    /// The Exif orientation that has the same effect.
    var orientation: Orientation {
        switch (isHorizontal, isVertical) {
        case (false, false): .up
        case (true, false): .upMirrored
        case (true, true): .down
        case (false, true): .downMirrored
        }
    }
}
