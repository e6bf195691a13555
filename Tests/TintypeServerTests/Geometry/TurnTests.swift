import Testing
import TintypeCore

@testable import TintypeServer

/// Turns images of numbered pixels, step by step.
@Suite struct TurnTests {
    typealias Pixels = [[Int]]

    static let stored: Pixels = [[1, 2, 3], [4, 5, 6]]

    static func rotatedClockwise(_ image: Pixels) -> Pixels {
        image[0].indices.map { column in image.reversed().map { $0[column] } }
    }

    static func mirrored(_ image: Pixels) -> Pixels { image.map { $0.reversed() } }

    /// Applies an Exif orientation (Exif 2.32, 4.6.4).
    static func upright(_ image: Pixels, _ orientation: Orientation) -> Pixels {
        switch orientation {
        case .up: image
        case .upMirrored: mirrored(image)
        case .down: image.reversed().map { $0.reversed() }
        case .downMirrored: image.reversed()
        case .leftMirrored: image[0].indices.map { column in image.map { $0[column] } }
        case .right: rotatedClockwise(image)
        case .rightMirrored: mirrored(rotatedClockwise(rotatedClockwise(rotatedClockwise(image))))
        case .left: rotatedClockwise(rotatedClockwise(rotatedClockwise(image)))
        }
    }

    @Test(arguments: Orientation.allCases, [0, 90, 180, 270])
    func orientationThenRotationThenFlipIsOneOrientation(_ orientation: Orientation, _ degrees: Int) throws {
        for flip in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let options = try parsedOptions("rot:\(degrees)/fl:\(flip.0):\(flip.1)")
            let source = GeometryPlan.Source(size: PixelSize(width: 3, height: 2), orientation: orientation)
            let plan = GeometryPlan(for: source, options)
            var image = Self.upright(Self.stored, orientation)
            for _ in 0..<degrees / 90 { image = Self.rotatedClockwise(image) }
            if flip.0 == 1 { image = Self.mirrored(image) }
            if flip.1 == 1 { image = image.reversed() }
            #expect(Self.upright(Self.stored, plan.orientation) == image, "\(orientation) \(degrees) \(flip)")
            #expect(plan.size == PixelSize(width: image[0].count, height: image.count))
        }
    }

    @Test(arguments: Orientation.allCases) func aCropOfTheSourceIsInUprightCoordinates(_ orientation: Orientation)
        throws
    {
        for rotation in [0, 90, 180, 270] {
            let options = try parsedOptions("c:1:1:noea/rot:\(rotation)")
            let source = GeometryPlan.Source(size: PixelSize(width: 3, height: 2), orientation: orientation)
            let plan = GeometryPlan(for: source, options)
            guard case .rectangle(let rect) = plan.sourceCrop else {
                Issue.record("no crop")
                continue
            }
            let image = Self.upright(Self.stored, plan.orientation)
            #expect(Self.stored[rect.y][rect.x] == image[0][image[0].count - 1], "\(orientation) \(rotation)")
        }
    }

    @Test(arguments: Orientation.allCases) func withoutAutoRotationTheOrientationIsIgnored(_ orientation: Orientation)
        throws
    {
        let source = GeometryPlan.Source(size: PixelSize(width: 3, height: 2), orientation: orientation)
        #expect(GeometryPlan(for: source, try parsedOptions("ar:0")).orientation == .up)
    }
}
