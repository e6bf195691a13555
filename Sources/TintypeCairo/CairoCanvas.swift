import CTintypeCairo
public import TintypeCore

/// A canvas on which a closure draws with cairo: SDWebImage's `SDGraphicsImageRenderer`.
///
///     let canvas = CairoCanvas(size: PixelSize(width: 64, height: 64))
///     let badge = try canvas.pixels { context in
///         cairo_arc(context, 32, 32, 30, 0, 2 * .pi)
///         cairo_set_source_rgb(context, 0.8, 0.1, 0.1)
///         cairo_fill(context)
///     }
///
/// The functions come from the program's own import of cairo. Tintype has none: cairo is loaded when the first closure
/// draws (`libcairo2` on Debian, `cairo` on Fedora), and only programs with this product have anything of it. Any
/// thread may use a canvas.
public struct CairoCanvas: Hashable, Sendable {
    /// The size of the canvas in units of the closure.
    package var size: PixelSize
    /// The pixels for each unit: 2 for a display of double density.
    package var scale: Double
    /// What the canvas shows before anything is drawn; transparent by default.
    package var background: Color

    /// Creates a canvas.
    ///
    /// - Parameters:
    ///   - size: In units of the closure.
    ///   - scale: In pixels for each unit.
    ///   - background: An opaque colour makes an opaque image, as long as nothing transparent replaces it.
    public init(size: PixelSize, scale: Double = 1, background: Color = .clear) {
        (self.size, self.scale, self.background) = (size, scale, background)
    }

    package typealias Context = OpaquePointer

    /// Calls a closure that draws on a context of cairo (`cairo_t *`), which is valid during the call, and returns the
    /// pixels.
    ///
    /// - Throws: `TintypeError.Code.transformFailed` if the closure throws another error or leaves the context in an
    ///   error status, or if the canvas has no pixels; `TintypeError.Code.limitExceeded` if it has too many;
    ///   `TintypeError.Code.noCoder` if cairo is not installed, `TintypeError.Code.outOfMemory`.
    public func pixels(_ draw: (_ context: OpaquePointer) throws -> Void) throws(TintypeError) -> PixelBuffer {
        let size = try pixelSize
        var writer = try PixelWriter(size: size)
        writer.fill(background)
        return try Self.draw(writer, size, scale: scale, draw)
    }

    /// The size of the canvas in pixels, rounded.
    private var pixelSize: PixelSize {
        get throws(TintypeError) {
            let (width, height) = (Double(size.width) * scale, Double(size.height) * scale)
            // cairo has no longer sides. NaN compares as false.
            guard width >= 0.5, height >= 0.5, width <= Self.longestSide, height <= Self.longestSide else {
                throw TintypeError(
                    .transformFailed, stage: .transform, "a canvas of \(size) at scale \(scale) cannot be drawn on")
            }
            return PixelSize(width: Int(width.rounded()), height: Int(height.rounded()))
        }
    }

    private static let longestSide = 32_767.0

    /// Draws over pixels.
    static func draw(
        _ writer: consuming PixelWriter, _ size: PixelSize, scale: Double, _ body: (Context) throws -> Void
    ) throws(TintypeError) -> PixelBuffer {
        let library = try CairoLibrary.standard.get().functions
        let stride = writer.bytesPerRow
        let (status, failure) = writer.withRows { rows in
            CairoCall.run(library, rows, size, stride: stride, scale: scale, body)
        }
        if let failure {
            throw failure as? TintypeError
                ?? TintypeError(
                    .transformFailed, stage: .transform, "drawing failed: \(failure)", underlying: failure)
        }
        guard status == 0 else {
            let reason = String(cString: tintype_cairo_describe(library, status))
            throw TintypeError(
                status == 1 ? .outOfMemory : .transformFailed, stage: .transform, "cairo cannot draw: \(reason)")
        }
        writer.convertFromCairo()
        return writer.finish()
    }
}

extension PixelWriter {
    /// Sets all pixels to a colour, as cairo stores it: a word with premultiplied alpha in its highest byte.
    fileprivate mutating func fill(_ color: Color) {
        let alpha = UInt32(color.alpha)
        func premultiplied(_ channel: UInt8) -> UInt32 { (UInt32(channel) * alpha + 127) / 255 }
        let word =
            alpha << 24 | premultiplied(color.red) << 16 | premultiplied(color.green) << 8 | premultiplied(color.blue)
        withRows { rows in
            for offset in stride(from: 0, to: rows.count - 3, by: 4) {
                rows.storeBytes(of: word, toByteOffset: offset, as: UInt32.self)
            }
        }
    }
}

/// One call of a closure through C.
private struct CairoCall {
    let body: (CairoCanvas.Context) throws -> Void
    var failure: (any Error)?

    static func run(
        _ library: OpaquePointer, _ rows: UnsafeMutableRawBufferPointer, _ size: PixelSize, stride: Int, scale: Double,
        _ body: (CairoCanvas.Context) throws -> Void
    ) -> (status: Int32, failure: (any Error)?) {
        withoutActuallyEscaping(body) { body in
            var call = CairoCall(body: body)
            guard let start = rows.bindMemory(to: UInt8.self).baseAddress else { return (1, nil) }
            let status = withUnsafeMutablePointer(to: &call) { call in
                tintype_cairo_draw(
                    library, start, Int32(size.width), Int32(size.height), stride, scale,
                    { owner, context in
                        guard let call = owner?.assumingMemoryBound(to: CairoCall.self) else { return }
                        do {
                            try call.pointee.body(OpaquePointer(context))
                        } catch {
                            call.pointee.failure = error
                        }
                    }, call)
            }
            return (status, call.failure)
        }
    }
}
