import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

/// A player whose time and whose decoding a test has in hand. Every frame lasts 100 ms.
@MainActor struct PlayerFixture {
    let drawn: DrawnAnimation
    let queue = ManualQueue()
    let memory: FrameMemory
    let timer = ManualPlaybackTimer()
    let animation: AnimatedImage
    let player: AnimationPlayer
    /// The frames that were shown.
    let frames = Shared<[Int]>([])
    let loops = Shared<[Int]>([])
    let ends = Shared(0)

    /// - Parameter count: of frames, each of which is a whole image's change of one pixel.
    init(
        _ count: Int = 5, loopCount: Int = 0, memory: FrameMemory = FrameMemory(limit: 1 << 20),
        _ change: (inout PlaybackSettings) -> Void = { _ in }
    ) throws {
        var drawn = try AnimatedImageTests.sprites(count)
        drawn.loopCount = loopCount
        try self.init(drawn, memory: memory, change)
    }

    init(
        _ drawn: DrawnAnimation, memory: FrameMemory = FrameMemory(limit: 1 << 20),
        on threads: (any TurnQueue)? = nil,
        _ change: (inout PlaybackSettings) -> Void = { _ in }
    ) throws {
        self.drawn = drawn
        self.memory = memory
        animation = try drawn.animated(FrameServices(memory: memory, queue: threads ?? queue))
        var settings = PlaybackSettings()
        settings.budget = .bytes(1 << 20)
        change(&settings)
        player = AnimationPlayer(animation, timer: timer, settings: settings)
        follow(player)
    }

    /// Another player of the same animation.
    func another() -> (player: AnimationPlayer, timer: ManualPlaybackTimer) {
        let timer = ManualPlaybackTimer()
        return (AnimationPlayer(animation, timer: timer, settings: player.settings), timer)
    }

    private func follow(_ player: AnimationPlayer) {
        player.onFrame = { [frames] index, _ in frames.withLock { $0.append(index) } }
        player.onLoop = { [loops] finished in loops.withLock { $0.append(finished) } }
        player.onEnd = { [ends] in ends.withLock { $0 += 1 } }
    }

    /// The frames that were shown since this was asked last.
    func shown() -> [Int] {
        frames.withLock { frames in
            defer { frames = [] }
            return frames
        }
    }

    /// Waits until a frame is shown.
    func wait(for frame: Int) async throws {
        while player.shownFrame != frame {
            if let failure = player.failure { throw failure }
            try await Task.pause()
        }
    }
}

extension Task where Success == Never, Failure == Never {
    /// Lets others go on; ends a wait when the test's time is over.
    static func pause() async throws {
        try checkCancellation()
        await yield()
    }
}

extension DrawnAnimation {
    /// Its decoding may take any time: a test may hold it for as long as the machine is busy with others.
    func animated(_ services: FrameServices) throws(TintypeError) -> AnimatedImage {
        var services = services
        services.time.source = ManualClock().timeSource
        let source = try ComposedFrames(
            try makeFrameDecoder(Data(), context: DecodeContext()), byteCount: 10, services: services
        ) { () throws(TintypeError) in try self.makeFrameDecoder(Data(), context: DecodeContext()) }
        return try AnimatedImage(source, info: info, context: DecodeContext())
    }
}

/// A line whose work is done at once in the same thread, or when a test says so.
final class ManualQueue: TurnQueue {
    private let waiting: Shared<[QueuedWork]> = Shared([])
    private let isHeld = Shared(false)

    var count: Int { waiting.now.count }

    /// From now on work waits for ``run()``.
    func hold() { isHeld.withLock { $0 = true } }

    /// Does what waits, but not what comes of it.
    func run() {
        let pieces = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for piece in pieces { piece.run() }
    }

    func release() {
        isHeld.withLock { $0 = false }
        run()
    }

    func push(_ piece: QueuedWork, at priority: ImagePriority) -> QueueTicket? {
        if isHeld.now { waiting.withLock { $0.append(piece) } } else { piece.run() }
        return nil
    }

    func move(_ ticket: QueueTicket, to priority: ImagePriority) {}

    func cancel(_ ticket: QueueTicket) {}
}
