import TintypeCore

/// The part of a frame that a GIF stores.
struct GIFFramePatch {
    /// Opaque pixels, and zero where nothing is painted.
    let pixels: PixelBuffer
    /// The position of the pixels on the canvas.
    let rect: PixelRect
    /// Whether the rectangle is cleared before the next frame, so that pixels become transparent again.
    let isCleared: Bool
}

extension AnimatedImage {
    /// Calls `body` with the patch of each frame, in order. Requests each frame once and holds three.
    ///
    /// - Throws: Any error of a frame or of `body`; `TintypeError.Code.outOfMemory`.
    func forEachPatch(
        _ body: (_ index: Int, _ patch: GIFFramePatch) throws(TintypeError) -> Void
    ) throws(TintypeError) {
        var canvas = try PixelBuffer.makeRows(size) { _, row in row.update(repeating: 0) }
        var image = try frame(at: 0).withBinaryAlpha()
        for index in 0..<frameCount {
            let next = index + 1 < frameCount ? try frame(at: index + 1).withBinaryAlpha() : image
            let patch = try GIFFramePatch(image, over: canvas, before: next, isFirst: index == 0)
            try body(index, patch)
            canvas = patch.isCleared ? try image.cleared(patch.rect) : image
            image = next
        }
    }
}

extension GIFFramePatch {
    /// Finds the part of a frame that has to be stored.
    ///
    /// - Parameters:
    ///   - canvas: The pixels that are shown before the frame.
    ///   - next: The frame after this one. Its transparent pixels have to be cleared.
    ///   - isFirst: Whether to store the whole frame, for programs that show only the first one.
    fileprivate init(
        _ image: PixelBuffer, over canvas: PixelBuffer, before next: PixelBuffer, isFirst: Bool
    ) throws(TintypeError) {
        let whole = PixelRect(x: 0, y: 0, size: image.size)
        let vanishing = next.vanishingRect(from: image)
        let changed = isFirst ? whole : image.changedRect(from: canvas)
        // A frame has at least one pixel.
        let minimum = PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1))
        rect = [changed, vanishing].compactMap { $0 }.reduce(nil) { $0?.union($1) ?? $1 } ?? minimum
        isCleared = vanishing != nil
        pixels = try image.difference(from: canvas, in: rect)
    }
}

extension PixelRect {
    /// Returns the smallest rectangle that contains both.
    func union(_ other: PixelRect) -> PixelRect {
        let (left, top) = (min(x, other.x), min(y, other.y))
        let right = max(x + size.width, other.x + other.size.width)
        let bottom = max(y + size.height, other.y + other.size.height)
        return PixelRect(x: left, y: top, size: PixelSize(width: right - left, height: bottom - top))
    }
}

extension PixelBuffer {
    /// Returns the bounds of the pixels that are transparent here but not in `former`; `nil` if there are none.
    fileprivate func vanishingRect(from former: PixelBuffer) -> PixelRect? {
        var (left, right, top, bottom) = (Int.max, -1, -1, -1)
        for y in 0..<size.height {
            withWords(y) { row in
                former.withWords(y) { old in
                    for x in row.indices where row[x] == 0 && old[x] != 0 {
                        (left, right, bottom) = (min(left, x), max(right, x), y)
                        if top < 0 { top = y }
                    }
                }
            }
        }
        guard top >= 0 else { return nil }
        return PixelRect(x: left, y: top, size: PixelSize(width: right - left + 1, height: bottom - top + 1))
    }

    /// Returns the pixels of a rectangle that differ from `former`, and zero for the others.
    fileprivate func difference(
        from former: PixelBuffer, in rect: PixelRect
    ) throws(TintypeError) -> PixelBuffer {
        try .makeRows(rect.size) { y, target in
            withWords(rect.y + y) { row in
                former.withWords(rect.y + y) { old in
                    for x in target.indices {
                        let word = row[rect.x + x]
                        target[x] = word == old[rect.x + x] ? 0 : word
                    }
                }
            }
        }
    }

    /// Returns a copy in which a rectangle is transparent.
    fileprivate func cleared(_ rect: PixelRect) throws(TintypeError) -> PixelBuffer {
        let (rows, columns) = (rect.y..<rect.y + rect.size.height, rect.x..<rect.x + rect.size.width)
        return try .makeRows(size) { y, target in
            withWords(y) { row in
                _ = target.update(from: row)
                if rows.contains(y) { target[columns].update(repeating: 0) }
            }
        }
    }
}
