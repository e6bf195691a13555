import Foundation
import Testing
import Tintype
import TintypeTerminal

@testable import TintypeCommand

@Suite struct ViewerStateTests {
    private func press(_ keys: [TerminalKey], _ state: inout ViewerState) -> [ViewerState.Effect] {
        keys.map { state.press($0) }
    }

    @Test func keysStepThroughTheFiles() {
        var state = ViewerState(fileCount: 3)
        let effects = press([.character("p"), .right, .character("n"), .pageDown, .left, .home, .end], &state)
        #expect(effects == [.nothing, .load, .load, .nothing, .load, .load, .load])
        #expect(state.file == 2)
    }

    @Test func anEnlargedImageIsMovedByArrowsUpToItsEdges() {
        var state = ViewerState(fileCount: 2)
        let size = PixelSize(width: 1000, height: 500)
        #expect(state.visibleRect(of: size) == PixelRect(x: 0, y: 0, size: size))
        #expect(press([.up, .down], &state) == [.nothing, .nothing])
        #expect(press([.character("+"), .character("="), .character("+")], &state) == [.draw, .draw, .draw])
        let part = PixelSize(width: 512, height: 256)
        #expect(state.visibleRect(of: size) == PixelRect(x: 244, y: 122, size: part))
        #expect(press([.right], &state) == [.draw] && state.file == 0)
        #expect(state.visibleRect(of: size).x == 372)
        _ = press(Array(repeating: .right, count: 9), &state)
        #expect(state.visibleRect(of: size).x == 488)
        #expect(press([.right], &state) == [.nothing])
        #expect(press([.character("0")], &state) == [.draw])
        #expect(state.visibleRect(of: size) == PixelRect(x: 0, y: 0, size: size))
        #expect(press([.character("0"), .character("-")], &state) == [.nothing, .nothing])
    }

    @Test func anotherFileIsShownWhole() {
        var state = ViewerState(fileCount: 2)
        _ = press([.character("+"), .up, .character("n")], &state)
        #expect(state.zoomSteps == 0 && state.center == SIMD2(0.5, 0.5))
    }

    @Test func theSmallestPartIsOnePixel() {
        var state = ViewerState(fileCount: 1)
        _ = press(Array(repeating: .character("+"), count: 99), &state)
        #expect(state.zoomSteps == 20)
        #expect(state.visibleRect(of: PixelSize(width: 3, height: 2)).size == PixelSize(width: 1, height: 1))
    }

    @Test func playbackKeys() {
        var state = ViewerState(fileCount: 1)
        let keys: [TerminalKey] = [.character(" "), .character("."), .character(","), .character("x"), .escape]
        #expect(press(keys, &state) == [.togglePlayback, .step(1), .step(-1), .nothing, .quit])
        #expect(press([.character("q"), .character("\u{3}")], &state) == [.quit, .quit])
    }
}

@Suite struct WatchStateTests {
    private func stamp(_ count: Int) throws -> FileWatch.Stamp {
        let file = FileManager.default.temporaryDirectory.appending(path: "tintype-watch-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(repeating: 0, count: count).write(to: file)
        return try #require(FileWatch.Stamp(file.path(percentEncoded: false)))
    }

    /// A file that is still being written is not read.
    @Test func aChangeIsReportedOnceTheFileStaysTheSame() throws {
        let (first, second, third) = (try stamp(1), try stamp(2), try stamp(3))
        var state = WatchState()
        let stamps = [first, first, second, third, third, third, nil, third, first, first]
        let changes = stamps.map { state.hasChanged("a", stamp: $0) }
        #expect(changes == [false, false, false, false, true, false, false, false, false, true])
        // Another file has not changed, nor has no file.
        let others: [(String?, FileWatch.Stamp?)] = [("b", second), ("b", second), (nil, nil)]
        #expect(others.map { state.hasChanged($0, stamp: $1) } == [false, false, false])
    }
}
