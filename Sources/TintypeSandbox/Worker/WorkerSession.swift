import CTintypeSandbox
import Foundation
import TintypeCore

/// Serves the requests of the host, one after the other, on the main thread of a worker.
final class WorkerSession {
    private let socket: WorkerSocket
    private let flag: CancelFlag
    private let memory: WorkerMemory
    private let inputs = WorkerInputs()
    private var decoders: [String: any SandboxableImageDecoder] = [:]
    private var frames: [Int: any FrameDecoder] = [:]
    private var previews: [Int: any IncrementalImageDecoder] = [:]
    private var handleCount = 0
    /// Whether a file was refused, which the libraries of the decoders may remember: another image would lack the same,
    /// and nobody would know.
    private var hasRefusedFiles = false
    /// The blocks that the current request has delivered. Its handles are those beyond ``firstHandle``.
    private var delivered: [Int] = []
    private var firstHandle = 0

    init(_ socket: WorkerSocket, _ flag: CancelFlag) {
        (self.socket, self.flag) = (socket, flag)
        memory = WorkerMemory { (byteCount) throws(WireError) in try Self.requestBlock(byteCount, from: socket) }
        PixelMemorySlot.set(memory)
        // Idle memory of its own would need a timer, and thus a thread.
        PixelPool.shared.setLimit(0)
    }

    /// Serves requests until the host closes the connection or sends something that is none.
    func run() {
        while let message = nextMessage() {
            guard let request = Self.request(message),
                let data = inputs.data(request.bytes, descriptor: message.descriptor)
            else { return }
            memory.takeBack(request.returnedBlocks)
            inputs.drop(request.droppedInputs)
            for handle in request.closedHandles { (frames[handle], previews[handle]) = (nil, nil) }
            let result = perform(request, data)
            guard !memory.isBroken else { return }
            let reply = WorkerReply(
                result: result, releasedInputs: inputs.takeReleased(), droppedBlocks: memory.trim(),
                isLast: takeRefusedFiles() != nil || hasRefusedFiles)
            var writer = WireWriter()
            writer.write(reply)
            guard socket.send(WorkerMessageKind.reply.rawValue, writer.bytes) else { return }
        }
    }

    /// Waits for a message. A worker that is idle for a second gives its free memory back, once.
    private func nextMessage() -> WorkerSocket.Message? {
        var poll = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        if Foundation.poll(&poll, 1, 1000) == 0 { tintype_worker_trim() }
        return socket.receive(acceptsDescriptor: true)
    }

    private static func request(_ message: WorkerSocket.Message) -> WorkerRequest? {
        var reader = WireReader(message.body)
        guard message.kind == HostMessageKind.request.rawValue, let request = try? reader.request() else {
            if message.descriptor >= 0 { close(message.descriptor) }
            return nil
        }
        return request
    }

    /// - Returns: `nil` if the host grants no memory.
    private static func requestBlock(
        _ byteCount: Int, from socket: WorkerSocket
    ) throws(WireError) -> WorkerMemory.Grant? {
        var writer = WireWriter()
        writer.write(byteCount)
        guard socket.send(WorkerMessageKind.need.rawValue, writer.bytes),
            let message = socket.receive(acceptsDescriptor: true)
        else { throw WireError("the connection has ended") }
        do throws(WireError) {
            guard message.kind == HostMessageKind.grant.rawValue else { throw WireError("an unexpected message") }
            var reader = WireReader(message.body)
            let (block, capacity) = (try reader.anyInt(), try reader.int(in: 0...1 << 40))
            guard (capacity > 0) == (message.descriptor >= 0) else { throw WireError("a grant without memory") }
            return capacity > 0 ? (block, capacity, message.descriptor) : nil
        } catch {
            if message.descriptor >= 0 { close(message.descriptor) }
            throw error
        }
    }

    // MARK: Requests

    private func perform(_ request: WorkerRequest, _ data: Data) -> WorkerReply.Result {
        var context = request.context.cancelled { [flag] in flag.isSet }
        context.isEndedByHost = true
        _ = takeRefusedFiles()
        (delivered, firstHandle) = ([], handleCount)
        do throws(TintypeError) {
            var scope = TransformContext(isCancelled: context.isCancelled)
            scope.lender = nil
            return try scope.run { () throws(TintypeError) in
                try checked(try perform(request, data, context), context)
            }
        } catch {
            // The host learns nothing of them.
            memory.takeBack(delivered)
            for handle in firstHandle..<handleCount { (frames[handle + 1], previews[handle + 1]) = (nil, nil) }
            return .failure(error)
        }
    }

    private func perform(
        _ request: WorkerRequest, _ data: Data, _ context: DecodeContext
    ) throws(TintypeError) -> WorkerReply.Result {
        switch request.operation {
        case .frame(let handle, let index):
            guard let decoder = frames[handle], decoder.frames.indices.contains(index) else { throw .unknownHandle }
            return .pixels(try pack(try decoder.pixels(of: index, isCancelled: context.isCancelled)))
        case .preview(let handle):
            guard let decoder = previews[handle] else { throw .unknownHandle }
            let image = try decoder.append(data)
            let isAnimation = (decoder as? IncrementalImage)?.isAnimation ?? (image?.isAnimated == true)
            return .preview(isAnimation ? nil : try image.map(pack), isAnimation: isAnimation)
        default: return try perform(request.operation, decoder(named: request.decoder), data, context)
        }
    }

