import CTintypeKernels

/// The canvas on which the frames of an animation are composed. All formats use it.
///
/// A canvas has no other state: its contents after a frame depend only on its contents before, and on the frame's
/// pixels, rectangle, blend and disposal. Each step touches only the frame's rectangle.
///
/// Snapshots are handed out without a copy; the pixels are copied when the canvas is next painted. A frame that hides
/// everything below it therefore costs nothing but its decoding.
struct Canvas: ~Copyable {
    let size: PixelSize
    /// The pixels being painted; `nil` if nothing was painted since ``lastSnapshot`` was taken.
    private var activeWriter: PixelWriter?
    /// The contents while there is no ``activeWriter``; `nil` if the canvas is clear.
    private var lastSnapshot: PixelBuffer?

    /// Creates a transparent canvas. Memory is allocated by the first paint.
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

    /// Applies the disposal of a painted frame. ``AnimationFrame/Disposal/previous`` has no effect here: see
    /// ``ReplayPlan``.
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

    /// Makes the canvas transparent and releases its memory.
    mutating func clear() {
        activeWriter = nil
        lastSnapshot = nil
    }

    /// Returns the current contents.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    mutating func snapshot() throws(TintypeError) -> PixelBuffer {
        if let lastSnapshot { return lastSnapshot }
        let snapshot = try takeWriter().finish()
        lastSnapshot = snapshot
        return snapshot
    }

    /// Returns a canvas with the same contents. O(1) until one of the two is painted.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    mutating func copy() throws(TintypeError) -> Canvas {
        Canvas(size: size, lastSnapshot: try snapshot())
    }

    // MARK: Memory

    /// Calls `body` with the writable rows from `first` to the end.
    private mutating func withRows(
        from first: Int, _ body: (_ rows: UnsafeMutableRawBufferPointer, _ stride: Int) -> Void
    ) throws(TintypeError) {
        var writer = try takeWriter()
        let stride = writer.bytesPerRow
        writer.withRows(from: first) { rows in body(rows, stride) }
        activeWriter = consume writer
        lastSnapshot = nil
    }

    /// Takes the active writer, or creates one from the last snapshot.
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

    /// Returns the part of a rectangle that lies on the canvas, and its offset in the frame's pixels.
    private func visiblePart(of rect: PixelRect, size: PixelSize) -> (rect: PixelRect, offset: (x: Int, y: Int)) {
        let (left, top) = (max(0, rect.x), max(0, rect.y))
        let right = min(self.size.width, rect.x + min(size.width, rect.size.width))
        let bottom = min(self.size.height, rect.y + min(size.height, rect.size.height))
        let visible = PixelRect(x: left, y: top, size: PixelSize(width: right - left, height: bottom - top))
        return (visible, (left - rect.x, top - rect.y))
    }
}
