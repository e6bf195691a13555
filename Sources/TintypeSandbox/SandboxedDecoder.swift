import CTintypeSandbox
import Foundation
import TintypeCore

/// A decoder that runs in worker processes. It behaves like the decoder that it wraps.
///
/// Any thread may use it; its methods block.
struct SandboxedDecoder: Sendable {
    /// The decoder in this process. It only tells what it can do.
    let base: any SandboxableImageDecoder
    let pool: WorkerPool
    let kind: WorkerKind
    private let formatsByName: [String: ImageFormat]

    init(_ base: any SandboxableImageDecoder, _ pool: WorkerPool) {
        (self.base, self.pool) = (base, pool)
        let type = type(of: base)
        kind = WorkerKind(
            decoder: WorkerDecoders.name(of: type) ?? "", readsFonts: type.workerNeeds.contains(.fonts))
        formatsByName = Dictionary(base.formats.map { ($0.rawValue, $0) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Requests

    /// The worker in which a decoder is open, and its handle.
    struct Place: Sendable {
        let worker: WorkerProcess
        let number: Int
        let handle: Int
    }

    /// Runs an operation in any worker, and converts its result while the worker is in use.
    ///
    /// - Throws: The error of the decoder; `TintypeError.Code.decoderCrashed`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.noWorker`, `TintypeError.Code.cancelled`.
    func run<Value>(
        _ operation: WorkerRequest.Operation, _ bytes: Data, _ context: DecodeContext,
        _ convert: (WorkerReply.Result, WorkerPool.Lease) throws(WorkerProcess.Failure) -> Value?
    ) throws(TintypeError) -> Value {
        guard !kind.decoder.isEmpty else { throw .noWorker("the type of its decoder has no name", 0) }
        try context.checkCancelled()
        return try inWorker(context) { (context, lease) throws(Failed) in
            try run(operation, bytes, context, lease, convert)
        }
    }

    /// An error, and whether the worker may have caused it by what it holds of other images.
    struct Failed: Error {
        let error: TintypeError
        var isForLackOfMemory = false
    }

    /// Uses a worker; and a new one, within the same time limit, if what the first one held may have made it fail.
    private func inWorker<Value>(
        _ context: DecodeContext, _ use: (DecodeContext, WorkerPool.Lease) throws(Failed) -> Value
    ) throws(TintypeError) -> Value {
        let start = TimeSource.system.uptime()
        do throws(Failed) {
            return try use(context, try lease(context, isNew: false))
        } catch {
            var rest = context
            rest.limits.time -= TimeSource.system.uptime() - start
            // Each thread needs memory.
            rest.threads = 1
            guard error.isForLackOfMemory, rest.limits.time > .zero else { throw error.error }
            return try Result { () throws(Failed) in try use(rest, try lease(rest, isNew: true)) }
                .mapError(\.error).get()
        }
    }

    private func lease(_ context: DecodeContext, isNew: Bool) throws(Failed) -> WorkerPool.Lease {
        do throws(TintypeError) {
            return try pool.lease(kind, context, isNew: isNew)
        } catch {
            throw Failed(error: error)
        }
    }

    /// Runs an operation in the worker that has an open decoder.
    ///
    /// - Parameter isPatient: Whether to wait as long as the worker is busy.
    /// - Returns: `nil` if that worker has ended, does not become free, or may lack memory because of what it holds of
    ///   other images.
    func run<Value>(
        _ operation: WorkerRequest.Operation, at place: Place, isPatient: Bool, _ bytes: Data, _ context: DecodeContext,
        _ convert: (WorkerReply.Result, WorkerPool.Lease) throws(WorkerProcess.Failure) -> Value?
    ) throws(TintypeError) -> Value? {
        guard let lease = try pool.lease(place.number, isPatient: isPatient, isCancelled: context.isCancelled) else {
            return nil
        }
        do throws(Failed) {
            return try run(operation, bytes, context, lease, convert)
        } catch {
            guard error.isForLackOfMemory else { throw error.error }
            return nil
        }
    }

    /// Runs an operation in a worker in use, and ends the use.
    ///
    /// - Parameter keepsLease: Whether the worker stays in use after a success.
    private func run<Value>(
        _ operation: WorkerRequest.Operation, _ bytes: Data, _ context: DecodeContext, _ lease: WorkerPool.Lease,
        keepsLease: Bool = false,
        _ convert: (WorkerReply.Result, WorkerPool.Lease) throws(WorkerProcess.Failure) -> Value?
    ) throws(Failed) -> Value {
        var request = WorkerRequest(operation: operation)
        (request.decoder, request.context) = (kind.decoder, context)
        let result: Result<Value, TintypeError>
        do throws(WorkerProcess.Failure) {
            let reply = try lease.worker.exchange(
                request, bytes, time: context.limits.time, isCancelled: context.isCancelled)
            if case .failure(let error) = reply {
                result = .failure(error)
            } else if let value = try convert(reply, lease) {
                result = .success(value)
            } else {
                throw .violated("another result than was asked for")
            }
        } catch {
            let end = pool.release(lease, isUsable: false)
            throw failed(
                TintypeError(error, end, privateBytes: lease.worker.privateBytes, context.limits), in: lease, context)
        }
        switch result {
        case .success(let value):
            if !keepsLease { pool.release(lease, isUsable: true) }
            return value
        case .failure(let error):
            // Before another thread uses the worker.
            let failed = failed(error, in: lease, context)
            pool.release(lease, isUsable: true)
            throw failed
        }
    }

    private func failed(_ error: TintypeError, in lease: WorkerPool.Lease, _ context: DecodeContext) -> Failed {
        Failed(error: error, isForLackOfMemory: lease.worker.held.mayExplain(error, context.limits))
    }

    /// Checks properties from a worker.
    ///
    /// - Returns: The properties, with the equal format of the base decoder.
    func checked(_ info: ImageInfo) throws(WorkerProcess.Failure) -> ImageInfo {
        guard let format = formatsByName[info.format.rawValue] else { throw .violated("an image in another format") }
        guard info.durations.count <= info.frameCount, info.warnings.count <= Self.maximumWarnings else {
            throw .violated("too many durations or warnings")
        }
        var info = info
        info.format = format
        return info
    }

    /// Checks an image from a worker against the limits of its request, which a worker that has been taken over
    /// ignores.
    private func check(_ image: WorkerImage, _ limits: DecodeLimits) throws(WorkerProcess.Failure) {
        let size = image.pixels.size
        guard max(size.width, size.height) <= max(limits.side, Self.longestSide), image.info.size.isPositive,
            image.info.durations.count <= limits.frames
        else { throw .violated("an image of \(size) pixels") }
        do throws(TintypeError) {
            try limits.check(exifBytes: image.exif?.count ?? 0)
            guard size.area <= limits.pixels else {
                throw .exceeded(.pixels, "the image has \(size) pixels; the limit is \(limits.pixels)")
            }
        } catch {
            throw .exceeded(error)
        }
        if let frames = image.frames { try check(frames, image.info, limits) }
    }

    /// Checks frames from a worker.
    func check(
        _ frames: WorkerFrames, _ info: ImageInfo?, _ limits: DecodeLimits
    ) throws(WorkerProcess.Failure) {
        do throws(TintypeError) {
            if let info { try limits.check(info) }
            try limits.check(ImageInfo(format: info?.format ?? .png, size: frames.canvasSize))
            try limits.check(frames.frames, canvas: frames.canvasSize)
        } catch {
            throw .exceeded(error)
        }
    }

    /// The longest side of a bitmap: that of a transformer.
    private static let longestSide = 1 << 20
    private static let maximumWarnings = 16

    /// Returns the header of a reply: `.some(nil)` if the bytes end before it does, and `nil` if the reply is another
    /// one.
    func info(_ result: WorkerReply.Result) throws(WorkerProcess.Failure) -> ImageInfo?? {
        switch result {
        case .info(let info): .some(.some(try checked(info)))
        case .nothing: .some(.none)
        default: .none
        }
    }

    /// Returns the image of a reply.
    func image(
        _ image: WorkerImage, _ bytes: Data, _ context: DecodeContext, _ lease: WorkerPool.Lease,
        reopen: WorkerRequest.Operation
    ) throws(WorkerProcess.Failure) -> Result<Image, TintypeError> {
        try check(image, context.limits)
        let pixels = try lease.worker.pixels(image.pixels)
        var highRange: HighRangePixels?
        if let range = image.highRange {
            guard range.size.width == 2 * image.pixels.size.width, range.size.height == image.pixels.size.height else {
                throw .violated("a high range of another size")
            }
            highRange = HighRangePixels(rows: try lease.worker.pixels(range))
        }
        let (range, info) = (highRange, try checked(image.info))
        return Result { () throws(TintypeError) in
            let animation = try image.frames.map { frames throws(TintypeError) in
                try self.animation(frames, pixels, info, bytes, context, lease, reopen)
            }
            return Image(
                pixels: pixels, info: info, scale: context.options.scale ?? 1, animation: animation,
                isPartial: image.isPartial, highRange: range, exif: image.exif.flatMap { ExifData($0) })
        }
    }

    private func animation(
        _ frames: WorkerFrames, _ poster: PixelBuffer, _ info: ImageInfo, _ bytes: Data, _ context: DecodeContext,
        _ lease: WorkerPool.Lease, _ reopen: WorkerRequest.Operation
    ) throws(TintypeError) -> AnimatedImage {
        let decoder = SandboxedFrameDecoder(self, bytes, context, reopen, frames, lease)
        return try AnimatedImage(
            decoder, poster: poster, byteCount: bytes.count, encoded: reopen == .salvage ? nil : bytes, info: info,
            context: context
        ) { [self, context = context.cancelled { false }] () throws(TintypeError) in
            try openFrames(bytes, context, reopen)
        }
    }

    /// Opens the frames of an animation in any worker.
    func openFrames(
        _ bytes: Data, _ context: DecodeContext, _ operation: WorkerRequest.Operation
    ) throws(TintypeError) -> SandboxedFrameDecoder {
        // The caller may be a load, or a thread that needs a frame.
        let isCancelled = TransformContext.current.isCancelled
        let cancellable = context.cancelled { isCancelled() || context.isCancelled() }
        return try run(operation, bytes, cancellable) { result, lease throws(WorkerProcess.Failure) in
            try frames(result, bytes, context, lease, reopen: operation)
        }
    }

    /// Opens the frames of an animation in any worker, and decodes one before another image can end that worker.
    func openFrames(
        _ bytes: Data, _ context: DecodeContext, _ operation: WorkerRequest.Operation, decoding index: Int
    ) throws(TintypeError) -> (SandboxedFrameDecoder, PixelBuffer) {
        try inWorker(context) { (context, lease) throws(Failed) in
            let decoder = try run(operation, bytes, context, lease, keepsLease: true) {
                result, lease throws(WorkerProcess.Failure) in
                try frames(result, bytes, context, lease, reopen: operation)
            }
            let pixels = try run(.frame(decoder.handle, index: index), Data(), context, lease, decoder.convert(index))
            return (decoder, pixels)
        }
    }

    /// Returns the frames that an operation has opened.
    private func frames(
        _ result: WorkerReply.Result, _ bytes: Data, _ context: DecodeContext, _ lease: WorkerPool.Lease,
        reopen: WorkerRequest.Operation
    ) throws(WorkerProcess.Failure) -> SandboxedFrameDecoder? {
        switch result {
        case .frames(let frames, let info):
            try check(frames, info, context.limits)
            return SandboxedFrameDecoder(self, bytes, context, reopen, frames, lease)
        case .image(let image):
            // Those that come with an image are open as well. Its pixels go back to the worker.
            try check(image, context.limits)
            _ = try lease.worker.pixels(image.pixels)
            if let range = image.highRange { _ = try lease.worker.pixels(range) }
            return image.frames.map { SandboxedFrameDecoder(self, bytes, context, reopen, $0, lease) }
        default: return nil
        }
    }
}
