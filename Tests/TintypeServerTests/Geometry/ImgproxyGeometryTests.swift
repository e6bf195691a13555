import Foundation
import Testing
import TintypeCore

@testable import TintypeServer

/// Compares plans with imgproxy's own functions: see the head of `Fixtures/imgproxy-geometry.txt`.
@Suite struct ImgproxyGeometryTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let source: GeometryPlan.Source
        let options: ProcessingOptions
        let numbers: [Int]

        var testDescription: String { text }

        init(_ text: String) throws {
            self.text = text
            let fields = text.split(separator: " ")
            let size = fields[0].split(separator: "x").compactMap { Int($0) }
            let orientation = try #require(Int(fields[1]).flatMap { Orientation(rawValue: $0) })
            source = GeometryPlan.Source(
                size: PixelSize(width: size[0], height: size[1]), orientation: orientation)
            options = try parsedOptions(String(fields[2]))
            numbers = fields[3...].flatMap { $0.split { "x,".contains($0) }.compactMap { Int($0) } }
        }
    }

    static func rows() throws -> [Row] {
        let file = try #require(Bundle.module.url(forResource: "Fixtures/imgproxy-geometry", withExtension: "txt"))
        let text = try String(contentsOf: file, encoding: .utf8)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { try Row(String($0)) }
    }

    /// The numbers of a plan, in the order of a row.
    static func numbers(_ plan: GeometryPlan, stored: PixelSize) -> [Int] {
        func area(_ area: CropArea?, of whole: PixelSize) -> [Int] {
            guard case .rectangle(let rect) = area else { return [0, 0, whole.width, whole.height] }
            return [rect.x, rect.y, rect.size.width, rect.size.height]
        }
        let crop = area(plan.resultCrop, of: plan.scaledSize)
        var size = [crop[2], crop[3]]
        var canvases: [Int] = []
        for canvas in [plan.extend, plan.extendAspectRatio] {
            if let canvas { size = [canvas.size.width, canvas.size.height] }
            canvases += [canvas?.x ?? 0, canvas?.y ?? 0] + size
        }
        return area(plan.sourceCrop, of: stored) + [plan.scaledSize.width, plan.scaledSize.height] + crop + canvases
            + [plan.padding.left, plan.padding.top, plan.size.width, plan.size.height]
    }

    @Test func everyStepOfAPlanIsThatOfImgproxy() throws {
        let rows = try Self.rows()
        #expect(rows.count >= 300)
        for row in rows {
            let plan = GeometryPlan(for: row.source, row.options)
            #expect(Self.numbers(plan, stored: row.source.size) == row.numbers, "\(row.text)")
        }
    }

    @Test(arguments: [1, 2, 7, 50, 333, 1000]) func noResultExceedsTheLimitOfItsSides(_ limit: Int) throws {
        for row in try Self.rows() {
            var options = row.options
            options.limits.resultSide = nil
            let size = GeometryPlan(for: row.source, options, maximumSide: limit).size
            // The sides of the image and the paddings are rounded one by one.
            #expect(max(size.width, size.height) <= limit + 2, "\(row.text): \(size)")
        }
    }
}

/// Returns the options that segments such as `w:300/h:200` stand for, where every option is allowed.
func parsedOptions(_ segments: String) throws -> ProcessingOptions {
    var configuration = OptionsParser.Configuration()
    configuration.allowsLimits = true
    let parts = segments.isEmpty ? [] : segments.components(separatedBy: "/")
    let (parsed, rest) = try OptionsParser(configuration).parse(parts)
    try #require(rest.isEmpty)
    return parsed.options
}
