import Foundation
import Tintype
import TintypeTerminal

/// Prints images below each other, like text.
struct ImagePrinter: Sendable {
    let capabilities: TerminalCapabilities
    /// The cells that an image may cover; `nil` for the screen.
    let limit: CellSpan?
    private let interruption: Interruption
    private let writer: InlineImage
    private let numbers = ImageNumbers()

    init(_ capabilities: TerminalCapabilities, limit: CellSpan?, until interruption: Interruption) {
        self.capabilities = capabilities
        self.interruption = interruption
        self.limit = limit
        writer = InlineImage(capabilities) { try? SharedPixels($0) }
    }

    /// The largest size in pixels at which an image is shown.
    var box: PixelSize {
        capabilities.box(
            limit ?? CellSpan(columns: capabilities.size.columns, rows: max(1, capabilities.size.rows - 2)))
    }

    /// Returns the cells of an image.
    func layout(_ size: PixelSize) -> CellLayout { writer.layout(size, within: limit) }

    /// Prints a still image, or the first frame of an animation.
    ///
    /// - Parameter number: The number of the image in this run.
    func printStill(_ image: Image, number: Int) throws(TintypeError) {
        let layout = layout(image.size)
        let pixels = try image.pixels.resampled(to: layout.pixels, filter: .lanczos3)
        try StandardOutput.write(try writer.show(pixels, layout, image: numbers[number]))
    }

    /// Prints an animation that the terminal plays by itself.
    ///
    /// - Parameter loopCount: The total number of plays, 0 for forever; `nil` as the animation says.
    func printAnimation(_ animation: AnimatedImage, loopCount: Int?, number: Int) async throws(TintypeError) {
        let count = try await WorkQueue.pixels.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            let layout = layout(animation.size)
            let frames = try animation.transformed(by: Self.resize(to: layout.pixels))
            try StandardOutput.write(try writer.show(frames.poster, layout, image: numbers[number]))
            return try sendFrames(frames, loopCount: loopCount, image: numbers[number])
        }
        if let note = Self.note(playing: count, of: animation) { StandardError.write(note) }
    }

    /// Sends the frames after the first, which has been printed, to a terminal that plays them by itself. Blocks.
    ///
    /// - Parameters:
    ///   - loopCount: The total number of plays, 0 for forever; `nil` as the animation says.
    ///   - image: The number of the image in the terminal.
    ///   - limit: The largest number of bytes of frames.
    /// - Returns: The number of frames that the terminal plays.
    /// - Throws: The errors of the frames, and `TintypeError.Code.cancelled` after an interruption, when the terminal
    ///   plays the frames before; `TintypeError.Code.unwritable`.
    func sendFrames(
        _ frames: AnimatedImage, loopCount: Int?, image: UInt32, limit: Int = InlineImage.animationLimit
    ) throws(TintypeError) -> Int {
        try writer.animate(
            frames, loopCount: loopCount ?? frames.loopCount, image: image, limit: limit,
            write: { output throws(TintypeError) in try StandardOutput.write(output) },
            isCancelled: { [interruption] in interruption.isRequested })
    }

    /// Returns the line about frames that the terminal does not play; `nil` if it plays all.
    static func note(playing count: Int, of animation: AnimatedImage) -> String? {
        guard count < animation.frameCount else { return nil }
        return "tintype: the terminal plays the first \(count) of \(animation.frameCount) frames, which need "
            + "\(InlineImage.animationLimit >> 20) MB"
    }

    /// Prints an animation as the file that it comes from, for a terminal that plays such files.
    ///
    /// - Returns: `false` if the terminal does not, or if the animation is not shown as it is in the file.
    func printFile(_ image: Image) throws(TintypeError) -> Bool {
        guard let file = file(of: image) else { return false }
        try StandardOutput.write(writer.show(file: file, layout(image.size)))
        return true
    }

    /// Returns the file of an animation for a terminal that plays such files; `nil` if the terminal does not, or if the
    /// animation is not shown as it is in the file.
    ///
    /// - Parameter limit: The largest number of bytes.
    func file(of image: Image, limit: Int = InlineImage.animationLimit) -> Data? {
        guard capabilities.bestProtocol == .iterm2, image.info.format == .gif,
            let file = image.animation?.originalBytes, file.count <= limit
        else { return nil }
        return file
    }

    /// Returns a transformer that stretches images to a size: the pixels of cells need not be square.
    static func resize(to size: PixelSize) -> ResizeTransformer {
        ResizeTransformer(to: size, mode: .stretch, isEnlarging: true)
    }
}

/// The numbers of this run's images in a terminal with kitty's graphics. They start at a random number, so that they do
/// not replace the images of another run.
struct ImageNumbers: Sendable {
    private let first = UInt32.random(in: 0x4000_0000...0x7FFF_0000)
    private var count = 0

    /// Returns the number of an image.
    ///
    /// - Parameter index: The position of the image in this run.
    subscript(_ index: Int) -> UInt32 { first &+ UInt32(truncatingIfNeeded: index) }

    /// Returns the number of the next image.
    mutating func next() -> UInt32 {
        defer { count += 1 }
        return self[count]
    }
}

extension TerminalCapabilities {
    /// Returns the largest size in pixels of an image in some cells.
    func box(_ cells: CellSpan) -> PixelSize {
        let isText = bestProtocol.symbols(colors) != nil
        let cell = isText ? PixelSize(width: 2, height: 4) : size.cell
        return PixelSize(width: cells.columns * cell.width, height: min(cells.rows * cell.height, 65_535))
    }
}

extension StandardOutput {
    /// Writes an image, and removes the memory that it shares with the terminal.
    ///
    /// - Throws: `TintypeError.Code.unwritable`.
    static func write(_ output: InlineImage.Output) throws(TintypeError) {
        defer { for object in output.shared { object.remove() } }
        try write(bytes: Data(output.bytes))
        // The memory may be removed once the terminal has read it.
        if !output.shared.isEmpty { TerminalQuestion.waitUntilProcessed() }
    }
}
