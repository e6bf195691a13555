import Foundation

/// The frames of one animated picture as they are shown, composed when they are asked for. Frames may still arrive.
final class ComposedFrames: Sendable {
    let canvasSize: PixelSize
    private let layout: Locked<Layout>
    /// The composer that no one uses at the moment. A thread that finds none makes one of its own, so that none waits
    /// for another; one is kept.
    private let idle: Locked<FrameComposer?>
    private let services: FrameServices
    private let pools = Locked<[String: LivingPool]>([:])

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

    private struct LivingPool: Sendable {
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
        idle = Locked(try FrameComposer(decoder, layout.plan, version: 0))
        self.layout = Locked(layout)
    }

    var frames: [AnimationFrame] { layout.withLock { $0.frames } }
    var loopCount: Int { layout.withLock { $0.loopCount } }

    /// Bytes of the encoded picture and of the canvas that is kept between frames.
    var memoryCost: Int { layout.withLock { $0.byteCount } + canvasSize.area * PixelBuffer.bytesPerPixel }

    func composed(
        _ index: Int, isCancelled: @escaping @Sendable () -> Bool, passing: FrameComposer.Passing = { _, _ in }
    ) throws(TintypeError) -> PixelBuffer {
        let layout = layout.withLock { $0 }
        guard layout.frames.indices.contains(index) else {
            throw TintypeError(
                .noSuchFrame, stage: .decode, "there is no frame \(index), the picture has \(layout.frames.count)")
        }
        let composer = try takeComposer(layout)
        let picture = try services.time.run(isCancelled: isCancelled) { isCancelled throws(TintypeError) in
            try composer.composed(index, isCancelled: isCancelled, passing: passing)
        }
        // Not given back after an error, which may have left a decoder in the middle of something.
        giveBack(composer)
        return picture
    }

    /// Goes on with a decoder that knows more frames: those that there were are the same.
    func grow(
        _ decoder: any FrameDecoder, byteCount: Int, makeDecoder: @escaping DecoderMaker
    ) {
        let layout = layout.withLock { layout in
            layout = Layout(decoder, byteCount: byteCount, version: layout.version + 1, makeDecoder)
            return layout
        }
        guard let composer = takeIdle() else { return }
        composer.change(to: decoder, layout.plan, version: layout.version)
        giveBack(composer)
    }

    private func takeComposer(_ layout: Layout) throws(TintypeError) -> FrameComposer {
        guard let kept = takeIdle() else {
            return try FrameComposer(layout.makeDecoder(), layout.plan, version: layout.version)
        }
        if kept.version < layout.version {
            kept.change(to: try layout.makeDecoder(), layout.plan, version: layout.version)
        }
        return kept
    }

    /// The one that another thread has given back meanwhile dies after the lock: it has a canvas and a decoder.
    private func giveBack(_ composer: FrameComposer) {
        _ = idle.withLock { idle in
            defer { idle = composer }
            return idle
        }
    }

    private func takeIdle() -> FrameComposer? {
        idle.withLock { idle in
            defer { idle = nil }
            return idle
        }
    }

    // MARK: Pools

    /// The pool of these frames with such transforms: the one that there is, or else a new one.
    func pool(_ transforms: [any ImageTransformer], poster: PixelBuffer) -> FramePool {
        let maker = FrameMaker(source: self, transforms: transforms).making(poster.size)
        let (key, new) = (maker.identifier, FramePool(maker, poster: poster, services))
        let (pool, _) = pools.withLock { pools in
            // Taken out with the answer, so that none of them dies under the lock.
            let living = pools.compactMapValues(\.pool)
            pools = pools.filter { living[$0.key] != nil }
            if let pool = living[key] { return (pool, living) }
            pools[key] = LivingPool(pool: new)
            return (new, living)
        }
        return pool
    }
}
