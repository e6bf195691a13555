import Foundation
import Tintype
import TintypeTerminal

/// A gallery for the terminal: rows of thumbnails that scroll, of the images that are named on the command line.
///
///     swift run TerminalGallery ~/Pictures/*.jpg https://example.org/photo.jpg
@main @MainActor final class TerminalGallery {
    private let sources: [ImageSource]
    private let session: TerminalSession
    private var views: [TerminalImageView] = []
    /// The number of rows that are scrolled beyond the top.
    private var firstRow = 0

    /// The cells of a thumbnail, with a free column and row between two of them.
    private static let cell = (columns: 25, rows: 12)

    static func main() async throws {
        let (keys, continuation) = AsyncStream<TerminalKey>.makeStream()
        let session = try TerminalSession(TerminalCapabilities.detect()) { continuation.yield($0) }
        // However the program ends, the shell gets its terminal back: after Control-C by the handler of the signal.
        defer { session.end() }
        let gallery = TerminalGallery(CommandLine.arguments.dropFirst().map { source($0) }, session)
        let signals = TerminalSignals(session) { Task { @MainActor in gallery.layOut() } }
        defer { withExtendedLifetime(signals) {} }
        for await key in keys {
            switch key {
            case .down: gallery.scroll(by: 1)
            case .up: gallery.scroll(by: -1)
            case .character("q"), .escape: return
            default: break
            }
        }
    }

    private static func source(_ argument: String) -> ImageSource {
        if argument.contains("://"), let url = URL(string: argument) { return .url(url) }
        return .file(argument)
    }

    private init(_ sources: [ImageSource], _ session: TerminalSession) {
        (self.sources, self.session) = (sources, session)
        layOut()
    }

    /// Fills the screen with views, whatever its size is now.
    private func layOut() {
        let rows = max(1, session.size.rows / Self.cell.rows)
        views = (0..<columns * rows).map { index in
            let rect = CellRect(
                column: index % columns * Self.cell.columns, row: index / columns * Self.cell.rows,
                columns: Self.cell.columns - 1, rows: Self.cell.rows - 1)
            return TerminalImageView(session, in: rect, pipeline: .shared)
        }
        scroll(by: 0)
    }

    private var columns: Int { max(1, session.size.columns / Self.cell.columns) }

    private func scroll(by rows: Int) {
        let lastRow = (sources.count - 1) / columns
        firstRow = min(max(firstRow + rows, 0), max(0, lastRow))
        showThumbnails()
    }

    /// Every view loads the image of its position. One that is in memory appears at once; the others fade in.
    private func showThumbnails() {
        for (index, view) in views.enumerated() {
            let number = firstRow * columns + index
            guard sources.indices.contains(number) else {
                view.binding.clear()
                continue
            }
            view.load(ImageRequest(source: sources[number]), presentation: Presentation(transition: .fade))
        }
    }
}
