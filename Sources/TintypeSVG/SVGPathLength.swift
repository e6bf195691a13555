import Foundation

/// An upper bound of the length of a path (SVG 2, 9.3). A curve is no longer than the lines through its control points.
struct SVGPathLength {
    private typealias Point = (x: Double, y: Double)

    private var scanner: SVGNumberScanner
    private var current: Point = (0, 0)
    private var start: Point = (0, 0)
    /// The distance from the last control point, which smooth curves mirror.
    private var handle = 0.0
    private var length = 0.0

    /// Returns the length of path data, up to the first error, as far as librsvg draws it.
    static func length(ofPath text: ArraySlice<UInt8>) -> Double {
        var path = SVGPathLength(scanner: SVGNumberScanner(text))
        while let command = path.scanner.command() { path.read(command) }
        return path.length
    }

    /// Returns the length of the outline through a list of points.
    static func length(ofPoints text: ArraySlice<UInt8>) -> Double {
        var path = SVGPathLength(scanner: SVGNumberScanner(text))
        path.read(UInt8(ascii: "M"))
        path.close()
        return path.length
    }

    private init(scanner: SVGNumberScanner) {
        self.scanner = scanner
    }

    /// Reads the arguments of a command, as often as they are repeated.
    private mutating func read(_ command: UInt8) {
        let isRelative = command & 0x20 != 0
        switch command | 0x20 {
        case UInt8(ascii: "z"): close()
        case UInt8(ascii: "m"): readMove(isRelative)
        case UInt8(ascii: "a"): while let end = arc(isRelative) { current = end }
        case UInt8(ascii: "h"), UInt8(ascii: "v"): readAxis(command, isRelative)
        case UInt8(ascii: "l"): readCurves(of: 1, isSmooth: false, isRelative)
        case UInt8(ascii: "c"): readCurves(of: 3, isSmooth: false, isRelative)
        case UInt8(ascii: "q"): readCurves(of: 2, isSmooth: false, isRelative)
        case UInt8(ascii: "s"): readCurves(of: 2, isSmooth: true, isRelative)
        case UInt8(ascii: "t"): readCurves(of: 1, isSmooth: true, isRelative)
        default: break
        }
    }

    private mutating func close() {
        length += Self.distance(current, start)
        (current, handle) = (start, 0)
    }

    private mutating func readMove(_ isRelative: Bool) {
        guard let point = point(isRelative) else { return }
        (current, start, handle) = (point, point, 0)
        readCurves(of: 1, isSmooth: false, isRelative)
    }

    private mutating func readAxis(_ command: UInt8, _ isRelative: Bool) {
        let isHorizontal = command | 0x20 == UInt8(ascii: "h")
        while let value = scanner.number() {
            let offset = isRelative ? value : value - (isHorizontal ? current.x : current.y)
            current = isHorizontal ? (current.x + offset, current.y) : (current.x, current.y + offset)
            length += abs(offset)
        }
        handle = 0
    }

    /// Reads lines or curves.
    ///
    /// - Parameters:
    ///   - count: The number of points of each, the end included.
    ///   - isSmooth: Whether each begins with the mirrored control point of the one before.
    private mutating func readCurves(of count: Int, isSmooth: Bool, _ isRelative: Bool) {
        while let points = points(count, isRelative) {
            // A mirrored point is as far from here as the original.
            let detour = isSmooth ? 2 * handle : 0
            let corners = [current] + points
            length += detour + zip(corners, corners.dropFirst()).reduce(0) { $0 + Self.distance($1.0, $1.1) }
            let last = Self.distance(corners[corners.count - 2], corners[corners.count - 1])
            handle = count > 1 ? last : isSmooth ? handle + last : 0
            current = points[count - 1]
        }
    }

    /// Reads an arc, and returns its end. Radii that are too small grow until the arc reaches it.
    private mutating func arc(_ isRelative: Bool) -> Point? {
        guard let across = scanner.number(), let down = scanner.number(), scanner.number() != nil,
            scanner.arcFlag(), scanner.arcFlag(), let end = point(isRelative)
        else { return nil }
        length += 2 * Double.pi * max(abs(across), abs(down), Self.distance(current, end))
        handle = 0
        return end
    }

    private mutating func points(_ count: Int, _ isRelative: Bool) -> [Point]? {
        var points: [Point] = []
        for _ in 0..<count {
            guard let point = point(isRelative) else { return nil }
            points.append(point)
        }
        return points
    }

    private mutating func point(_ isRelative: Bool) -> Point? {
        guard let x = scanner.number(), let y = scanner.number() else { return nil }
        return isRelative ? (current.x + x, current.y + y) : (x, y)
    }

    private static func distance(_ a: Point, _ b: Point) -> Double { abs(a.x - b.x) + abs(a.y - b.y) }
}
