import Tintype
import TintypeTerminal

/// Animations that play at once, and the keys that control them.
@MainActor final class AnimationGroup {
    private let players: [AnimationPlayer]
    private var onEnd: (@MainActor () -> Void)?

    /// - Parameters:
    ///   - loopCount: The total number of plays, 0 for forever; `nil` as each animation says.
    ///   - makeTimer: Returns the timer of one animation.
    ///   - onEnd: Called once, when all animations have ended, or the user has ended them.
    init(
        _ animations: [AnimatedImage], loopCount: Int?,
        makeTimer: @MainActor () -> any PlaybackTimer = { SystemPlaybackTimer() },
        onEnd: @escaping @MainActor () -> Void
    ) {
        self.onEnd = onEnd
        var settings = PlaybackSettings()
        settings.loopCount = loopCount
        players = animations.map { animation in
            let player = AnimationPlayer(animation, timer: makeTimer(), settings: settings)
            // Frames that have not arrived by now will not come, and playback would wait for them.
            player.endGrowth()
            return player
        }
    }

    /// Starts all animations.
    ///
    /// - Parameter show: Shows a frame of the animation with an index.
    func play(show: @escaping @MainActor (_ index: Int, _ pixels: PixelBuffer) -> Void) {
        for (index, player) in players.enumerated() {
            player.onFrame = { _, pixels in show(index, pixels) }
            player.onEnd = { [weak self] in self?.endIfAllHaveEnded() }
        }
        for player in players { player.play() }
    }

    /// Stops playing. The end is not reported any more.
    func stop() {
        onEnd = nil
        for player in players {
            player.stop()
            // Breaks a retain cycle: the closures retain the session, which retains this group for its keys.
            (player.onFrame, player.onEnd) = (nil, nil)
        }
    }

    /// Handles a key. Only animations that have not ended react: one that has ended would not report another end.
    func press(_ key: TerminalKey) {
        // Keys may arrive after the end.
        guard onEnd != nil else { return }
        let players = players.filter { $0.status != .ended }
        switch key {
        case .character("q"), .escape: end()
        case .character(" "):
            let isPlaying = players.contains { $0.status == .playing }
            for player in players { isPlaying ? player.pause() : player.play() }
        case .character("."): for player in players { player.step(by: 1) }
        case .character(","): for player in players { player.step(by: -1) }
        default: break
        }
    }

    private func endIfAllHaveEnded() {
        if players.allSatisfy({ $0.status == .ended }) { end() }
    }

    private func end() {
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?()
    }
}

extension AnimationPlayer {
    /// Pauses, and moves by some frames, wrapping around at both ends.
    func step(by count: Int) {
        pause()
        let frame = (currentFrame + count) % animation.frameCount
        try? seek(to: frame < 0 ? frame + animation.frameCount : frame)
    }
}