    private func perform(
        _ operation: WorkerRequest.Operation, _ decoder: any SandboxableImageDecoder, _ data: Data,
        _ context: DecodeContext
    ) throws(TintypeError) -> WorkerReply.Result {
        switch operation {
        case .info(let isComplete): return Self.result(try decoder.info(of: data, isComplete: isComplete))
        case .limitedInfo:
            guard let decoder = decoder as? any LimitedInfoDecoder else { return .nothing }
            return Self.result(try decoder.info(of: data, context: context))
        case .decode:
            guard decoder is any PartialImageDecoder else {
                return .image(try pack(try decoder.decodeAndCrop(data, context: context)))
            }
            return .image(try pack(try decoder.decode(data, context: context)))
        case .verifiedInfo:
            return Self.result(try (decoder as? any VerifyingImageDecoder)?.verifiedInfo(of: data, context: context))
        case .verifyImages:
            try (decoder as? any ImageCollectionDecoder)?.verifyImages(in: data, context: context)
            return .nothing
        case .salvage:
            let image = try (decoder as? any SalvagingImageDecoder)?.salvage(data, context: context)
            return try image.map { image throws(TintypeError) in .image(try pack(image)) } ?? .nothing
        case .xmp:
            return try (decoder as? any XMPDecoder)?.xmp(of: data, context.limits).map { .data($0) } ?? .nothing
        case .openFrames:
            guard let decoder = decoder as? any AnimatedImageDecoder else { throw .unknownHandle }
            return .frames(open(try decoder.makeFrameDecoder(data, context: context)), nil)
        case .openArrivedFrames:
            let arrived = try (decoder as? any ProgressiveAnimationDecoder)?.arrivedFrames(data, context: context)
            return arrived.map { .frames(open($0.decoder), $0.info) } ?? .nothing
        case .openPreviews: return try openPreviews(decoder, context)
        case .frame, .preview: throw .unknownHandle
        }
    }

    private func decoder(named name: String) throws(TintypeError) -> any SandboxableImageDecoder {
        if let decoder = decoders[name] { return decoder }
        guard let type = WorkerDecoders.type(named: name) else {
            throw TintypeError(.noWorker, stage: .decode, "the worker has no decoder named \(name)")
        }
        let decoder = type.init()
        decoders[name] = decoder
        return decoder
    }

    private static func result(_ info: ImageInfo?) -> WorkerReply.Result { info.map { .info($0) } ?? .nothing }

    // MARK: Open decoders

    private func open(_ decoder: any FrameDecoder) -> WorkerFrames {
        handleCount += 1
        frames[handleCount] = decoder
        return WorkerFrames(
            handle: handleCount, canvasSize: decoder.canvasSize, loopCount: decoder.loopCount, frames: decoder.frames)
    }

    private func openPreviews(
        _ decoder: any ImageDecoder, _ context: DecodeContext
    ) throws(TintypeError) -> WorkerReply.Result {
        guard let previews = decoder.makeIncrementalDecoder(context: context) else { throw .unknownHandle }
        handleCount += 1
        self.previews[handleCount] = previews
        return .previews(handleCount)
    }

    // MARK: Results

    private func pack(_ image: Image) throws(TintypeError) -> WorkerImage {
        // The frames first: the decoder of the poster continues with the next one.
        let frames = try image.animation.map { animation throws(TintypeError) in open(try animation.takeFrameDecoder())
        }
        return WorkerImage(
            info: image.info, pixels: try pack(image.pixels),
            highRange: try image.highRange.map { range throws(TintypeError) in try pack(range.rows) },
            exif: image.exif?.bytes, isPartial: image.isPartial, frames: frames)
    }

    private func pack(_ pixels: PixelBuffer) throws(TintypeError) -> WorkerPixels {
        let count = pixels.bytesPerRow * pixels.size.height
        guard count >= PixelMemorySlot.smallest else {
            return .inline(pixels.size, pixels.withUnsafeBytes { Data($0.prefix(count)) })
        }
        if let block = deliver(pixels) { return .block(pixels.size, block) }
        var writer = try PixelWriter(size: pixels.size)
        pixels.withUnsafeBytes { all in
            let rows = UnsafeRawBufferPointer(rebasing: all[..<count])
            writer.withRows { $0.copyMemory(from: rows) }
        }
        let copy = writer.finish()
        guard let block = deliver(copy) else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory for the result of a worker")
        }
        return .block(copy.size, block)
    }

    /// - Returns: The number of the block; `nil` if the pixels are not in one that can be delivered.
    private func deliver(_ pixels: PixelBuffer) -> Int? {
        guard let block = pixels.withUnsafeBytes({ $0.baseAddress.flatMap(memory.deliver) }) else { return nil }
        delivered.append(block)
        return block
    }

    // MARK: Refused files

    /// Returns a result, unless it may lack something because a file could not be opened. Frames cannot carry a
    /// warning; what is no image lacks nothing, and the whole image follows a preview.
    private func checked(
        _ result: WorkerReply.Result, _ context: DecodeContext
    ) throws(TintypeError) -> WorkerReply.Result {
        guard let path = takeRefusedFiles() else { return result }
        switch result {
        case .image(var image) where context.options.damageTolerance == .minor:
            image.info.warnings.append(.missingFile)
            return .image(image)
        case .image, .pixels, .frames:
            throw TintypeError(
                .undecodable, stage: .decode, "the image needs a file that the worker may not read: \(path)")
        default: return result
        }
    }

    /// Returns the path of the last file that was refused; `nil` if none was.
    private func takeRefusedFiles() -> String? {
        var path = [CChar](repeating: 0, count: 256)
        guard tintype_refused_files(&path, path.count) > 0 else { return nil }
        hasRefusedFiles = true
        return String(cText: path)
    }
}

extension TintypeError {
    fileprivate static let unknownHandle = TintypeError(
        .noWorker, stage: .decode, "the worker does not have what the request names")
}
