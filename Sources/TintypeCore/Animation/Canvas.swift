import CTintypeKernels

/// The picture that the frames of an animation are pixels on: the one compositor of all formats.
///
/// A value without any other state, so the canvas after a frame depends only on the canvas before it, the frame's pixels,
/// its rectangle, blend and disposal. Each step touches the frame's rectangle alone.
///
/// What it shows is given away without a copy, and copied when it is pixels on again: so a frame that hides all that was
/// there costs nothing but its decoding.
struct Canvas: ~Copyable {
    let size: PixelSize
    /// What is pixels on; `nil` when no one has pixels since ``lastSnapshot`` was given away.
    private var activeWriter: PixelWriter?
    /// What it shows while there are no ``pixels``; `nil` when that is nothing.
    private var lastSnapshot: PixelBuffer?

    /// A transparent canvas. Memory is claimed when something is pixels.
    init(size: PixelSize) {
        self.init(size: size, lastSnapshot: nil)
    }

    private init(size: PixelSize, lastSnapshot: PixelBuffer?) {
        self.size = size
        self.lastSnapshot = lastSnapshot
        activeWriter = nil
    }

    /// Paints the pixels of a frame into its rectangle.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    mutating func paint(_ frame: AnimationFrame, _ pixels: PixelBuffer) throws(TintypeError) {
        if frame.hides(size) && frame.rect == PixelRect(x: 0, y: 0, size: pixels.size) && pixels.size == size {
            clear()
            return lastSnapshot = pixels
        }
        let (rect, offset) = visiblePart(of: frame.rect, size: pixels.size)
        guard rect.size.isPositive else { return }
        try withRows(from: rect.y) { rows, stride in
            pixels.withUnsafeBytes { source in
                guard let from = source.bindMemory(to: UInt8.self).baseAddress,
                    let to = rows.bindMemory(to: UInt8.self).baseAddress
                else { return }
                let kernels = tintype_kernels_current()
                let first = from + offset.y * pixels.bytesPerRow + offset.x * PixelBuffer.bytesPerPixel
                let target = to + rect.x * PixelBuffer.bytesPerPixel
                if frame.blend == .over && frame.hasAlpha {
                    kernels.pointee.blend(
                        first, pixels.bytesPerRow, target, stride, rect.size.width, rect.size.height,
                        Int32(BlendMode.normal.rawValue))
                } else {
                    kernels.pointee.copy(
                        first, pixels.bytesPerRow, target, stride, rect.size.width, rect.size.height)
                }
            }
        }
    }

    /// Does to the rectangle of a pixels frame what its disposal says, except to undo it: see ``ReplayPlan``.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    mutating func dispose(of frame: AnimationFrame) throws(TintypeError) {
        guard frame.disposal == .background else { return }
        if frame.covers(size) { return clear() }
        let rect = visiblePart(of: frame.rect, size: frame.rect.size).rect
        guard rect.size.isPositive else { return }
        try withRows(from: rect.y) { rows, stride in
            for y in 0..<rect.size.height {
                let start = y * stride + rect.x * PixelBuffer.bytesPerPixel
                let row = rows[start..<start + rect.size.width * PixelBuffer.bytesPerPixel]
                UnsafeMutableRawBufferPointer(rebasing: row).initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
    }

    mutating func clear() {
        activeWriter = nil
        lastSnapshot = nil
    }

    /// What it shows now.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    mutating func snapshot() throws(TintypeError) -> PixelBuffer {
        if let lastSnapshot { return lastSnapshot }
        let snapshot = try takeWriter().finish()
        lastSnapshot = snapshot
        return snapshot
    }

    /// Another canvas that shows the same. O(1), until one of both is pixels on.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    mutating func copy() throws(TintypeError) -> Canvas {
        Canvas(size: size, lastSnapshot: try snapshot())
    }

    // MARK: Memory

    /// Writes to the rows from one on.
    private mutating func withRows(
        from first: Int, _ body: (_ rows: UnsafeMutableRawBufferPointer, _ stride: Int) -> Void
    ) throws(TintypeError) {
        var writer = try takeWriter()
        let stride = writer.bytesPerRow
        writer.withRows(from: first) { rows in body(rows, stride) }
        activeWriter = consume writer
        lastSnapshot = nil
    }

    /// Takes what is pixels on, which is writer if it is not there.
    private mutating func takeWriter() throws(TintypeError) -> PixelWriter {
        if let activeWriter = activeWriter.take() { return activeWriter }
        var writer = try PixelWriter(size: size)
        if let lastSnapshot {
            lastSnapshot.withUnsafeBytes { from in writer.withRows { to in to.copyMemory(from: from) } }
        } else {
            writer.clear()
        }
        return writer
    }

    /// The part of a rectangle that lies on the canvas, and where in the frame's pixels it begins.
    private func visiblePart(of rect: PixelRect, size: PixelSize) -> (rect: PixelRect, offset: (x: Int, y: Int)) {
        let (left, top) = (max(0, rect.x), max(0, rect.y))
        let right = min(self.size.width, rect.x + min(size.width, rect.size.width))
        let bottom = min(self.size.height, rect.y + min(size.height, rect.size.height))
        let visible = PixelRect(x: left, y: top, size: PixelSize(width: right - left, height: bottom - top))
        return (visible, (left - rect.x, top - rect.y))
    }
}
