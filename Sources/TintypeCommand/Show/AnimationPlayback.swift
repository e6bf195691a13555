import Foundation
import Tintype
import TintypeTerminal

/// An animation, and the cells of the screen that show it.
struct PlacedAnimation: Sendable {
    /// The frames, with the size of the layout.
    let frames: AnimatedImage
    let layout: CellLayout
    /// The position on the screen. Rows above it are negative.
    var rect: CellRect
}

/// Plays animations among the text of a shell, in a terminal that cannot do it by itself.
///
/// Playback ends when all animations have ended, when the user presses `q` or Escape, and when the terminal was resized
/// or the process was stopped, because the position of the text is then unknown. The cursor stays at the beginning of
/// the row below.
@MainActor final class AnimationPlayback {
    private let capabilities: TerminalCapabilities
    /// The total number of plays, 0 for forever; `nil` as each animation says.
    private let loopCount: Int?
    private let interruption: Interruption
    private let finished = SharedPromise<Void>()

    /// - Parameters:
    ///   - loopCount: The total number of plays, 0 for forever; `nil` as each animation says.
    ///   - interruption: Ends the play as well.
    init(_ capabilities: TerminalCapabilities, loopCount: Int?, until interruption: Interruption) {
        self.capabilities = capabilities
        self.loopCount = loopCount
        self.interruption = interruption
    }

    /// Plays one animation at the cursor.
    ///
    /// - Throws: `TintypeError.Code.unreadable` without a terminal, `TintypeError.Code.unwritable`;
    ///   `TintypeError.Code.cancelled` after an interruption.
    func play(_ frames: AnimatedImage, _ layout: CellLayout) async throws(TintypeError) {
        let device = try TerminalDevice()
        try StandardOutput.write(raw: String(repeating: "\n", count: layout.span.rows))
        let below = TerminalQuestion.cursor(device)?.row ?? capabilities.size.rows - 1
        let rect = CellRect(column: 0, row: below - layout.span.rows, span: layout.span)
        try await play([PlacedAnimation(frames: frames, layout: layout, rect: rect)], above: below, on: device)
    }

    /// Plays animations that have been printed.
    ///
    /// - Parameters:
    ///   - row: The row of the cursor, below all animations.
    ///   - onEnd: Called on any thread before a signal ends the process, when the terminal has been restored.
    /// - Throws: `TintypeError.Code.unreadable` if the terminal is gone; `TintypeError.Code.cancelled` after an
    ///   interruption.
    func play(
        _ animations: [PlacedAnimation], above row: Int, on device: TerminalDevice,
        onEnd: @escaping @Sendable () -> Void = {}
    ) async throws(TintypeError) {
        guard !animations.isEmpty else { return }
        let finished = finished
        let group = AnimationGroup(animations.map(\.frames), loopCount: loopCount, onEnd: { finished.fulfill(()) })
        let session = try TerminalSession(capabilities, screen: .main, restingRow: row, device: device) { key in
            Task { @MainActor in group.press(key) }
        }
        // A signal that the interruption handles must not reach both handlers: their order would depend on the thread
        // that gets it.
        let signals = TerminalSignals(session, except: interruption.signals, onEnd: onEnd) { finished.fulfill(()) }
        interruption.setLastAction {
            session.end()
            onEnd()
        }
        defer { interruption.setLastAction(nil) }
        let regions = animations.map { session.makeRegion($0.rect) }
        for (animation, region) in zip(animations, regions) {
            region.show(.image(animation.frames.poster, animation.layout))
        }
        group.play { index, pixels in
            regions[index].show(.image(pixels, animations[index].layout), .animation)
        }
        interruption.whenRequested { finished.fulfill(()) }
        await finished.wait()
        group.stop()
        session.finish()
        // A region that is released is cleared.
        withExtendedLifetime((signals, regions)) {}
        try interruption.check()
    }
}
