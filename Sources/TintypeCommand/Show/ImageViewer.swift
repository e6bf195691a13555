import Foundation
import Tintype
import TintypeTerminal

/// The viewer of `tintype show --interactive`: one image on a screen of its own, with keys.
@MainActor final class ImageViewer {
    private let inputs: [BatchInput]
    private let loader: ShowLoader
    private let capabilities: TerminalCapabilities
    private let loopCount: Int?
    private var state: ViewerState
    private var session: TerminalSession?
    private var imageRegion: TerminalRegion?
    private var line: TerminalRegion?
    private var loading: Task<Void, Never>?
    private var shown: Image?
    /// The last line of the screen.
    private var message = ""
    /// The error of the newest load, if it has failed.
    private var failure: TintypeError?
    /// The files that could not be loaded when they were shown last.
    private var failed: Set<Int> = []
    private var player: AnimationPlayer?
    private let finished = SharedPromise<Void>()

    /// - Parameter loopCount: The total number of plays of animations, 0 for forever; `nil` as the file says.
    init(_ inputs: [BatchInput], _ loader: ShowLoader, _ capabilities: TerminalCapabilities, loopCount: Int?) {
        self.inputs = inputs
        self.loader = loader
        self.capabilities = capabilities
        self.loopCount = loopCount
        state = ViewerState(fileCount: inputs.count)
    }

    /// Shows images until the user presses `q`.
    ///
    /// - Parameter watch: Reports the sources that have changed; `nil` to watch none.
    /// - Returns: The number of files that could not be loaded when they were shown last.
    /// - Throws: `TintypeError.Code.unreadable` without a terminal.
    func run(watching watch: FileWatch?) async throws(TintypeError) -> Int {
        let session = try TerminalSession(capabilities) { key in
            Task { @MainActor in self.press(key) }
        }
        self.session = session
        let signals = TerminalSignals(session) { Task { @MainActor in self.layOut() } }
        layOut()
        load()
        let watching = watch.map { watch in
            Task { @MainActor in
                for await _ in watch.changes(of: { self.currentPath }) { self.load(keepingPosition: true) }
            }
        }
        await finished.wait()
        watching?.cancel()
        loading?.cancel()
        player?.stop()
        session.end()
        withExtendedLifetime(signals) {}
        return failed.count
    }

    private var source: SourceArgument { inputs[state.file].source }
    private var currentPath: String? { source.isStandardInput ? nil : source.path }

    // MARK: Keys

    private func press(_ key: TerminalKey) {
        switch state.press(key) {
        case .nothing: break
        case .load:
            forget()
            load()
        case .draw: draw()
        case .togglePlayback: if let player { player.status == .playing ? player.pause() : player.play() }
        case .step(let count): player?.step(by: count)
        case .quit: finished.fulfill(())
        }
    }

    // MARK: Loading

    /// Loads the current file at its full size, so that it can be enlarged.
    private func load(keepingPosition isSame: Bool = false) {
        loading?.cancel()
        failure = nil
        if !isSame { write("loading \(ShowLine.name(source)) …") }
        loading = Task { @MainActor [input = inputs[state.file], file = state.file, loader] in
            let result = await Result.of { () async throws(TintypeError) in
                try await loader.image(input, within: nil, frames: .all, freshness: isSame ? .reload : .cached)
            }
            guard !Task.isCancelled else { return }
            switch result {
            case .success(let image):
                failed.remove(file)
                show(image)
            case .failure(let error):
                failed.insert(file)
                failure = error
                write("\(error)")
            }
        }
    }

    /// Removes the former file's image, which must not appear under the name of another one.
    private func forget() {
        player?.stop()
        (player, shown) = (nil, nil)
        imageRegion?.show(.nothing)
    }

    private func show(_ image: Image) {
        shown = image
        player?.stop()
        player = image.animation.map(makePlayer)
        draw()
        player?.play()
    }

    private func makePlayer(_ animation: AnimatedImage) -> AnimationPlayer {
        var settings = PlaybackSettings()
        settings.loopCount = loopCount
        let player = AnimationPlayer(animation, settings: settings)
        player.onFrame = { [weak self] _, pixels in self?.draw(pixels, .animation) }
        return player
    }

    // MARK: Drawing

    /// Divides the screen: all rows but the last are for the image.
    private func layOut() {
        guard let session else { return }
        let size = session.size
        let image = CellRect(column: 0, row: 0, columns: size.columns, rows: max(1, size.rows - 1))
        let text = CellRect(column: 0, row: size.rows - 1, columns: size.columns, rows: 1)
        if let imageRegion, let line {
            (imageRegion.rect, line.rect) = (image, text)
        } else {
            (imageRegion, line) = (session.makeRegion(image), session.makeRegion(text))
        }
        draw()
    }

    private func draw() {
        guard let shown else { return write(message) }
        draw(player?.shownPixels ?? shown.pixels, .content)
    }

    private func draw(_ pixels: PixelBuffer, _ kind: FrameKind) {
        guard let imageRegion, let session, let shown else { return }
        let symbols = capabilities.bestProtocol.symbols(capabilities.colors)
        let part = state.visibleRect(of: pixels.size)
        let layout = CellLayout(
            pixels.size, within: imageRegion.rect.span, cell: session.size.cell, symbols: symbols,
            scaling: state.zoomSteps > 0 ? .toFit : .down)
        // Only the visible part is resampled, so a large image costs no more than a small one.
        guard let visible = try? pixels.resampled(crop: part, to: layout.pixels, filter: .lanczos3) else { return }
        imageRegion.show(.image(visible, layout), kind)
        write(status(shown))
    }

    private func write(_ text: String) {
        message = text
        line?.show(.text([text]))
    }

    private func status(_ image: Image) -> String {
        // A watched file that has become unreadable is shown as it was.
        if let failure { return "\(failure)" }
        var parts = [ShowLine.text(source, image.info)]
        if inputs.count > 1 { parts.insert("\(state.file + 1)/\(inputs.count)", at: 0) }
        if let player { parts.append("frame \(player.shownFrame + 1)") }
        if state.zoomSteps > 0 { parts.append("\(Int((state.zoom * 100).rounded())) %") }
        return parts.joined(separator: "  ")
    }
}

extension Result where Success: Sendable, Failure == TintypeError {
    /// Returns the result of an operation.
    fileprivate static func of(_ operation: () async throws(TintypeError) -> Success) async -> Self {
        do throws(TintypeError) { return .success(try await operation()) } catch { return .failure(error) }
    }
}
