import Foundation

/// Upper bounds of the length of a path (SVG 2, 9.3), and of the sides of its bounding box. A curve is no longer than the
/// lines through its control points, and lies between these points.
struct SVGPathLength {
    private typealias Point = (x: Double, y: Double)

    private var scanner: SVGNumberScanner
    private var current: Point = (0, 0)
    private var start: Point = (0, 0)
    /// The distance from the last control point, which smooth curves mirror.
    private var handle = 0.0
    /// The upper bound of the length, up to the first error, as far as librsvg draws the path.
    private(set) var length = 0.0
    /// The number of curves and arcs.
    private(set) var curves = 0
    /// The corners of the box of all points, which contains the origin: a point without a line may be anywhere.
    private var (least, most): (Point, Point) = ((0, 0), (0, 0))

    /// Returns the length of path data, up to the first error, as far as librsvg draws it.
    static func length(ofPath text: ArraySlice<UInt8>) -> Double { SVGPathLength(path: text).length }

    /// Returns whether path data may contain curves or arcs.
    static func mayCurve(_ text: ArraySlice<UInt8>) -> Bool { text.contains { curveCommands.contains($0 | 0x20) } }

    private static let curveCommands = Array("csqta".utf8)

    /// Returns the length of the outline through a list of points.
    static func length(ofPoints text: ArraySlice<UInt8>) -> Double { SVGPathLength(points: text).length }

    /// Returns the longer side of the box around the origin and a path.
    static func box(ofPath text: ArraySlice<UInt8>) -> Double { SVGPathLength(path: text).box }

    /// Returns the longer side of the box around the origin and a list of points.
    static func box(ofPoints text: ArraySlice<UInt8>) -> Double { SVGPathLength(points: text).box }

    init(path text: ArraySlice<UInt8>) {
        scanner = SVGNumberScanner(text)
        while let command = scanner.command() { read(command) }
    }

    private init(points text: ArraySlice<UInt8>) {
        scanner = SVGNumberScanner(text)
        read(UInt8(ascii: "M"))
        close()
    }

    private var box: Double {
        let side = max(most.x - least.x, most.y - least.y)
        return side.isNaN ? .infinity : side
    }

    /// Enlarges the box so that it contains everything within `margin` of a point.
    private mutating func include(_ point: Point, margin: Double = 0) {
        // A sum with NaN stays NaN, which means unbounded.
        least = (min(least.x, point.x - margin), min(least.y, point.y - margin))
        most = (max(most.x, point.x + margin), max(most.y, point.y + margin))
        if !point.x.isFinite || !point.y.isFinite || !margin.isFinite { most.x = .infinity }
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
        include(point)
        readCurves(of: 1, isSmooth: false, isRelative)
    }

    private mutating func readAxis(_ command: UInt8, _ isRelative: Bool) {
        let isHorizontal = command | 0x20 == UInt8(ascii: "h")
        while let value = scanner.number() {
            let offset = isRelative ? value : value - (isHorizontal ? current.x : current.y)
            current = isHorizontal ? (current.x + offset, current.y) : (current.x, current.y + offset)
            length += abs(offset)
            include(current)
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
            curves += isSmooth || count > 1 ? 1 : 0
            let corners = [current] + points
            include(current, margin: detour)
            for point in points { include(point) }
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
        let radius = max(abs(across), abs(down), Self.distance(current, end))
        length += 2 * Double.pi * radius
        include(end, margin: 2 * radius)
        (handle, curves) = (0, curves + 1)
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
