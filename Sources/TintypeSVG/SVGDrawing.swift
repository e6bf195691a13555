import Foundation
import TintypeCore

/// One drawing of a document on a thread of its own.
///
/// librsvg rarely checks for cancellation, so a cancelled caller abandons the drawing instead of waiting. librsvg also
/// needs more stack than other threads have.
///
/// An abandoned drawing ends at its next shape, or after the group that it is drawing. At most ``maximumAbandoned``
/// exist at a time; beyond that, new drawings wait.
///
/// `@unchecked Sendable` because only the drawing thread uses the document, and a lock protects the rest.
final class SVGDrawing: @unchecked Sendable {
    /// The progress of the drawing.
    fileprivate enum State: Sendable {
        case drawing
        case abandoned
        case ended(Result<PixelBuffer, TintypeError>)
    }

    private let document: SVGDocument
    private let part: PixelRect
    private let size: PixelSize
    private let state = Locked(State.drawing)
    private let ended = DispatchSemaphore(value: 0)

    /// The number of abandoned drawings that have not ended.
    private static let abandonedTotal = Locked(0)
    /// The number of abandoned drawings that have not ended.
    static var abandonedCount: Int { abandonedTotal.withLock { $0 } }
    private static let maximumAbandoned = 4

    /// The stack of the drawing thread in bytes: ``SVGDepth/maximum`` levels of at most 26 KB each, measured with
    /// librsvg 2.54. Unused pages take no memory.
    private static let stackSize = 32 << 20
    /// The interval between checks for cancellation by the waiting caller.
    private static let pollingInterval = DispatchTimeInterval.milliseconds(10)

    private init(_ document: consuming SVGDocument, _ part: PixelRect, _ size: PixelSize) {
        (self.part, self.size) = (part, size)
        self.document = document
    }

    /// Draws `part` of `document` at `size`, and blocks the calling thread until the drawing ends or is cancelled.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` within ``pollingInterval`` of a cancellation, and the errors of
    ///   ``SVGDocument/draw(_:_:isCancelled:)``.
    static func run(
        _ document: consuming SVGDocument, _ part: PixelRect, _ size: PixelSize, isCancelled: () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        let drawing = SVGDrawing(document, part, size)
        while abandonedCount >= maximumAbandoned {
            guard !isCancelled() else { throw .cancelled }
            _ = drawing.ended.wait(timeout: .now() + pollingInterval)
        }
        try drawing.start()
        return try drawing.result(isCancelled)
    }

    // MARK: The drawing thread

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
            throw TintypeError(.outOfMemory, stage: .decode, "could not start a thread to draw an SVG")
        }
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
        if let pointer { Unmanaged<SVGDrawing>.fromOpaque(pointer).takeRetainedValue().draw() }
        return nil
    }

    private func draw() {
        let result = Result { () throws(TintypeError) in
            try document.draw(part, size) { self.state.withLock { $0.isAbandoned } }
        }
        let wasAbandoned = state.withLock { state in
            defer { state = .ended(result) }
            return state.isAbandoned
        }
        if wasAbandoned { Self.abandonedTotal.withLock { $0 -= 1 } }
        ended.signal()
    }

    // MARK: The waiting caller

    private func result(_ isCancelled: () -> Bool) throws(TintypeError) -> PixelBuffer {
        while true {
            guard !isCancelled() else {
                abandon()
                throw .cancelled
            }
            guard ended.wait(timeout: .now() + Self.pollingInterval) == .success else { continue }
            if case .ended(let result) = state.withLock({ $0 }) { return try result.get() }
        }
    }

    private func abandon() {
        // Counted before the drawing thread can see the new state and decrement.
        Self.abandonedTotal.withLock { $0 += 1 }
        let isAbandoned = state.withLock { state in
            guard case .drawing = state else { return false }
            state = .abandoned
            return true
        }
        if !isAbandoned { Self.abandonedTotal.withLock { $0 -= 1 } }
    }
}

extension SVGDrawing.State {
    fileprivate var isAbandoned: Bool {
        if case .abandoned = self { true } else { false }
    }
}
