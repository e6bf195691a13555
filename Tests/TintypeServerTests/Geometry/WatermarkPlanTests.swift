import Testing
import TintypeCore

@testable import TintypeServer

/// The cases of imgproxy's `processing/watermark_test.go`: a watermark of 200×100 on an image of 1080×902.
@Suite struct WatermarkPlanTests {
    static let image = PixelSize(width: 1080, height: 902)
    static let mark = PixelSize(width: 200, height: 100)

    /// Arguments of the option, the pixel ratio, and the size and corner of the watermark.
    static let rows: [(String, Double, Int, Int, Int, Int)] = [
        ("1:ce", 1, 200, 100, 440, 402), ("1:no", 1, 200, 100, 440, 0), ("1:so", 1, 200, 100, 440, 802),
        ("1:ea", 1, 200, 100, 880, 402), ("1:we", 1, 200, 100, 0, 402), ("1:noea", 1, 200, 100, 880, 0),
        ("1:nowe", 1, 200, 100, 0, 0), ("1:soea", 1, 200, 100, 880, 802), ("1:sowe", 1, 200, 100, 0, 802),
        ("1:no:50", 1, 200, 100, 490, 0), ("1:no::50", 1, 200, 100, 440, 50), ("1:no::50", 2, 200, 100, 440, 100),
        ("1:soea:10:20", 1, 200, 100, 870, 782), ("1:ce:0.1:0.1", 1, 200, 100, 548, 492),
        ("1:soea:-50:-50", 1, 200, 100, 930, 852), ("1:nowe:-500:0", 1, 200, 100, -199, 0),
        ("1:ce:::0.5", 1, 540, 270, 270, 316), ("1:ce:::0.1", 1, 108, 54, 486, 424), ("1:no:::2", 1, 2160, 1080, 0, 0),
    ]

    @Test func aWatermarkHasItsSizeAndPlace() throws {
        for (arguments, ratio, width, height, x, y) in Self.rows {
            let options = try parsedOptions("wm:" + arguments).watermark
            let plan = WatermarkPlan(of: Self.mark, on: Self.image, options, pixelRatio: ratio)
            #expect(plan.size == PixelSize(width: width, height: height), "\(arguments)")
            let corner = try #require(plan.corners.first)
            #expect(plan.corners.count == 1)
            // One larger than the image has no place of its own: any that covers the image is right.
            guard width <= Self.image.width else { continue }
            #expect(abs(corner.x - x) <= 1 && abs(corner.y - y) <= 1, "\(arguments): \(corner)")
        }
    }

    @Test func aWatermarkOfAGivenSizeIsFittedIntoIt() throws {
        let rows = [("100:100", 100, 50), ("0:200", 400, 200), ("50:0", 50, 25)]
        for (size, width, height) in rows {
            let options = try parsedOptions("wm:1/wms:\(size)").watermark
            let plan = WatermarkPlan(of: Self.mark, on: Self.image, options, pixelRatio: 1)
            #expect(plan.size == PixelSize(width: width, height: height), "\(size)")
        }
        let scaled = try parsedOptions("wm:1::::0.1/wms:100:100").watermark
        #expect(WatermarkPlan(of: Self.mark, on: Self.image, scaled, pixelRatio: 1).size.width == 108)
    }

    @Test func aRotatedWatermarkHasTheSizeOfItsBounds() throws {
        let rows = [("90", 100, 200), ("180", 200, 100), ("-90", 100, 200), ("45", 213, 213), ("360", 200, 100)]
        for (angle, width, height) in rows {
            let options = try parsedOptions("wm:1/wmr:\(angle)").watermark
            let plan = WatermarkPlan(of: Self.mark, on: Self.image, options, pixelRatio: 1)
            #expect(plan.size == PixelSize(width: width, height: height), "\(angle)")
            #expect(plan.scaledSize == Self.mark)
        }
    }

    @Test(arguments: ["re", "ch"]) func tilesCoverTheImage(_ placement: String) throws {
        let options = try parsedOptions("wm:1:\(placement)").watermark
        let image = PixelSize(width: 107, height: 53)
        let plan = WatermarkPlan(of: PixelSize(width: 10, height: 7), on: image, options, pixelRatio: 1)
        var counts = [[Int]](repeating: .init(repeating: 0, count: image.width), count: image.height)
        for corner in plan.corners {
            for y in max(0, corner.y)..<min(image.height, corner.y + 7) {
                for x in max(0, corner.x)..<min(image.width, corner.x + 10) { counts[y][x] += 1 }
            }
        }
        #expect(counts.allSatisfy { $0.allSatisfy { $0 == 1 } })
    }

    @Test func offsetsAreTheDistanceOfTiles() throws {
        let options = try parsedOptions("wm:1:re:10:0.1").watermark
        let plan = WatermarkPlan(
            of: PixelSize(width: 10, height: 10), on: PixelSize(width: 100, height: 100), options, pixelRatio: 2)
        let columns = Set(plan.corners.map(\.x)).sorted()
        let rows = Set(plan.corners.map(\.y)).sorted()
        #expect(zip(columns, columns.dropFirst()).allSatisfy { $1 - $0 == 30 })
        #expect(zip(rows, rows.dropFirst()).allSatisfy { $1 - $0 == 20 })
    }

    @Test func inAChessboardEveryOtherRowIsShifted() throws {
        let options = try parsedOptions("wm:1:ch").watermark
        let plan = WatermarkPlan(
            of: PixelSize(width: 10, height: 10), on: PixelSize(width: 30, height: 30), options, pixelRatio: 1)
        let rows = Dictionary(grouping: plan.corners, by: \.y).mapValues { Set($0.map { ($0.x % 10 + 10) % 10 }) }
        #expect(rows == [0: [5], 10: [0], 20: [5]])
    }

    @Test func theNumberOfTilesIsBounded() throws {
        let options = try parsedOptions("wm:1:re").watermark
        let plan = WatermarkPlan(
            of: PixelSize(width: 1, height: 1), on: PixelSize(width: 8192, height: 8192), options, pixelRatio: 1)
        #expect(plan.corners.count == WatermarkPlan.maximumCopies)
    }
}
