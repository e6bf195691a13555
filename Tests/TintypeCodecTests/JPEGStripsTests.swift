import Foundation
import Synchronization
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeJPEG

/// JPEGs with restart markers, whose strips are decoded at once.
@Suite(.timeLimited) struct JPEGStripsTests {
    private static let names = ["420", "422", "444", "grey", "p3", "inks"].map { "strips-\($0).jpg" }

    /// Decodes with some threads, of which strips of any size are worth borrowing.
    private func decode(
        _ data: Data, _ options: DecodeOptions = DecodeOptions(), threads: Int,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(TintypeError) -> Image {
        try Self.transformContext(threads).run { () throws(TintypeError) in
            try JPEGDecoder().decode(data, context: DecodeContext(options: options, isCancelled: isCancelled))
        }
    }

    /// Decodes strips. `nil` if they are left to the usual reader.
    private func strips(
        _ data: Data, _ options: DecodeOptions = DecodeOptions(), threads: Int,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(TintypeError) -> PixelBuffer? {
        let context = DecodeContext(options: options, isCancelled: isCancelled)
        return try Self.transformContext(threads).run { () throws(TintypeError) in
            try data.withTypedBytes { bytes throws(TintypeError) in
                let reader = try JPEGReader(context)
                guard let file = try reader.openWithinLimits(bytes) else { return nil }
                return try JPEGStrips.decode(bytes, file, try JPEGPlan(file.info, options), context)
            }
        }
    }

    private static func transformContext(_ threads: Int) -> TransformContext {
        var context = TransformContext()
        (context.lender, context.smallestShared) = (WorkQueue(name: "strips", width: threads), 0)
        return context
    }

    private func difference(_ image: Image, _ other: Image) -> Int? {
        PixelDifference(between: image.pixels, and: other.pixels)?.maximum
    }

    /// At 1/8 to 8/8 of the size, and at one between them.
    @Test(arguments: names, [1, 2, 3, 4, 5, 6, 7, 8, 9])
    func stripsHaveThePixelsOfTheWhole(_ name: String, _ part: Int) throws {
        let data = try FixtureManifest.named(name).data
        let height = try #require(try JPEGDecoder().info(of: data, isComplete: true)).size.height
        var options = DecodeOptions()
        if part < 8 { options.size = .fit(PixelSize(width: 9999, height: height * part / 8)) }
        if part == 9 { options.size = .fit(PixelSize(width: 9999, height: height * 2 / 5)) }
        let whole = try decode(data, options, threads: 1)
        for threads in 2...4 {
            let pixels = try #require(try strips(data, options, threads: threads))
            #expect(PixelDifference(between: pixels, and: whole.pixels)?.maximum == 0, "\(threads) threads")
            #expect(try difference(decode(data, options, threads: threads), whole) == 0)
        }
    }

    @Test func withoutIdleThreadsThereAreNoStrips() throws {
        let data = try FixtureManifest.named("strips-420.jpg").data
        #expect(try strips(data, threads: 1) == nil)
        // Too short for seven.
        #expect(try strips(data, threads: 7) == nil)
    }

    @Test func aPartOfAnImageIsLeftToTheUsualReader() throws {
        var options = DecodeOptions()
        options.crop = PixelRect(x: 0, y: 0, size: PixelSize(width: 50, height: 50))
        #expect(try strips(FixtureManifest.named("strips-420.jpg").data, options, threads: 2) == nil)
    }

    /// Each strip would have a copy of them.
    @Test func manySegmentsAreLeftToTheUsualReader() throws {
        var data = try FixtureManifest.named("strips-420.jpg").data
        data.insert(contentsOf: Array(repeating: [0xFF, 0xEE, 0, 2] as [UInt8], count: 40).joined(), at: 2)
        #expect(data.withUnsafeBytes { JPEGRestarts($0) == nil })
    }

    @Test(arguments: names) func aFileIsCutWhereAnIntervalBegins(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let size = try #require(try JPEGDecoder().info(of: data, isComplete: true)).size
        try data.withUnsafeBytes { raw in
            let restarts = try #require(JPEGRestarts(raw))
            let step = restarts.rowsPerStart
            let height = restarts.rowHeight(eighths: 8)
            #expect(restarts.rowCount == (size.height + height - 1) / height)
            let file = restarts.file(step..<step + 2)
            let part = try JPEGDecoder().decode(file, context: DecodeContext())
            #expect(part.size == PixelSize(width: size.width, height: 2 * height))
            let end = try JPEGDecoder().decode(restarts.file(step..<restarts.rowCount), context: DecodeContext())
            #expect(end.size.height == size.height - step * height)
        }
    }

    @Test func rowsPerStartIsTheFewestRowsOfWholeIntervals() throws {
        // One row; 3 MCUs in rows of 5; two rows.
        for (name, rows) in [("strips-420.jpg", 1), ("strips-422.jpg", 3), ("strips-444.jpg", 2)] {
            let data = try FixtureManifest.named(name).data
            #expect(data.withUnsafeBytes { JPEGRestarts($0)?.rowsPerStart } == rows)
        }
    }

    /// Without markers, and progressive.
    @Test(arguments: ["large-baseline.jpg", "large-progressive.jpg", "baseline-444.jpg"])
    func otherFilesHaveNoIntervals(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        #expect(data.withUnsafeBytes { JPEGRestarts($0) == nil })
    }

    /// Markers that are missing, doubled or out of order, and files that are cut off.
    @Test func markersThatAreNotWhereTheyShouldBeAreLeftToLibjpeg() throws {
        let data = try FixtureManifest.named("strips-420.jpg").data
        let markers = data.indices.dropLast().filter { data[$0] == 0xFF && (0xD0...0xD7).contains(data[$0 + 1]) }
        #expect(markers.count == 50)
        var changed = data
        changed[markers[3] + 1] = 0xD0
        #expect(changed.withUnsafeBytes { JPEGRestarts($0) == nil })
        changed = data
        changed.removeSubrange(markers[3]..<markers[3] + 2)
        #expect(changed.withUnsafeBytes { JPEGRestarts($0) == nil })
        changed = data
        changed.insert(contentsOf: [0xFF, 0xD3], at: markers[3])
        #expect(changed.withUnsafeBytes { JPEGRestarts($0) == nil })
        for count in stride(from: 0, to: data.count - 2, by: 13) {
            #expect(data.prefix(count).withUnsafeBytes { JPEGRestarts($0) == nil }, "\(count) bytes")
        }
    }

    /// Damage has the same result as in one piece: the same pixels and warnings, or the same error.
    @Test(arguments: names, [SeededRandom.printedSeed("JPEG strips")])
    func damageHasTheResultOfTheUsualReader(_ name: String, _ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let data = try FixtureManifest.named(name).data
        var stripCount = 0
        for round in 0..<100 {
            var changed = data
            changed.damage(&random)
            if (try? strips(changed, threads: 2)) ?? nil != nil { stripCount += 1 }
            let results = [1, 2].map { threads in
                Result { () throws(TintypeError) in try decode(changed, threads: threads) }
            }
            switch (results[0], results[1]) {
            case (.success(let whole), .success(let strips)):
                #expect(difference(strips, whole) == 0, "seed \(seed), round \(round)")
                #expect(whole.info.warnings == strips.info.warnings)
            case (.failure(let whole), .failure(let strips)): #expect(whole.code == strips.code)
            default: Issue.record("seed \(seed), round \(round): \(results)")
            }
        }
        #expect(stripCount > 0 && stripCount < 100)
    }

    @Test func cancellationEndsAllStrips() throws {
        let data = try FixtureManifest.named("strips-420.jpg").data
        let calls = Shared(0)
        expectError(.cancelled) {
            try strips(data, threads: 3) {
                calls.withLock { count in
                    count += 1
                    return count > 2
                }
            }
        }
        #expect(calls.now > 2)
    }
}
