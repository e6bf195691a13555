import Testing
import TintypeCore

@testable import TintypeServer

/// The sizes that imgproxy's own tests expect (`processing/*_test.go` of eef3b31), for a source of 200×100.
@Suite struct DocumentedGeometryTests {
    /// A resizing type with other options, and for each requested size that of the result.
    struct Table: Sendable {
        let type: String
        let others: String
        let sizes: [(requested: (Int, Int), result: (Int, Int))]

        init(_ type: String, _ others: String = "", _ sizes: [((Int, Int), (Int, Int))]) {
            self.type = type
            self.others = others
            self.sizes = sizes
        }
    }

    static let extended: [((Int, Int), (Int, Int))] = [
        ((50, 50), (50, 50)), ((50, 20), (50, 20)), ((20, 50), (20, 50)), ((300, 300), (300, 300)),
        ((300, 125), (300, 125)), ((250, 300), (250, 300)), ((300, 50), (300, 50)), ((100, 300), (100, 300)),
        ((0, 50), (100, 50)), ((50, 0), (50, 25)), ((0, 200), (200, 200)), ((300, 0), (300, 100)),
    ]
    static let enlarged: [((Int, Int), (Int, Int))] = [
        ((50, 50), (50, 50)), ((50, 20), (50, 20)), ((20, 50), (20, 50)), ((300, 300), (300, 300)),
        ((300, 125), (300, 125)), ((250, 300), (250, 300)), ((0, 50), (100, 50)), ((50, 0), (50, 25)),
        ((0, 200), (400, 200)), ((300, 0), (300, 150)),
    ]
    static let extendedAspect: [((Int, Int), (Int, Int))] = [
        ((50, 50), (50, 50)), ((50, 20), (50, 20)), ((20, 50), (20, 50)), ((300, 300), (200, 200)),
        ((300, 125), (240, 100)), ((250, 500), (200, 400)), ((0, 50), (100, 50)), ((50, 0), (50, 25)),
        ((0, 200), (200, 100)), ((300, 0), (200, 100)),
    ]
    static let down: [((Int, Int), (Int, Int))] = [
        ((50, 50), (50, 50)), ((50, 20), (50, 20)), ((20, 50), (20, 50)), ((300, 300), (100, 100)),
        ((300, 125), (200, 83)), ((250, 300), (83, 100)), ((0, 50), (100, 50)), ((50, 0), (50, 25)),
        ((0, 200), (200, 100)), ((300, 0), (200, 100)),
    ]

    static let tables: [Table] = [
        Table(
            "fit", "",
            [
                ((50, 50), (50, 25)), ((50, 20), (40, 20)), ((20, 50), (20, 10)), ((300, 300), (200, 100)),
                ((300, 50), (100, 50)), ((100, 300), (100, 50)), ((0, 50), (100, 50)), ((50, 0), (50, 25)),
                ((0, 200), (200, 100)), ((300, 0), (200, 100)),
            ]),
        Table(
            "fit", "el:1",
            [
                ((50, 50), (50, 25)), ((50, 20), (40, 20)), ((20, 50), (20, 10)), ((300, 300), (300, 150)),
                ((300, 125), (250, 125)), ((250, 300), (250, 125)), ((0, 50), (100, 50)), ((50, 0), (50, 25)),
                ((0, 200), (400, 200)), ((300, 0), (300, 150)),
            ]),
        Table("fit", "ex:1", extended),
        Table("fit", "exar:1", extendedAspect),
        Table(
            "fill", "",
            [
                ((50, 50), (50, 50)), ((50, 20), (50, 20)), ((20, 50), (20, 50)), ((300, 300), (200, 100)),
                ((300, 50), (200, 50)), ((100, 300), (100, 100)), ((0, 50), (100, 50)), ((50, 0), (50, 25)),
                ((0, 200), (200, 100)), ((300, 0), (200, 100)),
            ]),
        Table("fill", "el:1", enlarged),
        Table("fill", "ex:1", extended),
        Table("fill", "exar:1", extendedAspect + [((300, 50), (300, 50)), ((100, 300), (100, 300))]),
        Table("fill-down", "", down),
        Table("fill-down", "el:1", enlarged),
        Table("fill-down", "ex:1", extended),
        Table("fill-down", "exar:1", down),
    ]

