import Foundation
import TintypeCore
import TintypeTerminal
import TintypeViews

// The code of the article Terminal. `DocumentCodeTests` compares the two.

/// Shows an image on a screen of its own until a key is pressed.
@MainActor func show(_ url: URL, with pipeline: ImagePipeline) async throws(TintypeError) {
    let (keys, continuation) = AsyncStream.makeStream(of: TerminalKey.self)
    // The closure runs on the thread of the session.
    let session = try TerminalSession(TerminalCapabilities.detect()) { key in continuation.yield(key) }
    defer { session.end() }
    let view = TerminalImageView(
        session, in: CellRect(column: 0, row: 0, columns: 40, rows: 20), pipeline: pipeline)
    view.load(ImageRequest(url: url), presentation: Presentation(transition: .fade))
    for await _ in keys { break }
    view.binding.cancel()
}
