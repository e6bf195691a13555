import Foundation
import TintypeCore

/// Decodes the frames of an animation in a worker. If the worker has ended, the animation is opened in another one.
///
/// Its decoder begins at the nearest key frame then. Used by one thread at a time; the lock makes it `Sendable`.
final class SandboxedFrameDecoder: FrameDecoder {
    let canvasSize: PixelSize
    let loopCount: Int
    let frames: [AnimationFrame]
    private let decoder: SandboxedDecoder
    private let bytes: Data
    private let context: DecodeContext
    /// The operation that opens the same frames again.
    private let operation: WorkerRequest.Operation
    private let place: Locked<SandboxedDecoder.Place>

    /// - Parameter lease: The worker in which the frames are open.
    init(
        _ decoder: SandboxedDecoder, _ bytes: Data, _ context: DecodeContext, _ operation: WorkerRequest.Operation,
        _ frames: WorkerFrames, _ lease: WorkerPool.Lease
    ) {
        (self.decoder, self.bytes, self.operation) = (decoder, bytes, operation)
        self.context = context.cancelled { false }
        (canvasSize, loopCount, self.frames) = (frames.canvasSize, frames.loopCount, frames.frames)
        place = Locked(
            SandboxedDecoder.Place(worker: lease.worker, number: lease.number, handle: frames.handle))
    }

    deinit {
        let place = place.withLock { $0 }
        place.worker.closedHandles.add(place.handle)
    }

    /// The number of the open decoder in its worker.
    var handle: Int { place.withLock { $0.handle } }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        let (context, place) = (context.cancelled(by: isCancelled), place.withLock { $0 })
        let operation = WorkerRequest.Operation.frame(place.handle, index: index)
        if let pixels = try decoder.run(operation, at: place, isPatient: false, Data(), context, convert(index)) {
            return pixels
        }
        // The worker is busy, was replaced, lacks memory, or another image has ended it.
        let (other, pixels) = try decoder.openFrames(bytes, context, self.operation, decoding: index)
        guard other.frames == frames, other.canvasSize == canvasSize else {
            throw TintypeError(.undecodable, stage: .decode, "another worker found other frames in the same bytes")
        }
        exchangePlaces(with: other)
        return pixels
    }

    /// Returns what converts the result of decoding a frame.
    func convert(
        _ index: Int
    ) -> (WorkerReply.Result, WorkerPool.Lease) throws(WorkerProcess.Failure) -> PixelBuffer? {
        { [frames] result, lease throws(WorkerProcess.Failure) in
            guard case .pixels(let pixels) = result, frames.indices.contains(index),
                pixels.size == frames[index].rect.size
            else { return nil }
            return try lease.worker.pixels(pixels)
        }
    }

    /// Uses the worker of another decoder from now on. The other one closes the old handle.
    private func exchangePlaces(with other: SandboxedFrameDecoder) {
        let new = other.place.withLock { $0 }
        let old = place.withLock { place in
            defer { place = new }
            return place
        }
        other.place.withLock { $0 = old }
    }
}

/// Shows an image while it arrives: a still image by a decoder in a worker, an animation by its frames.
///
/// Used by one thread at a time; the lock makes it `Sendable`.
final class SandboxedPreviews: IncrementalImageDecoder {
    private let decoder: SandboxedDecoder
    private let context: DecodeContext
    private let state = Locked(State.new)

    private enum State: Sendable {
        /// Nothing has arrived.
        case new
        /// A decoder is open. What has arrived is kept: the image may be an animation, or another worker may have to
        /// continue.
        case still(SandboxedDecoder.Place, [Data])
        case animation(IncrementalAnimation)
    }

    init(_ decoder: SandboxedDecoder, _ context: DecodeContext) {
        (self.decoder, self.context) = (decoder, context)
    }

    deinit {
        if case .still(let place, _) = state.withLock({ $0 }) { place.worker.closedHandles.add(place.handle) }
    }

    func append(_ bytes: Data) throws(TintypeError) -> Image? {
        switch state.withLock({ $0 }) {
        case .animation(let animation): return try animation.append(bytes)
        case .new: return try begin(with: [bytes])
        case .still(let place, let arrived):
            // The pool may have ended the worker in favour of other images.
            guard let shown = try show(bytes, at: place) else { return try begin(with: arrived + [bytes]) }
            return try finish(shown, place, arrived + [bytes])
        }
    }

    /// Opens a decoder, and shows what has arrived so far.
    private func begin(with arrived: [Data]) throws(TintypeError) -> Image? {
        let place: SandboxedDecoder.Place = try decoder.run(.openPreviews, Data(), context) { result, lease in
            guard case .previews(let handle) = result else { return nil }
            return SandboxedDecoder.Place(worker: lease.worker, number: lease.number, handle: handle)
        }
        state.withLock { $0 = .still(place, arrived) }
        guard let shown = try show(Self.joined(arrived), at: place) else {
            throw TintypeError(.decoderCrashed, stage: .decode, "the worker of the previews has ended")
        }
        return try finish(shown, place, arrived)
    }

    private static func joined(_ parts: [Data]) -> Data { parts.reduce(into: Data()) { $0 += $1 } }

    private enum Shown {
        case image(Result<Image, TintypeError>?)
        case animation
    }

    /// - Returns: `nil` if the worker has ended.
    private func show(_ bytes: Data, at place: SandboxedDecoder.Place) throws(TintypeError) -> Shown? {
        try decoder.run(.preview(place.handle), at: place, isPatient: true, bytes, context) {
            [decoder, context] result, lease throws(WorkerProcess.Failure) -> Shown? in
            guard case .preview(let image, let isAnimation) = result, image?.frames == nil else { return nil }
            guard !isAnimation else { return .animation }
            return .image(
                try image.map { image throws(WorkerProcess.Failure) in
                    try decoder.image(image, Data(), context, lease, reopen: .openFrames)
                })
        }
    }

    private func finish(
        _ shown: Shown, _ place: SandboxedDecoder.Place, _ arrived: [Data]
    ) throws(TintypeError) -> Image? {
        switch shown {
        case .image(let image):
            state.withLock { $0 = .still(place, arrived) }
            return try image?.get()
        case .animation: return try beginAnimation(Self.joined(arrived))
        }
    }

    private func beginAnimation(_ bytes: Data) throws(TintypeError) -> Image? {
        guard decoder.base is any ProgressiveAnimationDecoder else { return nil }
        let animation = IncrementalAnimation(decoder: decoder, context: context)
        state.withLock { $0 = .animation(animation) }
        return try animation.append(bytes)
    }
}
