public import Foundation
public import TintypeCore

/// A decoder that counts its calls and can hold them back. It wraps another decoder or makes white images.
///
/// While the decoder is closed, each ``decode(_:context:)`` blocks its thread. You can call every method from any
/// thread.
public final class GatedDecoder: ImageDecoder {
    private struct State: Sendable {
        var decodes = 0
        var isOpen: Bool
    }

    /// The formats that this decoder reports.
    public let formats: Set<ImageFormat>
    private let inner: (any ImageDecoder)?
    private let info: ImageInfo
    private let state: Shared<State>
    private let opened = DispatchSemaphore(value: 0)

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - inner: The decoder to wrap. `nil` decodes any bytes as a white image.
    ///   - formats: The formats to report if there is no inner decoder.
    ///   - info: The information to report on any bytes if there is no inner decoder. One pixel by default.
    ///   - isOpen: Whether decoding continues immediately or waits for ``open()``.
    public init(
        _ inner: (any ImageDecoder)? = nil, formats: Set<ImageFormat> = [.png, .jpeg],
        info: ImageInfo = ImageInfo(format: .png, size: PixelSize(width: 1, height: 1)), isOpen: Bool = true
    ) {
        self.inner = inner
        self.info = info
        self.formats = inner?.formats ?? formats
        state = Shared(State(isOpen: isOpen))
    }

    /// The number of images whose decoding has started.
    public var decodeCount: Int { state.withLock { $0.decodes } }

    /// Waits until the decoding of `count` images has started, or until the task is cancelled.
    package func waitForDecodes(_ count: Int) async { await state.wait { $0.decodes >= count } }

    /// Releases all waiting and all future decodes.
    public func open() {
        state.withLock { $0.isOpen = true }
        opened.signal()
    }

    /// Returns the information of the inner decoder, or the one passed to the initializer.
    ///
    /// - Throws: The error of the inner decoder.
    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard let inner else { return info }
        return try inner.info(of: bytes, isComplete: isComplete)
    }

    /// Counts the call, blocks the thread until the decoder is open, and decodes.
    ///
    /// - Throws: The error of the inner decoder, or of allocating the white image.
    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        let isOpen = state.withLock { state in
            state.decodes += 1
            return state.isOpen
        }
        if !isOpen {
            opened.wait()
            opened.signal()
        }
        if let inner { return try inner.decode(bytes, context: context) }
        let size = context.options.size.target(for: info.size)
        let white = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255), size: size)
        return Image(pixels: white, info: info, scale: context.options.scale ?? 1)
    }
}
