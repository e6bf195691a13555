import TintypeCore

/// What is stored of a frame.
struct GIFPainting {
    /// Opaque pixels, and zero where nothing is painted.
    let pixels: PixelBuffer
    let rect: PixelRect
    /// Whether its rectangle is cleared before the next one: so pixels become transparent again.
    let isCleared: Bool
}

extension AnimatedImage {
    /// Tells of each frame what has to be painted for it. Asks for each frame once, and keeps three.
    func forEachPainting(
        _ body: (_ index: Int, _ painting: GIFPainting) throws(TintypeError) -> Void
    ) throws(TintypeError) {
        var canvas = try PixelBuffer.painted(size) { _, row in row.update(repeating: 0) }
        var picture = try frame(at: 0).withBinaryAlpha()
        for index in 0..<frameCount {
            let next = index + 1 < frameCount ? try frame(at: index + 1).withBinaryAlpha() : picture
            let painting = try GIFPainting(picture, over: canvas, before: next, isFirst: index == 0)
            try body(index, painting)
            canvas = painting.isCleared ? try picture.cleared(painting.rect) : picture
            picture = next
        }
    }
}

extension GIFPainting {
    /// - Parameters:
    ///   - canvas: what is shown before.
    ///   - next: what is to be shown afterwards: what is transparent in it has to be cleared.
    ///   - isFirst: whether all is painted, for programs that show the first frame alone.
    fileprivate init(
        _ picture: PixelBuffer, over canvas: PixelBuffer, before next: PixelBuffer, isFirst: Bool
    ) throws(TintypeError) {
        let whole = PixelRect(x: 0, y: 0, size: picture.size)
        let vanishing = next.vanishingRect(from: picture)
        let changed = isFirst ? whole : picture.changedRect(from: canvas)
        // A frame has one pixel at least.
        let least = PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1))
        rect = [changed, vanishing].compactMap { $0 }.reduce(nil) { $0?.union($1) ?? $1 } ?? least
        isCleared = vanishing != nil
        pixels = try picture.difference(from: canvas, in: rect)
    }
}

extension PixelRect {
    func union(_ other: PixelRect) -> PixelRect {
        let (left, top) = (min(x, other.x), min(y, other.y))
        let right = max(x + size.width, other.x + other.size.width)
        let bottom = max(y + size.height, other.y + other.size.height)
        return PixelRect(x: left, y: top, size: PixelSize(width: right - left, height: bottom - top))
    }
}

extension PixelBuffer {
    /// Where pixels are transparent that were not; `nil` where there are none.
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

    /// The pixels of a rectangle that are not as they were; zero for the others.
    fileprivate func difference(
        from former: PixelBuffer, in rect: PixelRect
    ) throws(TintypeError) -> PixelBuffer {
        try .painted(rect.size) { y, target in
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

    fileprivate func cleared(_ rect: PixelRect) throws(TintypeError) -> PixelBuffer {
        let (rows, columns) = (rect.y..<rect.y + rect.size.height, rect.x..<rect.x + rect.size.width)
        return try .painted(size) { y, target in
            withWords(y) { row in
                _ = target.update(from: row)
                if rows.contains(y) { target[columns].update(repeating: 0) }
            }
        }
    }
}

extension PixelBuffer {
    /// The picture as a GIF can have it: straight colours that are opaque, or all zero.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    func withBinaryAlpha() throws(TintypeError) -> PixelBuffer {
        if isOpaque { return self }
        let straight = try unpremultiplied()
        return try .painted(size) { y, row in
            straight.withUnsafeRow(y) { source in
                let source = source.bindMemory(to: UInt32.self)
                for x in row.indices { row[x] = source[x] >= Self.halfOpaque ? source[x] | Self.opaque : 0 }
            }
        }
    }

    /// A picture that is written row by row, as words of red, green, blue and alpha, which is the highest byte.
    static func painted(
        _ size: PixelSize, _ paint: (_ y: Int, _ row: UnsafeMutableBufferPointer<UInt32>) -> Void
    ) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow / bytesPerPixel
        writer.withRows { rows in
            let words = rows.bindMemory(to: UInt32.self)
            for y in 0..<size.height {
                paint(y, UnsafeMutableBufferPointer(rebasing: words[y * stride..<y * stride + size.width]))
            }
        }
        return writer.finish()
    }

    /// The words of a row; see ``painted(_:_:)``.
    func withWords<Value>(_ y: Int, _ body: (UnsafeBufferPointer<UInt32>) -> Value) -> Value {
        withUnsafeRow(y) { body($0.bindMemory(to: UInt32.self)) }
    }

    private static let opaque: UInt32 = 0xFF00_0000
    private static let halfOpaque: UInt32 = 0x8000_0000
}
