import Tintype
import TintypeTerminal

/// The state of the viewer of `tintype show --interactive`: which file it shows, and which part of it.
struct ViewerState: Equatable {
    /// The effect of a key.
    enum Effect: Equatable {
        case nothing
        /// Another file is shown.
        case load
        /// Another part of the image is shown.
        case draw
        /// The animation plays or pauses.
        case togglePlayback
        /// The animation pauses and moves by this many frames.
        case step(Int)
        case quit
    }

    let fileCount: Int
    private(set) var file = 0
    /// How often the image was enlarged: each step is a quarter.
    private(set) var zoomSteps = 0
    /// The centre of the shown part, from 0 to 1 in both directions.
    private(set) var center = SIMD2(0.5, 0.5)

    /// The largest number of steps: about 87 times.
    private static let maximumZoomSteps = 20

    init(fileCount: Int) {
        self.fileCount = fileCount
    }

    /// The enlargement; 1 shows the whole image.
    var zoom: Double {
        (0..<zoomSteps).reduce(1) { zoom, _ in zoom * 1.25 }
    }

    mutating func press(_ key: TerminalKey) -> Effect {
        switch key {
        case .character("q"), .character("\u{3}"), .escape: return .quit
        case .character("n"), .pageDown, .enter: return show(file + 1)
        case .character("p"), .pageUp: return show(file - 1)
        case .home: return show(0)
        case .end: return show(fileCount - 1)
        case .character("+"), .character("="): return zoom(by: 1)
        case .character("-"): return zoom(by: -1)
        case .character("0"): return zoom(by: -zoomSteps)
        case .right: return zoomSteps > 0 ? move(SIMD2(1, 0)) : show(file + 1)
        case .left: return zoomSteps > 0 ? move(SIMD2(-1, 0)) : show(file - 1)
        case .up: return move(SIMD2(0, -1))
        case .down: return move(SIMD2(0, 1))
        case .character(" "): return .togglePlayback
        case .character("."): return .step(1)
        case .character(","): return .step(-1)
        default: return .nothing
        }
    }

    private mutating func show(_ next: Int) -> Effect {
        guard next != file, (0..<fileCount).contains(next) else { return .nothing }
        file = next
        (zoomSteps, center) = (0, SIMD2(0.5, 0.5))
        return .load
    }

    private mutating func zoom(by steps: Int) -> Effect {
        let next = min(max(zoomSteps + steps, 0), Self.maximumZoomSteps)
        guard next != zoomSteps else { return .nothing }
        zoomSteps = next
        center = clamped(center)
        return .draw
    }

    /// Moves by a quarter of what is shown.
    private mutating func move(_ direction: SIMD2<Double>) -> Effect {
        let next = clamped(center + direction * (0.25 / zoom))
        guard next != center else { return .nothing }
        center = next
        return .draw
    }

    /// Returns the centre, moved so that nothing beyond the edges is shown.
    private func clamped(_ center: SIMD2<Double>) -> SIMD2<Double> {
        let margin = 0.5 / zoom
        return center.clamped(lowerBound: SIMD2(repeating: margin), upperBound: SIMD2(repeating: 1 - margin))
    }

    /// Returns the part of an image that is shown.
    func visibleRect(of size: PixelSize) -> PixelRect {
        let part = PixelSize(
            width: max(1, Int((Double(size.width) / zoom).rounded())),
            height: max(1, Int((Double(size.height) / zoom).rounded())))
        let x = Int((center.x * Double(size.width) - Double(part.width) / 2).rounded())
        let y = Int((center.y * Double(size.height) - Double(part.height) / 2).rounded())
        return PixelRect(
            x: min(max(0, x), size.width - part.width), y: min(max(0, y), size.height - part.height), size: part)
    }
}
