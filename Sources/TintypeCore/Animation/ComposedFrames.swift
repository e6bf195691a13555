import Foundation

/// The frames of one animated picture as they are shown, composed when they are asked for. Frames may still arrive.
final class ComposedFrames: Sendable {
    let canvasSize: PixelSize
    private let layout: Locked<Layout>
    /// The composer that no one uses at the moment. A thread that finds none makes one of its own, so that none waits
    /// for another; one is kept.
    private let idleComposer: Locked<FrameComposer?>
    private let services: FrameServices
    private let pools = Locked<[String: WeakPool]>([:])

    typealias DecoderMaker = @Sendable () throws(TintypeError) -> any FrameDecoder

    /// What the bytes that are there tell.
    private struct Layout: Sendable {
        var frames: [AnimationFrame]
        var loopCount: Int
        var plan: ReplayPlan
        var byteCount: Int
        var version: Int
        var makeDecoder: DecoderMaker

        init(_ decoder: any FrameDecoder, byteCount: Int, version: Int, _ makeDecoder: @escaping DecoderMaker) {
            frames = decoder.frames
            loopCount = decoder.loopCount
            plan = ReplayPlan(decoder.frames, canvas: decoder.canvasSize)
            self.byteCount = byteCount
            self.version = version
            self.makeDecoder = makeDecoder
        }
    }

    private struct WeakPool: Sendable {
        weak let pool: FramePool?
    }

    /// - Parameter byteCount: of the encoded picture, which the decoders keep.
    convenience init(
        byteCount: Int, services: FrameServices = FrameServices(), makeDecoder: @escaping DecoderMaker
    ) throws(TintypeError) {
        try self.init(try makeDecoder(), byteCount: byteCount, services: services, makeDecoder: makeDecoder)
    }

    init(
        _ decoder: any FrameDecoder, byteCount: Int, services: FrameServices = FrameServices(),
        makeDecoder: @escaping DecoderMaker
    ) throws(TintypeError) {
        self.services = services
        let layout = Layout(decoder, byteCount: byteCount, version: 0, makeDecoder)
        canvasSize = decoder.canvasSize
        idleComposer = Locked(try FrameComposer(decoder, plan: layout.plan, version: 0))
        self.layout = Locked(layout)
    }

    var frames: [AnimationFrame] { layout.withLock { $0.frames } }
    var loopCount: Int { layout.withLock { $0.loopCount } }

    /// Bytes of the encoded picture and of the canvas that is kept between frames.
    var memoryCost: Int { layout.withLock { $0.byteCount } + canvasSize.area * PixelBuffer.bytesPerPixel }

    func composeFrame(
        at index: Int, isCancelled: @escaping @Sendable () -> Bool,
        onIntermediateFrame: FrameComposer.IntermediateFrameHandler = { _, _ in }
    ) throws(TintypeError) -> PixelBuffer {
        let layout = layout.withLock { $0 }
        guard layout.frames.indices.contains(index) else {
            throw TintypeError(
                .noSuchFrame, stage: .decode, "there is no frame \(index), the animation has \(layout.frames.count)")
        }
        let composer = try takeComposer(for: layout)
        let pixels = try services.time.run(isCancelled: isCancelled) { isCancelled throws(TintypeError) in
            try composer.composeFrame(
                at: index, isCancelled: isCancelled, onIntermediateFrame: onIntermediateFrame)
        }
        // Not given back after an error, which may have left a decoder in the middle of something.
        returnComposer(composer)
        return pixels
    }

    /// Goes on with a decoder that knows more frames: those that there were are the same.
    func update(
        _ decoder: any FrameDecoder, byteCount: Int, makeDecoder: @escaping DecoderMaker
    ) {
        let layout = layout.withLock { layout in
            layout = Layout(decoder, byteCount: byteCount, version: layout.version + 1, makeDecoder)
            return layout
        }
        guard let composer = takeIdleComposer() else { return }
        composer.update(decoder, plan: layout.plan, version: layout.version)
        returnComposer(composer)
    }

    private func takeComposer(for layout: Layout) throws(TintypeError) -> FrameComposer {
        guard let composer = takeIdleComposer() else {
            return try FrameComposer(layout.makeDecoder(), plan: layout.plan, version: layout.version)
        }
        if composer.version < layout.version {
            composer.update(try layout.makeDecoder(), plan: layout.plan, version: layout.version)
        }
        return composer
    }

    /// The one that another thread has given back meanwhile dies after the lock: it has a canvas and a decoder.
    private func returnComposer(_ composer: FrameComposer) {
        _ = idleComposer.withLock { idleComposer in
            defer { idleComposer = composer }
            return idleComposer
        }
    }

    private func takeIdleComposer() -> FrameComposer? {
        idleComposer.withLock { idleComposer in
            defer { idleComposer = nil }
            return idleComposer
        }
    }

    // MARK: Pools

    /// The pool of these frames with such transforms: the one that there is, or else a new one.
    func pool(transforms: [any ImageTransformer], poster: PixelBuffer) -> FramePool {
        let maker = FrameMaker(source: self, transforms: transforms).with(frameSize: poster.size)
        let (key, newPool) = (maker.identifier, FramePool(maker, poster: poster, services: services))
        let (pool, _) = pools.withLock { pools in
            // Taken out with the answer, so that none of them dies under the lock.
            let livePools = pools.compactMapValues(\.pool)
            pools = pools.filter { livePools[$0.key] != nil }
            if let pool = livePools[key] { return (pool, livePools) }
            pools[key] = WeakPool(pool: newPool)
            return (newPool, livePools)
        }
        return pool
    }
}
