import CTintypeKernels

/// Draws another image onto an image: a watermark, a badge, a frame.
public struct OverlayTransformer: PixelwiseTransformer {
    /// The image that is drawn.
    package let overlay: PixelBuffer
    /// The side or corner at which the overlay is placed.
    package var gravity: Gravity
    /// The distance in pixels from the side or corner that ``gravity`` names, inwards. On a centred axis it
    /// counts to the right or down.
    package var inset: PixelSize
    /// How the overlay is blended.
    package var mode: BlendMode
    /// The opacity of the overlay, 0 to 1. Values outside are clamped.
    package var opacity: Double
    /// The digest of the overlay's pixels, computed once.
    private let digest: String

    /// Creates a transformer that draws `overlay` at a side or corner.
    ///
    /// Computes a digest of the overlay's pixels, so the cost is O(pixels).
    public init(
        _ overlay: PixelBuffer, gravity: Gravity = .bottomRight, inset: PixelSize = PixelSize(width: 0, height: 0),
        mode: BlendMode = .normal, opacity: Double = 1
    ) {
        self.overlay = overlay
        self.gravity = gravity
        self.inset = inset
        self.mode = mode
        self.opacity = opacity
        digest = PixelDigest(overlay).description
    }

    /// The kind of the transformer and its parameters; the overlay is identified by a digest of its pixels.
    package var name: String {
        let opacity = opacity.isFinite ? min(max(opacity, 0), 1) : opacity
        return "overlay(\(overlay.size),\(digest),\(gravity.rawValue),\(inset),\(mode.name),\(opacity.canonical))"
    }

    func operation(for size: PixelSize) throws(TintypeError) -> PixelOperation? {
        let opacity = try opacity.checkedForTransform("opacity")
        guard let visible = overlayRect(in: size).clipped(to: size) else { return nil }
        let source = opacity < 1 ? try fadedOverlay(opacity: max(0, opacity)) : overlay
        let origin = overlayRect(in: size)
        let mode = Int32(mode.rawValue)
        return PixelOperation { strip in
            let top = max(visible.y, strip.firstRow)
            let bottom = min(visible.y + visible.size.height, strip.firstRow + strip.size.height)
            guard top < bottom else { return }
            source.withUnsafeBytes { bytes in
                guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
                let from = (top - origin.y) * source.bytesPerRow + (visible.x - origin.x) * PixelBuffer.bytesPerPixel
                let to = (top - strip.firstRow) * strip.stride + visible.x * PixelBuffer.bytesPerPixel
                tintype_kernels_current().pointee.blend(
                    base + from, source.bytesPerRow, strip.pixels + to, strip.stride, visible.size.width, bottom - top,
                    mode)
            }
        }
    }

    /// Returns the rectangle of the overlay in an image of `size`. It may reach beyond the image.
    func overlayRect(in size: PixelSize) -> PixelRect {
        var rect = gravity.rect(overlay.size, in: size)
        let (x, y) = (Self.clampedInset(inset.width), Self.clampedInset(inset.height))
        rect.x += [.right, .topRight, .bottomRight].contains(gravity) ? -x : x
        rect.y += [.bottom, .bottomLeft, .bottomRight].contains(gravity) ? -y : y
        return rect
    }

    /// Clamps an inset to a range that exceeds any image but cannot overflow in sums.
    private static func clampedInset(_ inset: Int) -> Int { min(max(inset, -(1 << 40)), 1 << 40) }

    /// Returns the overlay with its alpha multiplied by `opacity`, 0 to 1.
    private func fadedOverlay(opacity: Double) throws(TintypeError) -> PixelBuffer {
        let coverage = [UInt8](repeating: UInt8((opacity * 255).rounded()), count: overlay.size.width)
        return try overlay.applying([
            PixelOperation { strip in
                for y in 0..<strip.size.height {
                    tintype_kernels_current().pointee.cover(
                        strip.pixels + y * strip.stride, coverage, strip.size.width)
                }
            }
        ])
    }
}

/// A 128-bit digest of an image's pixels. Not collision-resistant against an attacker.
struct PixelDigest: Hashable, CustomStringConvertible {
    private var first: UInt64 = 0xCBF2_9CE4_8422_2325
    private var second: UInt64 = 0x9E37_79B9_7F4A_7C15

    init(_ pixels: PixelBuffer) {
        for y in 0..<pixels.size.height {
            pixels.withUnsafeRow(y) { row in
                for offset in stride(from: 0, to: row.count, by: 4) {
                    add(UInt64(row.loadUnaligned(fromByteOffset: offset, as: UInt32.self).littleEndian))
                }
            }
        }
        add(UInt64(pixels.size.width))
    }

    /// Mixes a word in: two multiplications by different odd numbers, each folded so that high bits affect low ones.
    private mutating func add(_ word: UInt64) {
        first = (first ^ word) &* 0x0000_0100_0000_01B3
        first ^= first >> 29
        second = (second &+ word) &* 0xD6E8_FEB8_6659_FD93
        second ^= second >> 32
    }

    var description: String { String(first, radix: 36) + "-" + String(second, radix: 36) }
}
