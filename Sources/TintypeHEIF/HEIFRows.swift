import TintypeCore

/// The straight or premultiplied RGBA rows of a decoded image, as in the file.
protocol HEIFRows {
    /// The size of the rows in pixels.
    var size: PixelSize { get }
    /// How they must be turned to appear upright.
    var orientation: Orientation { get }

    /// Writes a row of 8 bits per channel.
    func read(_ y: Int, into target: UnsafeMutableBufferPointer<UInt8>)

    /// Writes a row of 16 bits per channel, of which 65535 is the maximum.
    func read(_ y: Int, into words: UnsafeMutableBufferPointer<UInt16>)
}

/// Rows of a still image with interpolated chroma.
struct HEIFInterpolatedRows: HEIFRows {
    private let canvas: HEIFCanvas
    private let colors: YCbCrRows
    /// What the samples of alpha are read from, and its canvas.
    private let alpha: (plane: YCbCrRows.Plane, canvas: HEIFCanvas)?
    private let crop: PixelRect
    let orientation: Orientation

    /// Decodes an image.
    ///
    /// - Returns: `nil` if its matrix is not known.
    /// - Throws: `TintypeError.Code.undecodable`; `TintypeError.Code.limitExceeded`;
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    init?(_ still: HEIFStill, _ file: UnsafeRawBufferPointer, _ context: DecodeContext) throws(TintypeError) {
        let canvas = try HEIFCanvas(still.color, file, context)
        guard let colors = canvas.makeRows() else { return nil }
        (self.canvas, self.colors, crop) = (canvas, colors, still.color.crop)
        orientation = still.color.orientation
        guard let coded = still.alpha else {
            alpha = nil
            return
        }
        let alphaCanvas = try HEIFCanvas(coded, file, context)
        guard let plane = alphaCanvas.luma else { return nil }
        alpha = (plane, alphaCanvas)
    }

    var size: PixelSize { crop.size }

    func read(_ y: Int, into target: UnsafeMutableBufferPointer<UInt8>) {
        colors.read(crop.y + y, from: crop.x, into: target)
        readAlpha(y, maximum: 255) { target[4 * $0 + 3] = UInt8(truncatingIfNeeded: $1) }
    }

    func read(_ y: Int, into words: UnsafeMutableBufferPointer<UInt16>) {
        colors.read(crop.y + y, from: crop.x, into: words)
        readAlpha(y, maximum: 65535) { words[4 * $0 + 3] = UInt16(truncatingIfNeeded: $1) }
    }

    /// Reads the alpha of a row: luma, whose maximum is opaque (ISO/IEC 23008-12, 6.6.2.1.1).
    @inline(__always)
    private func readAlpha(_ y: Int, maximum: UInt32, _ store: (Int, UInt32) -> Void) {
        guard let plane = alpha?.plane else { return }
        let opaque = UInt32(1) << UInt32(plane.depth) - 1
        for x in 0..<crop.size.width {
            let sample = min(UInt32(plane.sample(crop.x + x, crop.y + y)), opaque)
            store(x, (sample * maximum + opaque / 2) / opaque)
        }
    }
}
