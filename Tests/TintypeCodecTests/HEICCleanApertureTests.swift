import Foundation
import Testing
import Tintype
import TintypeTesting

/// HEIC sequences whose images are larger than what is shown of them (`clap`).
@Suite struct HEICCleanApertureTests {
    private func file(_ name: String) throws -> Data { try FixtureManifest.named(name).data }

    private func frames(_ data: Data) throws -> [PixelBuffer] {
        let animation = try #require(try HEIFDecoder().decode(data, context: DecodeContext()).animation)
        return try (0..<animation.frameCount).map { try animation.frame(at: $0) }
    }

    /// Returns a sequence of 48 × 32 pixels with a clean aperture in each track: width, height and both offsets, each a
    /// fraction.
    private func file(_ name: String, _ fractions: [Int]) throws -> Data {
        var (data, rest) = (try file(name), 0)
        while let found = data[rest...].firstRange(of: Data("hvcC".utf8)) {
            rest = found.upperBound
            try insert(clap(fractions), into: &data, before: found.lowerBound - 4)
            rest += 40
        }
        return data
    }

    private func clap(_ fractions: [Int]) -> Data {
        var box = Data([0, 0, 0, 40]) + Data("clap".utf8)
        for number in fractions {
            box += withUnsafeBytes(of: Int32(truncatingIfNeeded: number).bigEndian) { Data($0) }
        }
        return box
    }

    /// Inserts a box before another one, and adjusts the sizes around it and the chunk offsets.
    private func insert(_ box: Data, into data: inout Data, before offset: Int) throws {
        for start in enclosingBoxes(of: offset, in: data) {
            data.setNumber(data.number(at: start) + box.count, at: start)
        }
        data.insert(contentsOf: box, at: offset)
        var rest = 0
        while let found = data[rest...].firstRange(of: Data("stco".utf8)) {
            for index in 0..<data.number(at: found.upperBound + 4) {
                let entry = found.upperBound + 8 + 4 * index
                data.setNumber(data.number(at: entry) + box.count, at: entry)
            }
            rest = found.upperBound
        }
    }

    private func enclosingBoxes(of offset: Int, in data: Data) -> [Int] {
        var (all, start) = ([Int](), 0)
        while start < offset {
            let end = start + data.number(at: start)
            guard end > offset else {
                start = end
                continue
            }
            all.append(start)
            let kind = String(decoding: data[start + 4..<start + 8], as: UTF8.self)
            start += ["stsd": 16, "hvc1": 86][kind] ?? 8
        }
        return all
    }

    private static let parts: [(fractions: [Int], part: PixelRect)] = [
        ([24, 1, 17, 1, -24, 2, -15, 2], PixelRect(x: 0, y: 0, size: PixelSize(width: 24, height: 17))),
        ([40, 2, 22, 2, 14, 1, 21, 2], PixelRect(x: 28, y: 21, size: PixelSize(width: 20, height: 11))),
        ([1, 1, 1, 1, 1, 2, 1, 2], PixelRect(x: 24, y: 16, size: PixelSize(width: 1, height: 1))),
        ([48, 1, 32, 1, 0, 1, 0, 1], PixelRect(x: 0, y: 0, size: PixelSize(width: 48, height: 32))),
    ]

    @Test(arguments: ["sequence.heics", "sequence-alpha.heics"]) func onlyThePartIsShown(_ name: String) throws {
        let whole = try frames(file(name))
        for (fractions, part) in Self.parts {
            let shown = try frames(file(name, fractions))
            #expect(shown.count == whole.count)
            for (frame, other) in zip(shown, whole) {
                try #require(frame.size == part.size)
                let isEqual = (0..<part.size.height).allSatisfy { y in
                    (0..<part.size.width).allSatisfy { frame[$0, y] == other[part.x + $0, part.y + y] }
                }
                #expect(isEqual, "\(part)")
            }
        }
    }

    /// Not whole pixels, or not inside of the image.
    @Test(arguments: [
        [0, 1, 17, 1, 0, 1, 0, 1], [24, 0, 16, 1, 0, 1, 0, 1], [24, 1, 16, 1, 0, 0, 0, 1], [25, 2, 16, 1, 0, 1, 0, 1],
        [23, 1, 16, 1, 0, 1, 0, 1], [49, 1, 32, 1, 1, 2, 0, 1], [24, 1, 16, 1, -13, 1, 0, 1],
        [24, 1, 16, 1, 13, 1, 0, 1], [24, 1, 16, 1, 0, 1, 9, 1], [-1, -1, -1, -1, -1, -1, -1, -1],
        [24, -1, 16, -1, .max, -1, .min, -1], [24, 1, 16, 1, 0x7FFF_FFFF, -1, 0x8000_0000, 1],
        // Larger than the image by so much that the distance from its edge overflows.
        [-1, 1, 1, 1, 0, -1, 0, 1], [1, 1, -1, 1, 0, 1, 0, -1],
    ]) func otherPartsAreIgnored(_ fractions: [Int]) throws {
        let (whole, shown) = (try frames(file("sequence.heics")), try frames(file("sequence.heics", fractions)))
        #expect(shown.count == whole.count)
        for (frame, other) in zip(shown, whole) { #expect(PixelDifference(between: frame, and: other)?.maximum == 0) }
    }

    // MARK: Limits

    private func limit(_ data: Data, _ path: WritableKeyPath<DecodeLimits, Int>, _ value: Int) -> DecodeLimit? {
        var context = DecodeContext()
        context.limits[keyPath: path] = value
        do throws(TintypeError) {
            _ = try HEIFDecoder().decode(data, context: context)
            return nil
        } catch {
            return error.limit
        }
    }

    /// Images are decoded in whole, however little of them is shown.
    @Test(arguments: ["sequence.heics", "sequence-alpha.heics"])
    func limitsApplyToTheWholeImages(_ name: String) throws {
        let data = try file(name, [2, 1, 2, 1, 0, 1, 0, 1])
        let shown = try frames(data)
        #expect(shown.first?.size == PixelSize(width: 2, height: 2))
        let (memory, pixels) = (16 * 48 * 32, shown.count * 48 * 32)
        #expect(limit(data, \.memoryBytes, memory) == nil && limit(data, \.animatedPixels, pixels) == nil)
        #expect(limit(data, \.memoryBytes, memory - 1) == .memoryBytes)
        #expect(limit(data, \.animatedPixels, pixels - 1) == .animatedPixels)
    }

    /// The tracks show parts of the same size, of images of different sizes.
    @Test func limitsApplyToLargerImagesOfAlpha() throws {
        var data = try file("sequence-alpha.heics", [2, 1, 2, 1, 0, 1, 0, 1])
        let count = try frames(data).count
        // 304 pixels in a row instead of 48, in the entry of the second track.
        let entry = try #require(data.ranges(of: Data("hvc1".utf8)).last).upperBound
        data[entry + 24] = 1
        let (memory, pixels) = (16 * 304 * 32, count * 304 * 32)
        // Within the limits, the images turn out to be smaller.
        #expect(limit(data, \.memoryBytes, memory) == nil && limit(data, \.animatedPixels, pixels) == nil)
        #expect(limit(data, \.memoryBytes, memory - 1) == .memoryBytes)
        #expect(limit(data, \.animatedPixels, pixels - 1) == .animatedPixels)
    }
}
