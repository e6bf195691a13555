import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

/// A player whose time and decoding are controlled by the test. Each frame lasts 100 ms.
@MainActor struct PlayerFixture {
    let drawn: DrawnAnimation
    let queue = ManualQueue()
    let memory: FrameMemory
    let timer = ManualPlaybackTimer()
    let animation: AnimatedImage
    let player: AnimationPlayer
    /// The indices of the frames shown.
    let frames = Shared<[Int]>([])
    let loops = Shared<[Int]>([])
    let ends = Shared(0)

    /// Creates a player of `count` frames, each of which changes one pixel of the image.
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

    /// Returns another player of the same animation.
    func another() -> (player: AnimationPlayer, timer: ManualPlaybackTimer) {
        let timer = ManualPlaybackTimer()
        return (AnimationPlayer(animation, timer: timer, settings: player.settings), timer)
    }

    private func follow(_ player: AnimationPlayer) {
        player.onFrame = { [frames] index, _ in frames.withLock { $0.append(index) } }
        player.onLoop = { [loops] finished in loops.withLock { $0.append(finished) } }
        player.onEnd = { [ends] in ends.withLock { $0 += 1 } }
    }

    /// Returns the frames shown since the last call.
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
    /// Yields to other tasks, and throws if the test's time limit has passed.
    static func pause() async throws {
        try checkCancellation()
        await yield()
    }
}

extension DrawnAnimation {
    /// Returns an animation of these frames without a time limit, so that a test may hold its decoding on a busy
    /// machine.
    func animated(_ services: FrameServices) throws(TintypeError) -> AnimatedImage {
        var services = services
        services.time.source = ManualClock().timeSource
        let source = try ComposedFrames(
            try makeFrameDecoder(Data(), context: DecodeContext()), byteCount: 10, services: services
        ) { () throws(TintypeError) in try self.makeFrameDecoder(Data(), context: DecodeContext()) }
        return try AnimatedImage(source, info: info, context: DecodeContext())
    }
}

/// A queue that runs its work at once on the calling thread, or when the test says so.
final class ManualQueue: TurnQueue {
    private let waiting: Shared<[QueuedWork]> = Shared([])
    private let isHeld = Shared(false)

    var count: Int { waiting.now.count }

    /// Holds new work until ``run()``.
    func hold() { isHeld.withLock { $0 = true } }

    /// Runs the held work, but not work that it adds.
    func run() {
        let pieces = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for piece in pieces { piece.run() }
    }

    /// Runs the held work and stops holding.
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
