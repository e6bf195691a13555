import Foundation
import TintypeCore

/// One drawing of a document, on a thread of its own: librsvg seldom asks whether to go on, so who waits for it may leave,
/// and it needs more stack than other threads have.
///
/// A drawing that is left ends with its next shape, or when the group that it is in is drawn. A few may be left at a time;
/// where there are more, the next one waits.
///
/// `@unchecked Sendable` because the document is touched by the drawing's own thread alone; the rest is behind a lock.
final class SVGDrawing: @unchecked Sendable {
    fileprivate enum State: Sendable {
        case drawing
        case left
        case ended(Result<PixelBuffer, TintypeError>)
    }

    private let document: SVGDocument
    private let part: PixelRect
    private let size: PixelSize
    private let state = Locked(State.drawing)
    private let ended = DispatchSemaphore(value: 0)

    /// Drawings that no one waits for, and that have not ended.
    private static let left = Locked(0)
    static var leftCount: Int { left.withLock { $0 } }
    private static let mostLeft = 4

    /// What ``SVGDepth/most`` steps take, each at most 26 KB: measured with librsvg 2.54. No memory before it is used.
    private static let stackSize = 32 << 20
    /// How often it is asked whether anyone waits.
    private static let interval = DispatchTimeInterval.milliseconds(10)

    private init(_ document: consuming SVGDocument, _ part: PixelRect, _ size: PixelSize) {
        (self.part, self.size) = (part, size)
        self.document = document
    }

    /// - Throws: as ``SVGDocument/drawn(_:_:isCancelled:)``, and ``TintypeError/Code/cancelled`` as soon as it is.
    static func run(
        _ document: consuming SVGDocument, _ part: PixelRect, _ size: PixelSize, isCancelled: () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        let drawing = SVGDrawing(document, part, size)
        while leftCount >= mostLeft {
            guard !isCancelled() else { throw .cancelled }
            _ = drawing.ended.wait(timeout: .now() + interval)
        }
        try drawing.start()
        return try drawing.result(isCancelled)
    }

    // MARK: Its own thread

    private func start() throws(TintypeError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, Self.stackSize)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let retained = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let status = pthread_create(&thread, &attributes, Self.main, retained.toOpaque())
        guard status == 0 else {
            retained.release()
            throw TintypeError(.outOfMemory, stage: .decode, "no thread to draw an SVG")
        }
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
        if let pointer { Unmanaged<SVGDrawing>.fromOpaque(pointer).takeRetainedValue().draw() }
        return nil
    }

    private func draw() {
        let result = Result { () throws(TintypeError) in
            try document.drawn(part, size) { self.state.withLock { $0.isLeft } }
        }
        let wasLeft = state.withLock { state in
            defer { state = .ended(result) }
            return state.isLeft
        }
        if wasLeft { Self.left.withLock { $0 -= 1 } }
        ended.signal()
    }

    // MARK: Who waits

    private func result(_ isCancelled: () -> Bool) throws(TintypeError) -> PixelBuffer {
        while true {
            guard !isCancelled() else {
                leave()
                throw .cancelled
            }
            guard ended.wait(timeout: .now() + Self.interval) == .success else { continue }
            if case .ended(let result) = state.withLock({ $0 }) { return try result.get() }
        }
    }

    private func leave() {
        // Counted before the drawing's own thread can know of it.
        Self.left.withLock { $0 += 1 }
        let isLeft = state.withLock { state in
            guard case .drawing = state else { return false }
            state = .left
            return true
        }
        if !isLeft { Self.left.withLock { $0 -= 1 } }
    }
}

extension SVGDrawing.State {
    fileprivate var isLeft: Bool {
        if case .left = self { true } else { false }
    }
}