    @Test(arguments: tables) func aResizingTypeHasItsSizes(_ table: Table) throws {
        for (requested, result) in table.sizes {
            let options = "rs:\(table.type):\(requested.0):\(requested.1)/" + table.others
            let size = try size(options)
            #expect(size == PixelSize(width: result.0, height: result.1), "\(options)")
        }
    }

    /// Options and the size of the result, with a limit of its sides.
    static let limited: [(String, Int, Int)] = [
        ("rs:fit:100:100/mrd:1000", 100, 50), ("rs:fit:100:100/mrd:50", 50, 25), ("rs:fit:0:0/mrd:50", 50, 25),
        ("rs:fit:0:100/mrd:100", 100, 50), ("rs:fit:150:0/mrd:50", 50, 25), ("rs:fit:1000:1000/mrd:100", 100, 50),
        ("rs:fit:1000:1000:1/mrd:100", 100, 50), ("rs:fit:1000:2000/ex:1/mrd:100", 50, 100),
        ("rs:fit:1000:2000/exar:1/mrd:100", 50, 100), ("rs:fit:100:150/rot:90/mrd:100", 50, 100),
        ("rs:fit:0:0/rot:90/mrd:100", 50, 100), ("rs:fit:100:100/pd:100:200:300:400/mrd:200", 200, 129),
        ("rs:fill:100:100/mrd:1000", 100, 100), ("rs:fill:100:100/mrd:50", 50, 50),
        ("rs:fill:1000:50/mrd:50", 50, 13), ("rs:fill:100:1000/mrd:50", 50, 50), ("rs:fill:0:0/mrd:50", 50, 25),
        ("rs:fill:0:100/mrd:100", 100, 50), ("rs:fill:150:0/mrd:50", 50, 25), ("rs:fill:1000:1000/mrd:100", 100, 50),
        ("rs:fill:1000:1000:1/mrd:100", 100, 100), ("rs:fill:1000:2000/ex:1/mrd:100", 50, 100),
        ("rs:fill:1000:2000/exar:1/mrd:100", 50, 100), ("rs:fill:100:150/rot:90/mrd:100", 67, 100),
        ("rs:fill:0:0/rot:90/mrd:100", 50, 100), ("rs:fill:100:100/pd:100:200:300:400/mrd:200", 200, 144),
        ("rs:fill-down:100:100/mrd:1000", 100, 100), ("rs:fill-down:100:100/mrd:50", 50, 50),
        ("rs:fill-down:1000:50/mrd:50", 50, 3), ("rs:fill-down:100:1000/mrd:50", 5, 50),
        ("rs:fill-down:0:0/mrd:50", 50, 25), ("rs:fill-down:0:100/mrd:100", 100, 50),
        ("rs:fill-down:150:0/mrd:50", 50, 25), ("rs:fill-down:1000:1000/mrd:100", 100, 100),
        ("rs:fill-down:1000:1000:1/mrd:100", 100, 100), ("rs:fill-down:1000:2000/ex:1/mrd:100", 50, 100),
        ("rs:fill-down:1000:2000/exar:1/mrd:100", 50, 100), ("rs:fill-down:1000:1500/rot:90/mrd:100", 67, 100),
        ("rs:fill-down:0:0/rot:90/mrd:100", 50, 100), ("rs:fill-down:100:100/pd:100:200:300:400/mrd:200", 200, 144),
        ("rs:fill-down:1000:1000/pd:100:200:300:400/mrd:200", 200, 144),
    ]

    @Test func aLimitedResultHasItsSize() throws {
        for (options, width, height) in Self.limited {
            #expect(try size(options) == PixelSize(width: width, height: height), "\(options)")
        }
    }

