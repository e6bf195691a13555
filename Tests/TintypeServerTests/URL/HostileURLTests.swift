import Foundation
import Testing
import TintypeCore

@testable import TintypeServer

/// URLs from pieces that mean something to a part of the parser, in any order.
@Suite struct HostileURLTests {
    static let pieces = [
        "/", "/", "/", "/", ":", ":", "plain/", "plain/http://a.com/b", "@", "@png", ".", ".png", "%", "%3A", "%2",
        "%00", "%ff", "?", "#",
        "\\", "..", "é", "\u{301}", "\u{0}", "\r\n", "aHR0cDovL2EvYg", "=", "enc/", "w", "rs", "fill", "300", "-1",
        "1e9", "99999999999999999999",
        "0.000001", "1000000", "g:fp:", "c:", "pr:a", "pr:b", "exp:1", "cb:", "wmu:aHR0", "fn:%2:1", "ex:1:sm", "pd:::",
        "[::1]", "s3://", "local:/",
    ]

    @Test func noSequenceOfPiecesStopsTheProgram() throws {
        var configuration = OptionsParser.Configuration()
        configuration.presets = ["a=w:1/pr:b", "b=pr:a/el:x"]
        configuration.allowsLimits = true
        var parser = ImageURLParser(options: try OptionsParser(configuration))
        parser.sourceRules.replacements = [URLReplacement(pattern: "*:/*", replacement: "${2}${1}${9}")]
        parser.allowedSources = try SourceAllowList(["http://*.com/", "s3://"])
        var generator = CanonicalOptionsTests.Generator(state: 3)
        let now = Date(timeIntervalSince1970: 0)
        for _ in 0..<5_000 {
            let count = Int.random(in: 0..<16, using: &generator)
            let text = (0..<count).compactMap { _ in Self.pieces.randomElement(using: &generator) }.joined()
            let target = Bool.random(using: &generator) ? "/s/" + text : text
            #expect(!parser.explanation(of: target, now: now).isEmpty)
            _ = try? parser.parse(target: target, now: now)
        }
    }

    @Test func noOptionsLeadToAPlanWithoutSize() throws {
        var generator = CanonicalOptionsTests.Generator(state: 4)
        let values = [
            "", "0", "1", "0.000001", "1000000", "-1000000", "0.5", "fp", "no", "sm", "fill-down", "force", "auto",
        ]
        for _ in 0..<5_000 {
            var options = ProcessingOptions()
            for _ in 0..<Int.random(in: 1..<8, using: &generator) {
                guard let entry = OptionTable.entries.randomElement(using: &generator) else { continue }
                let count = Int.random(in: 1...min(8, entry.maximumCount), using: &generator)
                let arguments = (0..<count).compactMap { _ in values.randomElement(using: &generator) }
                let segment = ([entry.shortName] + arguments).joined(separator: ":")
                guard let changed = try? Self.options(options, segment) else { continue }
                options = changed
            }
            let sides = [1, 2, 50, 65_535, 2_000_000_000]
            let size = PixelSize(
                width: sides.randomElement(using: &generator) ?? 1, height: sides.randomElement(using: &generator) ?? 1)
            let orientation = Orientation.allCases.randomElement(using: &generator) ?? .up
            let source = GeometryPlan.Source(size: size, orientation: orientation)
            let plan = GeometryPlan(for: source, options, maximumSide: 8_192, format: FormatLimits(of: .webp))
            #expect(plan.size.isPositive && plan.scaledSize.isPositive)
            if case .rectangle(let rect) = plan.sourceCrop { #expect(rect.clipped(to: size) == rect) }
            if case .rectangle(let rect) = plan.resultCrop { #expect(rect.clipped(to: plan.scaledSize) == rect) }
            let mark = WatermarkPlan(
                of: PixelSize(width: 100, height: 50), on: plan.size, options.watermark, pixelRatio: plan.pixelRatio)
            #expect(mark.size.isPositive && !mark.corners.isEmpty)
        }
    }

    /// Returns options after one more segment.
    private static func options(_ options: ProcessingOptions, _ segment: String) throws -> ProcessingOptions {
        var configuration = OptionsParser.Configuration()
        configuration.allowsLimits = true
        configuration.defaults = options
        return try OptionsParser(configuration).parse([segment]).0.options
    }
}
