package import Foundation
package import TintypeCore

/// Writes images among the text of a shell, where the cursor is, without a session.
///
/// Rows are reserved by line breaks first, because terminals disagree on where an image leaves the cursor, and on
/// whether it scrolls the screen. The cursor ends at the beginning of the row below the image.
package struct InlineImage: Sendable {
    private let capabilities: TerminalCapabilities
    private let share: @Sendable ([UInt8]) -> SharedPixels?

    /// The largest number of bytes of frames that a terminal gets of one animation. kitty itself keeps 320 MB of each
    /// of five kinds of data.
    package static let animationLimit = 256 << 20

    /// The bytes of an image, and the shared memory that they name.
    package typealias Output = RegionRenderer.Output

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - capabilities: The first protocol is used.
    ///   - share: Puts bytes into shared memory; returns `nil` if that fails.
    package init(
        _ capabilities: TerminalCapabilities, share: @escaping @Sendable ([UInt8]) -> SharedPixels? = { _ in nil }
    ) {
        self.capabilities = capabilities
        self.share = share
    }

    /// Returns the layout of an image of a size.
    ///
    /// - Parameters:
    ///   - image: The size in pixels.
    ///   - limit: The largest number of cells; by default the width of the terminal, and its height without two rows.
    package func layout(_ image: PixelSize, within limit: CellSpan? = nil) -> CellLayout {
        let size = capabilities.size
        let all = CellSpan(columns: size.columns, rows: max(1, size.rows - 2))
        return CellLayout(image, within: limit ?? all, cell: size.cell, symbols: symbols)
    }

    /// The characters that show images; `nil` for protocols that show pixels.
    var symbols: CellSymbols? { capabilities.bestProtocol.symbols(capabilities.colors) }

    /// Returns the bytes that show pixels.
    ///
    /// - Parameter image: The number of the image in the terminal, for kitty's protocol.
    /// - Throws: `TintypeError.Code.outOfMemory`.
    package func show(_ pixels: PixelBuffer, _ layout: CellLayout, image: UInt32) throws(TintypeError) -> Output {
        if let grid = try characters(pixels) {
            return Output(bytes: CellWriter.lines(grid) + Array("\r\n".utf8))
        }
        var output = try graphic(pixels, layout, image)
        output.bytes = Self.reserved(layout.span.rows, output.bytes)
        return output
    }

    /// Returns the bytes that show a file, for a terminal with the inline images of iTerm2, which plays its animation.
    ///
    /// - Parameter file: The bytes of an image in a format that the terminal knows.
    package func show(file: Data, _ layout: CellLayout) -> Output {
        Output(bytes: Self.reserved(layout.span.rows, ITermImage.show(file: file, span: layout.span)))
    }

    /// Returns the characters that show pixels; `nil` for protocols that show the pixels themselves.
    func characters(_ pixels: PixelBuffer) throws(TintypeError) -> CellGrid? {
        guard let symbols else { return nil }
        let background = capabilities.background?.pixel
        return try CellPainter(symbols, colors: capabilities.colors, background: background).paint(pixels)
    }

    /// Returns the bytes that show pixels at the cursor, which may be anywhere afterwards.
    ///
    /// - Parameter column: The column of the cursor.
    func graphic(
        _ pixels: PixelBuffer, _ layout: CellLayout, _ image: UInt32, column: Int = 0
    ) throws(TintypeError) -> Output {
        switch capabilities.bestProtocol {
        case .kitty where capabilities.hasPlaceholders:
            return Output(bytes: try placeholders(pixels, layout, image, column: column))
        case .kitty:
            let (data, medium, shared) = try sent(pixels)
            return Output(bytes: KittyCommand.show(data, .init(image: image), by: medium), shared: shared)
        case .sixel:
            var encoder = SixelEncoder(registers: capabilities.colorRegisters)
            let indexed = try encoder.indexed(pixels)
            return Output(bytes: SixelWriter.graphic(indexed, in: PixelRect(x: 0, y: 0, size: pixels.size)))
        default: return Output(bytes: try ITermImage.show(pixels, span: layout.span))
        }
    }

    private func placeholders(
        _ pixels: PixelBuffer, _ layout: CellLayout, _ image: UInt32, column: Int
    ) throws(TintypeError) -> [UInt8] {
        let (number, span) = (number(of: image), KittyPlaceholders.fitted(layout.span))
        let placement = KittyCommand.Placement(image: number, span: span, isVirtual: true)
        let data = try KittyPixels(pixels, compression: capabilities.isRemote ? .zlib : .none)
        var bytes = KittyCommand.show(data, placement, through: .tmux)
        for row in 0..<span.rows {
            if row > 0 { bytes.append("\r\u{1B}[B" + (column > 0 ? "\u{1B}[\(column)C" : "")) }
            bytes += KittyPlaceholders.row(row, columns: span.columns, number: number)
        }
        return bytes
    }

    /// Returns the number of an image in the terminal.
    private func number(of image: UInt32) -> UInt32 {
        capabilities.hasPlaceholders ? KittyPlaceholders.number(of: image) : image
    }

    private var route: KittyCommand.Route { capabilities.hasPlaceholders ? .tmux : .direct }

    private func sent(
        _ pixels: PixelBuffer
    ) throws(TintypeError) -> (KittyPixels, KittyCommand.Medium, [SharedPixels]) {
        let data = try KittyPixels(pixels, compression: capabilities.isRemote ? .zlib : .none)
        guard capabilities.hasSharedMemory, let shared = share(data.bytes) else { return (data, .inline, []) }
        return (data, .sharedMemory(name: shared.name), [shared])
    }

    /// Returns the bytes of a graphic between those that reserve its rows and move below it.
    static func reserved(_ rows: Int, _ graphic: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<rows { bytes.append("\r\n") }
        // A terminal saves one cursor position. Graphics that save it themselves begin at the same one.
        bytes.append("\u{1B}[\(rows)A" + ControlSequence.saveCursor)
        bytes += graphic
        bytes.append(ControlSequence.restoreCursor + "\u{1B}[\(rows)B\r")
        return bytes
    }

    // MARK: Animations

    /// Writes the frames after the first, which has been shown, one by one, and the command that plays them. Only
    /// terminals with kitty's protocol play animations.
    ///
    /// If a frame is damaged, the terminal plays the frames before it. No more frames are written than the terminal can
    /// store.
    ///
    /// - Parameters:
    ///   - frames: All frames, with the size of the layout.
    ///   - loopCount: The total number of plays; 0 for forever.
    ///   - image: The number of the image in the terminal.
    ///   - limit: The number of bytes of frames after which no more are written.
    ///   - write: Writes the bytes of a frame, or of the command.
    ///   - isCancelled: Checked before each frame, and while it is decoded.
    /// - Returns: The number of frames that the terminal plays.
    /// - Throws: The errors of `write`. If a frame fails, first writes the command that plays the frames before it, and
    ///   then throws `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled` or the error of the frame.
    package func animate(
        _ frames: AnimatedImage, loopCount: Int, image: UInt32, limit: Int = animationLimit,
        write: (Output) throws(TintypeError) -> Void, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(TintypeError) -> Int {
        var (former, count) = (frames.poster, 1)
        var failure: TintypeError?
        // The terminal keeps each frame as a whole.
        let mostFrames = max(1, limit / max(1, former.byteCount))
        while count < min(frames.frameCount, mostFrames) {
            let output: Output
            do throws(TintypeError) {
                if isCancelled() { throw .cancelled }
                let frame = try frames.frame(at: count, isCancelled: isCancelled)
                output = try add(frame, over: former, at: count, of: frames, image)
                former = frame
            } catch {
                failure = error
                break
            }
            try write(output)
            count += 1
        }
        try write(
            Output(
                bytes: KittyCommand.run(
                    image: number(of: image), firstGap: Self.milliseconds(frames.durations[0]), loopCount: loopCount,
                    through: route)))
        if let failure { throw failure }
        return count
    }

    /// Returns the bytes of the part of a frame that differs from the former one.
    private func add(
        _ frame: PixelBuffer, over former: PixelBuffer, at index: Int, of frames: AnimatedImage, _ image: UInt32
    ) throws(TintypeError) -> Output {
        // A frame has at least one pixel.
        let rect = frame.changedRect(from: former) ?? PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1))
        let (data, medium, shared) = try sent(try frame.cropped(to: rect))
        let bytes = KittyCommand.addFrame(
            data, image: number(of: image), at: rect, over: index, gap: Self.milliseconds(frames.durations[index]),
            by: medium, through: route)
        return Output(bytes: bytes, shared: shared)
    }

    private static func milliseconds(_ seconds: Double) -> Int {
        Int((min(max(seconds, 0.001), 86_400) * 1000).rounded())
    }
}