    /// Options, and the size and the corner of the crop in the scaled image.
    static let crops: [(String, Int, Int, Int, Int)] = [
        ("rs:fill:100:26/g:ce", 100, 26, 0, 12), ("rs:fill:100:26/g:no", 100, 26, 0, 0),
        ("rs:fill:100:26/g:so", 100, 26, 0, 24), ("rs:fill:100:26/g:noea", 100, 26, 0, 0),
        ("rs:fill:100:26/g:soea", 100, 26, 0, 24), ("rs:fill:100:26/g:sowe", 100, 26, 0, 24),
        ("rs:fill:100:26/g:nowe", 100, 26, 0, 0), ("rs:fill:26:100/g:ce", 26, 100, 88, 0),
        ("rs:fill:26:100/g:ea", 26, 100, 174, 0), ("rs:fill:26:100/g:we", 26, 100, 0, 0),
        ("rs:fill:26:100/g:noea", 26, 100, 174, 0), ("rs:fill:26:100/g:soea", 26, 100, 174, 0),
        ("rs:fill:26:100/g:sowe", 26, 100, 0, 0), ("rs:fill:26:100/g:nowe", 26, 100, 0, 0),
        ("rs:fill:100:26/g:ce/dpr:2", 200, 52, 0, 24), ("rs:fill:100:26/g:no::5", 100, 26, 0, 5),
        ("rs:fill:100:26/g:no::5/dpr:0.5", 50, 13, 0, 2), ("rs:fill:100:26/g:no::5/dpr:2", 200, 52, 0, 10),
        ("rs:fill:26:100/g:no:5", 26, 100, 93, 0), ("rs:fill:26:100/g:no:5/dpr:0.5", 13, 50, 46, 0),
        ("rs:fill:26:100/g:no:5/dpr:2", 26, 100, 93, 0), ("rs:fill:100:26/g:no::0.1", 100, 26, 0, 5),
        ("rs:fill:100:26/g:no::0.1/dpr:0.5", 50, 13, 0, 2), ("rs:fill:100:26/g:no::0.1/dpr:2", 200, 52, 0, 10),
        ("rs:fill:50:50/g:fp:0:0", 50, 50, 0, 0), ("rs:fill:50:50/g:fp:1:1", 50, 50, 50, 0),
        ("rs:fill:50:50/g:fp:0.5:0.5", 50, 50, 25, 0),
    ]

    @Test func aCropToTheResultHasItsSizeAndAnchor() throws {
        for (options, width, height, x, y) in Self.crops {
            let plan = try plan(options)
            let rect = PixelRect(x: x, y: y, size: PixelSize(width: width, height: height))
            #expect(plan.resultCrop == .rectangle(rect), "\(options)")
            #expect(plan.size == rect.size, "\(options)")
        }
    }

    /// Options, and the crop of the source.
    static let sourceCrops: [(String, Int, Int)] = [
        ("c:50:50:ce", 76, 26), ("c:50:50:no", 76, 0), ("c:50:50:so", 76, 50), ("c:50:50:ea", 150, 26),
        ("c:50:50:we", 0, 26), ("c:50:50:noea", 150, 0), ("c:50:50:nowe", 0, 0), ("c:50:50:soea", 150, 50),
        ("c:50:50:sowe", 0, 50), ("c:50:50:ce:10", 86, 26), ("c:50:50:ce::10", 76, 36), ("c:50:50:ce:10:10", 86, 36),
        ("c:50:50:ce:0.1", 96, 26), ("c:50:50:ce::0.1", 76, 36), ("c:50:50:ce:0.1:0.1", 96, 36),
        ("c:50:50:ce:10:10/dpr:0.5", 86, 36), ("g:no/c:50:50", 76, 0), ("c:50:50:no", 76, 0),
        ("g:so/c:50:50:no", 76, 0),
    ]

    @Test func aCropOfTheSourceHasItsAnchor() throws {
        for (options, x, y) in Self.sourceCrops {
            let rect = PixelRect(x: x, y: y, size: PixelSize(width: 50, height: 50))
            let plan = try plan(options)
            #expect(plan.sourceCrop == .rectangle(rect), "\(options)")
            let side = options.hasSuffix("dpr:0.5") ? 25 : 50
            #expect(plan.size == PixelSize(width: side, height: side), "\(options)")
        }
    }

