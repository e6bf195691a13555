import Foundation

/// The composed frames of one animated image, made on demand. Frames may still arrive.
final class ComposedFrames: Sendable {
    /// The size of the canvas in pixels.
    let canvasSize: PixelSize
    private let layout: Locked<Layout>
    /// The composer that is not in use; at most one is stored. A thread that finds none creates its own, so no thread
    /// waits for another.
    private let idleComposer: Locked<FrameComposer?>
    private let services: FrameServices
    private let pools = Locked<[String: WeakPool]>([:])

    /// Creates another decoder for the bytes that have arrived, for a thread that needs its own.
    typealias DecoderMaker = @Sendable () throws(TintypeError) -> any FrameDecoder

    /// The description of the frames that have arrived.
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

    /// A weak reference to a pool, so that a pool lives only as long as its animations and players.
    private struct WeakPool: Sendable {
        weak let pool: FramePool?
    }

    /// Describes the frames of an image with a new decoder. `byteCount` is the size of the encoded image, which the
    /// decoders retain.
    ///
    /// - Throws: The errors of `makeDecoder`.
    convenience init(
        byteCount: Int, services: FrameServices = FrameServices(), makeDecoder: @escaping DecoderMaker
    ) throws(TintypeError) {
        try self.init(try makeDecoder(), byteCount: byteCount, services: services, makeDecoder: makeDecoder)
    }

    /// Creates the frames of an image for which a decoder exists already.
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

    /// The frames that have arrived, as the file describes them.
    var frames: [AnimationFrame] { layout.withLock { $0.frames } }
    /// The total number of plays; 0 means forever.
    var loopCount: Int { layout.withLock { $0.loopCount } }

    /// The size in bytes of the encoded image and of the canvas held between frames.
    var memoryCost: Int { layout.withLock { $0.byteCount } + canvasSize.area * PixelBuffer.bytesPerPixel }

    /// Returns the whole canvas as it is shown during a frame.
    ///
    /// - Parameters:
    ///   - index: The frame, from 0.
    ///   - isCancelled: Checked periodically.
    ///   - onIntermediateFrame: Called for each frame that is painted on the way.
    /// - Throws: ``TintypeError/Code/noSuchFrame``, and the errors of ``FrameDecoder/pixels(of:isCancelled:)``.
    func composeFrame(
        at index: Int, isCancelled: @escaping @Sendable () -> Bool,
        onIntermediateFrame: FrameComposer.IntermediateFrameHandler = { _, _ in }
    ) throws(TintypeError) -> PixelBuffer {
        let layout = layout.withLock { $0 }
        guard layout.frames.indices.contains(index) else {
            throw TintypeError(
                .noSuchFrame, stage: .decode,
                "there is no frame \(index): the frames are numbered from 0 to \(layout.frames.count - 1)")
        }
        // Opening another decoder may wait for a worker process.
        let composer = try TransformContext(isCancelled: isCancelled).run { () throws(TintypeError) in
            try takeComposer(for: layout)
        }
        let pixels = try services.time.run(isCancelled: isCancelled) { isCancelled throws(TintypeError) in
            try composer.composeFrame(
                at: index, isCancelled: isCancelled, onIntermediateFrame: onIntermediateFrame)
        }
        // Not returned after an error, which may have left the decoder in an inconsistent state.
        returnComposer(composer)
        return pixels
    }

    /// Replaces the decoder with one that knows more frames.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if the frames known so far are not the same.
    func update(
        _ decoder: any FrameDecoder, byteCount: Int, makeDecoder: @escaping DecoderMaker
    ) throws(TintypeError) {
        try check(decoder, against: frames)
        let layout = layout.withLock { layout in
            layout = Layout(decoder, byteCount: byteCount, version: layout.version + 1, makeDecoder)
            return layout
        }
        guard let composer = takeIdleComposer() else { return }
        composer.update(decoder, plan: layout.plan, version: layout.version)
        returnComposer(composer)
    }

    /// Takes the idle composer, brought up to date, or creates one.
    private func takeComposer(for layout: Layout) throws(TintypeError) -> FrameComposer {
        guard let composer = takeIdleComposer() else {
            return try FrameComposer(makeDecoder(for: layout), plan: layout.plan, version: layout.version)
        }
        if composer.version < layout.version {
            composer.update(try makeDecoder(for: layout), plan: layout.plan, version: layout.version)
        }
        return composer
    }

    /// Creates another decoder of the frames of `layout`.
    private func makeDecoder(for layout: Layout) throws(TintypeError) -> any FrameDecoder {
        let decoder = try layout.makeDecoder()
        try check(decoder, against: layout.frames)
        return decoder
    }

    /// Checks that a decoder begins with the frames of a former one.
    ///
    /// A ``ReplayPlan`` and a canvas are made for one list of frames, but a decoder may be in a process that an image
    /// has taken over, and describe others each time.
    private func check(_ decoder: any FrameDecoder, against frames: [AnimationFrame]) throws(TintypeError) {
        guard decoder.canvasSize == canvasSize, decoder.frames.starts(with: frames, by: { $0.isPainted(like: $1) })
        else { throw .framesChanged }
    }

    /// Stores a composer as the idle one. A composer that another thread stored meanwhile is released outside the lock,
    /// since it owns a canvas and a decoder.
    private func returnComposer(_ composer: FrameComposer) {
        _ = idleComposer.withLock { idleComposer in
            defer { idleComposer = composer }
            return idleComposer
        }
    }

    /// Takes the idle composer, if there is one.
    private func takeIdleComposer() -> FrameComposer? {
        idleComposer.withLock { idleComposer in
            defer { idleComposer = nil }
            return idleComposer
        }
    }

    /// Returns a decoder that no composer uses, with the frames that have arrived.
    func takeDecoder() throws(TintypeError) -> any FrameDecoder {
        if let composer = takeIdleComposer() { return composer.decoder }
        return try makeDecoder(for: layout.withLock { $0 })
    }

    // MARK: Pools

    /// Returns the pool of these frames with `transforms`. Equal identifiers share one pool.
    func pool(transforms: [any ImageTransformer], poster: PixelBuffer) -> FramePool {
        let maker = FrameMaker(source: self, transforms: transforms).with(frameSize: poster.size)
        let (key, newPool) = (maker.identifier, FramePool(maker, poster: poster, services: services))
        let (pool, _) = pools.withLock { pools in
            // Returned from the closure, so that no pool is released under the lock.
            let livePools = pools.compactMapValues(\.pool)
            pools = pools.filter { livePools[$0.key] != nil }
            if let pool = livePools[key] { return (pool, livePools) }
            pools[key] = WeakPool(pool: newPool)
            return (newPool, livePools)
        }
        return pool
    }
}
