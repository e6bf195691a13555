import Testing
import TintypeCore
import TintypeTesting
import TintypeViews

@testable import TintypeTerminal

@Suite struct LayerPainterTests {
    private let canvas = PixelSize(width: 12, height: 10)

    private func image(_ color: Color, _ width: Int, _ height: Int) throws -> TransitionImage {
        let size = PixelSize(width: width, height: height)
        return TransitionImage(
            pixels: try .filled(color.pixel, size: size),
            layout: CellLayout(CellSpan(columns: 1, rows: 1), pixels: size))
    }

    private func painted(
        _ frame: TransitionFrame, old: TransitionImage? = nil, new: TransitionImage? = nil
    ) throws -> PixelBuffer {
        try LayerPainter(canvas: canvas).paint(old, new, frame)
    }

    @Test func halfOfAFadeIsTheMeanOfBothImages() throws {
        let (old, new) = (
            try image(Color(red: 200, green: 0, blue: 0), 12, 10), try image(Color(red: 0, green: 100, blue: 0), 12, 10)
        )
        let half = try painted(TransitionFrame(old: .shown, new: .init(opacity: 0.5)), old: old, new: new)
        for channel in [(half[5, 5].red, 100), (half[5, 5].green, 50), (half[5, 5].alpha, 255)] {
            #expect(abs(Int(channel.0) - channel.1) <= 1)
        }
    }

    @Test func theEndsAreExact() throws {
        let (old, new) = (try image(.white, 6, 4), try image(Color(red: 10, green: 20, blue: 30, alpha: 128), 6, 4))
        for (frame, expected) in [
            (TransitionFrame.start, Color.white.pixel), (.end, Color(red: 10, green: 20, blue: 30, alpha: 128).pixel),
        ] {
            let pixels = try painted(frame, old: old, new: new)
            #expect(pixels[6, 5] == expected)
            // The image lies in the middle of the canvas.
            #expect(pixels[2, 5].alpha == 0 && pixels[9, 5].alpha == 0 && pixels[6, 2].alpha == 0)
        }
    }

    @Test func aSlideMovesByTheWidthOfTheView() throws {
        let new = try image(.white, 12, 10)
        let pixels = try painted(TransitionFrame(old: .hidden, new: .init(x: 0.5)), new: new)
        #expect(pixels[5, 0].alpha == 0 && pixels[6, 0].alpha == 255)
        let outside = try painted(TransitionFrame(old: .hidden, new: .init(y: -1)), new: new)
        #expect((0..<10).allSatisfy { outside[0, $0].alpha == 0 })
    }

    /// As a program's transition may return them, for example for a division by zero.
    @Test(arguments: [
        TransitionFrame.Layer(opacity: .nan), .init(opacity: .infinity), .init(x: .infinity), .init(y: .nan),
        .init(x: 1e300), .init(scale: .infinity), .init(scale: .nan), .init(scale: -1), .init(scale: 1e30),
        .init(turn: .init(.vertical, degrees: .nan)),
    ])
    func extremeFramesAreSurvived(_ layer: TransitionFrame.Layer) throws {
        let pixels = try painted(TransitionFrame(old: .hidden, new: layer), new: try image(.white, 12, 10))
        #expect(pixels.size == canvas && (pixels[6, 5].alpha == 255) == (layer.opacity == .infinity))
    }

    @Test func aTurnedImageIsNarrow() throws {
        let new = try image(.white, 12, 10)
        let turned = try painted(
            TransitionFrame(old: .hidden, new: .init(turn: .init(.vertical, degrees: 60))), new: new)
        #expect((0..<12).filter { turned[$0, 5].alpha == 255 } == Array(3..<9))
        let edge = try painted(TransitionFrame(old: .hidden, new: .init(turn: .init(.vertical, degrees: 90))), new: new)
        #expect((0..<12).allSatisfy { edge[$0, 5].alpha == 0 })
    }
}

@Suite struct TerminalProgressBarTests {
    @Test(arguments: [
        (0, 100, 40, "╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ 0 %"), (50, 100, 40, "━━━━━━━━╌╌╌╌╌╌╌╌ 50 %"),
        (100, 100, 40, "━━━━━━━━━━━━━━━━ 100 %"), (50, 100, 12, "━━━╌╌╌ 50 %"), (50, 100, 3, "╌"),
    ])
    func bars(_ received: Int, _ expected: Int, _ columns: Int, _ line: String) {
        #expect(
            TerminalProgressBar.line(LoadProgress(received: received, expected: expected), columns: columns) == line)
    }

    @Test func anUnknownLengthHasNoFraction() {
        #expect(TerminalProgressBar.line(LoadProgress(received: 7), columns: 12) == "······")
    }
}
