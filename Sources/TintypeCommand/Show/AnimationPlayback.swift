import Foundation
import Tintype
import TintypeTerminal

/// Plays an animation among the text of a shell, in a terminal that cannot do it by itself.
@MainActor final class AnimationPlayback {
    private let capabilities: TerminalCapabilities
    private let animation: AnimatedImage
    private let layout: CellLayout
    private var player: AnimationPlayer?
    private let finished = SharedPromise<Void>()

    /// - Parameters:
    ///   - animation: Its frames have the size of the layout.
    ///   - layout: The cells of each frame.
    init(_ capabilities: TerminalCapabilities, _ animation: AnimatedImage, _ layout: CellLayout) {
        self.capabilities = capabilities
        self.animation = animation
        self.layout = layout
    }

    /// Plays until the end, or until the user presses `q` or Escape. The space bar pauses; `.` and `,` step.
    ///
    /// - Parameter loopCount: The total number of plays, 0 for forever.
    /// - Throws: ``TintypeError/Code/unreadable`` without a terminal, ``TintypeError/Code/unwritable``.
    func play(loopCount: Int) async throws(TintypeError) {
        let device = try TerminalDevice()
        let rows = layout.span.rows
        try StandardOutput.write(raw: String(repeating: "\n", count: rows))
        let below = TerminalQuestion.cursor(device)?.row ?? capabilities.size.rows - 1
        let place = CellRect(column: 0, row: max(0, below - rows), span: layout.span)
        let session = try TerminalSession(capabilities, screen: .main, device: device) { key in
            Task { @MainActor in self.press(key) }
        }
        let region = session.makeRegion(place)
        let signals = TerminalSignals(session) {}
        start(region, loopCount)
        await finished.wait()
        player?.stop()
        session.finish()
        withExtendedLifetime((signals, region)) {}
        try StandardOutput.write(raw: "\u{1B}[\(min(capabilities.size.rows, place.row + rows + 1));1H")
    }

    private func start(_ region: TerminalRegion, _ loopCount: Int) {
        var settings = PlaybackSettings()
        settings.loopCount = loopCount
        let player = AnimationPlayer(animation, settings: settings)
        player.onFrame = { [layout] _, pixels in region.show(.image(pixels, layout), .animation) }
        player.onEnd = { [weak self] in self?.finished.fulfill(()) }
        self.player = player
        region.show(.image(animation.poster, layout))
        player.play()
    }

    private func press(_ key: TerminalKey) {
        guard let player else { return }
        switch key {
        case .character("q"), .escape: finished.fulfill(())
        case .character(" "): player.status == .playing ? player.pause() : player.play()
        case .character("."): player.step(by: 1)
        case .character(","): player.step(by: -1)
        default: break
        }
    }
}

extension AnimationPlayer {
    /// Pauses, and moves by some frames, around the end as well.
    func step(by count: Int) {
        pause()
        let frame = (currentFrame + count) % animation.frameCount
        try? seek(to: frame < 0 ? frame + animation.frameCount : frame)
    }
}
