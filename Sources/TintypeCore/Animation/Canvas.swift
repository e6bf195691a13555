import CTintypeKernels

/// The picture that the frames of an animation are painted on: the one compositor of all formats.
///
/// A value without any other state, so the canvas after a frame depends only on the canvas before it, the frame's pixels,
/// its rectangle, blend and disposal. Each step touches the frame's rectangle alone.
struct Canvas: ~Copyable {
    private var pixels: PixelWriter

    /// A transparent canvas.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    init(size: PixelSize) throws(TintypeError) {
        pixels = try PixelWriter(size: size)
        pixels.clear()
    }

    /// Paints the pixels of a frame into its rectangle.
    mutating func paint(_ frame: AnimationFrame, _ painted: PixelBuffer) {
        let (rect, offset) = seen(frame.rect, of: painted.size)
        guard rect.size.isPositive else { return }
        let stride = pixels.bytesPerRow
        painted.withUnsafeBytes { source in
            pixels.withRows(from: rect.y) { rows in
                guard let from = source.bindMemory(to: UInt8.self).baseAddress,
                    let to = rows.bindMemory(to: UInt8.self).baseAddress
                else { return }
                let kernels = tintype_kernels_current()
                let first = from + offset.y * painted.bytesPerRow + offset.x * PixelBuffer.bytesPerPixel
                let target = to + rect.x * PixelBuffer.bytesPerPixel
                if frame.blend == .over && frame.hasAlpha {
                    kernels.pointee.blend(
                        first, painted.bytesPerRow, target, stride, rect.size.width, rect.size.height,
                        Int32(BlendMode.normal.rawValue))
                } else {
                    kernels.pointee.copy(
                        first, painted.bytesPerRow, target, stride, rect.size.width, rect.size.height)
                }
            }
        }
    }

    /// Does to the rectangle of a painted frame what its disposal says, except to undo it: see ``ReplayPlan``.
    mutating func dispose(of frame: AnimationFrame) {
        guard frame.disposal == .background else { return }
        let rect = seen(frame.rect, of: frame.rect.size).rect
        guard rect.size.isPositive else { return }
        let stride = pixels.bytesPerRow
        pixels.withRows(from: rect.y) { rows in
            for y in 0..<rect.size.height {
                let start = y * stride + rect.x * PixelBuffer.bytesPerPixel
                let row = rows[start..<start + rect.size.width * PixelBuffer.bytesPerPixel]
                UnsafeMutableRawBufferPointer(rebasing: row).initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
    }

    mutating func clear() {
        pixels.clear()
    }

    /// What it shows now.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    mutating func picture() throws(TintypeError) -> PixelBuffer {
        try copy().finished()
    }

    /// - Throws: ``TintypeError/Code/outOfMemory``.
    mutating func copy() throws(TintypeError) -> Canvas {
        var copy = try PixelWriter(size: pixels.size)
        pixels.withRows { from in copy.withRows { to in to.copyMemory(from: UnsafeRawBufferPointer(from)) } }
        return Canvas(pixels: copy)
    }

    /// The picture, when nothing more is to be painted.
    consuming func finished() -> PixelBuffer {
        pixels.finish()
    }

    private init(pixels: consuming PixelWriter) {
        self.pixels = pixels
    }

    /// The part of a rectangle that lies on the canvas, and where in the frame's pixels it begins.
    private func seen(_ rect: PixelRect, of size: PixelSize) -> (rect: PixelRect, offset: (x: Int, y: Int)) {
        let (left, top) = (max(0, rect.x), max(0, rect.y))
        let right = min(pixels.size.width, rect.x + min(size.width, rect.size.width))
        let bottom = min(pixels.size.height, rect.y + min(size.height, rect.size.height))
        let shown = PixelRect(x: left, y: top, size: PixelSize(width: right - left, height: bottom - top))
        return (shown, (left - rect.x, top - rect.y))
    }
}