    /// Options, the side of the canvas, and the corner of the image on it.
    static let canvases: [(String, Int, Int, Int, Int)] = [
        ("ce", 500, 500, 150, 200), ("no", 500, 500, 150, 0), ("so", 500, 500, 150, 400), ("ea", 500, 500, 300, 200),
        ("we", 500, 500, 0, 200), ("noea", 500, 500, 300, 0), ("soea", 500, 500, 300, 400), ("sowe", 500, 500, 0, 400),
        ("nowe", 500, 500, 0, 0), ("no::5", 500, 500, 150, 5), ("no::5/dpr:0.5", 250, 250, 76, 2),
        ("no::5/dpr:2", 500, 500, 150, 5), ("ea:5", 500, 500, 295, 200), ("ea:5/dpr:0.5", 250, 250, 148, 100),
        ("ea:5/dpr:2", 500, 500, 295, 200), ("no::0.1", 500, 500, 150, 50), ("no::0.1/dpr:0.5", 250, 250, 76, 25),
        ("no::0.1/dpr:2", 500, 500, 150, 50),
    ]

    @Test func anExtendedImageIsAtItsPlace() throws {
        for (options, width, height, x, y) in Self.canvases {
            let plan = try plan("w:500/h:500/ex:1:" + options)
            let canvas = CanvasPlacement(size: PixelSize(width: width, height: height), x: x, y: y)
            #expect(plan.extend == canvas, "\(options)")
            #expect(plan.size == canvas.size, "\(options)")
        }
    }

    /// Gravities, the size of the canvas, and the row of it in which the image begins.
    static let aspectCanvases: [(String, Int, Int, Int)] = [
        ("ce", 200, 400, 150), ("no", 200, 400, 0), ("so", 200, 400, 300), ("ea", 200, 400, 150),
        ("we", 200, 400, 150), ("noea", 200, 400, 0), ("soea", 200, 400, 300), ("sowe", 200, 400, 300),
        ("nowe", 200, 400, 0), ("no::5", 200, 400, 5), ("no::5/dpr:0.5", 150, 300, 4), ("no::5/dpr:2", 200, 400, 5),
        ("ea:5", 200, 400, 150), ("ea:5/dpr:0.5", 150, 300, 113), ("ea:5/dpr:2", 200, 400, 150),
        ("no::0.1", 200, 400, 40), ("no::0.1/dpr:0.5", 150, 300, 30), ("no::0.1/dpr:2", 200, 400, 40),
    ]

    @Test func anImageExtendedToAnAspectRatioIsAtItsPlace() throws {
        for (options, width, height, y) in Self.aspectCanvases {
            let plan = try plan("w:300/h:600/exar:1:" + options)
            #expect(plan.extendAspectRatio?.size == PixelSize(width: width, height: height), "\(options)")
            #expect(plan.extendAspectRatio?.y == y, "\(options)")
            #expect(plan.extendAspectRatio?.x == 0, "\(options)")
        }
    }

    @Test(arguments: [("0.5", 120, 80), ("1", 240, 160), ("2", 480, 320)])
    func aPaddedImageHasItsSize(_ ratio: String, _ width: Int, _ height: Int) throws {
        #expect(try size("dpr:\(ratio)/pd:20:30:40:10/el:1") == PixelSize(width: width, height: height))
    }

    @Test func theDocumentedPaddingMakesTheDocumentedSize() throws {
        // docs/usage/processing.mdx: "if your resize dimensions were 100x200px and you applied the padding:10 option".
        #expect(try size("rs:force:100:200:1/pd:10") == PixelSize(width: 120, height: 220))
    }

    private func plan(_ options: String) throws -> GeometryPlan {
        let segments = options.hasSuffix("/") ? String(options.dropLast()) : options
        let source = GeometryPlan.Source(size: PixelSize(width: 200, height: 100))
        return GeometryPlan(for: source, try parsedOptions(segments))
    }

    private func size(_ options: String) throws -> PixelSize { try plan(options).size }
}
