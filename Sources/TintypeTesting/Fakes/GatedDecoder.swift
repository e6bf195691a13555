public import Foundation
public import TintypeCore

/// A decoder that counts, and can be held up, around another one or around a picture of its own.
public final class GatedDecoder: ImageDecoder {
    private struct State: Sendable {
        var decodes = 0
        var isOpen: Bool
    }

    public let formats: Set<ImageFormat>
    private let inner: (any ImageDecoder)?
    private let info: ImageInfo
    private let state: Locked<State>
    private let opened = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - inner: what decodes; `nil` makes white pixels of any bytes.
    ///   - info: what it says of any bytes, without an inner one: a single pixel by default.
    ///   - isOpen: whether decoding goes on at once, or waits for ``open()``.
    public init(
        _ inner: (any ImageDecoder)? = nil, formats: Set<ImageFormat> = [.png, .jpeg],
        info: ImageInfo = ImageInfo(format: .png, size: PixelSize(width: 1, height: 1)), isOpen: Bool = true
    ) {
        self.inner = inner
        self.info = info
        self.formats = inner?.formats ?? formats
        state = Locked(State(isOpen: isOpen))
    }

    /// Pictures whose decoding was started.
    public var decodeCount: Int { state.withLock { $0.decodes } }

    /// Lets all decoding go on, now and later.
    public func open() {
        state.withLock { $0.isOpen = true }
        opened.signal()
    }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard let inner else { return info }
        return try inner.info(of: bytes, isComplete: isComplete)
    }

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
        let white = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255), size)
        return Image(pixels: white, info: info, scale: context.options.scale ?? 1)
    }
}
