import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// The rectangle that a decoder decodes in place of leading crops and flips.
@Suite struct LeadingCropsTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    private func step(_ random: inout SeededRandom) -> any ImageTransformer {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        switch number(0...3) {
        case 0: return FlipTransformer(horizontal: Bool.random(using: &random), vertical: Bool.random(using: &random))
        case 1:
            return CropTransformer(to: PixelRect(x: number(-3...9), y: number(-3...9), size: size(30, number(1...30))))
        default:
            let gravity = Gravity.allCases.filter { $0 != .smart }[number(0...8)]
            return CropTransformer(to: size(number(1...30), number(1...30)), gravity: gravity)
        }
    }

    @Test func leadingCropsEqualTheirTransformers() throws {
        var random = SeededRandom.printed("leading crops")
        let image = try PixelBuffer.numbered(31, 22)
        for _ in 0..<500 {
            let steps = (0..<Int.random(in: 1...4, using: &random)).map { _ in step(&random) }
            guard let crops = LeadingCrops(steps) else {
                #expect(steps.allSatisfy { $0 is FlipTransformer })
                continue
            }
            let names = steps.map(\.identifier)
            let expected: PixelBuffer
            do throws(TintypeError) {
                expected = try TransformerChain(Array(steps.prefix(crops.count))).transform(image)
            } catch {
                expectError(error.code) { try crops.rect(in: image.size) }
                continue
            }
            let part = try image.cropped(to: crops.rect(in: image.size))
            let turned = try crops.flip?.transform(part) ?? part
            #expect(PixelDifference(between: turned, and: expected)?.maximum == 0, "\(names)")
        }
    }

    @Test func onlyCropsThatDependOnTheSizeAloneCount() {
        let (flip, crop) = (FlipTransformer(vertical: true), CropTransformer(to: size(3, 2)))
        #expect(LeadingCrops([]) == nil && LeadingCrops([flip]) == nil)
        #expect(LeadingCrops([CropTransformer(to: size(3, 2), gravity: .smart), crop]) == nil)
        #expect(LeadingCrops([BlurTransformer(radius: 1), crop]) == nil)
        #expect(LeadingCrops([crop, flip, BlurTransformer(radius: 1), crop])?.count == 1)
        #expect(LeadingCrops([flip, crop, flip, crop, flip])?.count == 4)
        #expect(LeadingCrops([flip, crop, flip, crop])?.flip == nil)
    }

    @Test func theIdentifierHasEveryStep() {
        let crops = LeadingCrops([FlipTransformer(vertical: true), CropTransformer(to: size(3, 2), gravity: .top)])
        #expect(crops?.identifier == "first(flip(v),crop(3x2,top))")
    }
}
