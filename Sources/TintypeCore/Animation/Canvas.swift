import CTintypeKernels

/// The picture that the frames of an animation are painted on: the one compositor of all formats.
///
/// A value without any other state, so the canvas after a frame depends only on the canvas before it, the frame's pixels,
/// its rectangle, blend and disposal. Each step touches the frame's rectangle alone.
///
/// What it shows is given away without a copy, and copied when it is painted on again: so a frame that hides all that was
/// there costs nothing but its decoding.
struct Canvas: ~Copyable {
    let size: PixelSize
    /// What is painted on; `nil` when no one has painted since ``shown`` was given away.
    private var pixels: PixelWriter?
    /// What it shows while there are no ``pixels``; `nil` when that is nothing.
    private var shown: PixelBuffer?

    /// A transparent canvas. Memory is claimed when something is painted.
    init(size: PixelSize) {
        self.init(size: size, shown: nil)
    }

    private init(size: PixelSize, shown: PixelBuffer?) {
        self.size = size
        self.shown = shown
        pixels = nil
    }

    /// Paints the pixels of a frame into its rectangle.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    mutating func paint(_ frame: AnimationFrame, _ painted: PixelBuffer) throws(TintypeError) {
        if frame.hides(size) && frame.rect == PixelRect(x: 0, y: 0, size: painted.size) && painted.size == size {
            clear()
            return shown = painted
        }
        let (rect, offset) = seen(frame.rect, of: painted.size)
        guard rect.size.isPositive else { return }
        try change(from: rect.y) { rows, stride in
            painted.withUnsafeBytes { source in
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
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    mutating func dispose(of frame: AnimationFrame) throws(TintypeError) {
        guard frame.disposal == .background else { return }
        if frame.covers(size) { return clear() }
        let rect = seen(frame.rect, of: frame.rect.size).rect
        guard rect.size.isPositive else { return }
        try change(from: rect.y) { rows, stride in
            for y in 0..<rect.size.height {
                let start = y * stride + rect.x * PixelBuffer.bytesPerPixel
                let row = rows[start..<start + rect.size.width * PixelBuffer.bytesPerPixel]
                UnsafeMutableRawBufferPointer(rebasing: row).initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
    }

    mutating func clear() {
        pixels = nil
        shown = nil
    }

    /// What it shows now.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    mutating func picture() throws(TintypeError) -> PixelBuffer {
        if let shown { return shown }
        let picture = try writer().finish()
        shown = picture
        return picture
    }

    /// Another canvas that shows the same. O(1), until one of both is painted on.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    mutating func copy() throws(TintypeError) -> Canvas {
        Canvas(size: size, shown: try picture())
    }

    // MARK: Memory

    /// Writes to the rows from one on.
    private mutating func change(
        from first: Int, _ body: (_ rows: UnsafeMutableRawBufferPointer, _ stride: Int) -> Void
    ) throws(TintypeError) {
        var changed = try writer()
        let stride = changed.bytesPerRow
        changed.withRows(from: first) { rows in body(rows, stride) }
        pixels = consume changed
        shown = nil
    }

    /// Takes what is painted on, which is made if it is not there.
    private mutating func writer() throws(TintypeError) -> PixelWriter {
        if let pixels = pixels.take() { return pixels }
        var made = try PixelWriter(size: size)
        if let shown {
            shown.withUnsafeBytes { from in made.withRows { to in to.copyMemory(from: from) } }
        } else {
            made.clear()
        }
        return made
    }

    /// The part of a rectangle that lies on the canvas, and where in the frame's pixels it begins.
    private func seen(_ rect: PixelRect, of size: PixelSize) -> (rect: PixelRect, offset: (x: Int, y: Int)) {
        let (left, top) = (max(0, rect.x), max(0, rect.y))
        let right = min(self.size.width, rect.x + min(size.width, rect.size.width))
        let bottom = min(self.size.height, rect.y + min(size.height, rect.size.height))
        let shown = PixelRect(x: left, y: top, size: PixelSize(width: right - left, height: bottom - top))
        return (shown, (left - rect.x, top - rect.y))
    }
}
