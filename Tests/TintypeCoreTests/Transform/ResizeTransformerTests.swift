import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct ResizeTransformerTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    @Test func fitKeepsEverything() {
        let plan = ResizeTransformer(to: size(100, 100), mode: .fit).plan(for: size(400, 200))
        #expect(plan.target == size(100, 50))
        #expect(plan.crop == nil)
    }

    @Test func fillCutsEvenly() {
        let plan = ResizeTransformer(to: size(100, 100), mode: .fill).plan(for: size(400, 200))
        #expect(plan.target == size(100, 100))
        #expect(plan.crop == PixelRect(x: 100, y: 0, size: size(200, 200)))
    }

    @Test func stretchTakesEachSideOnItsOwn() {
        #expect(ResizeTransformer(to: size(100, 30), mode: .stretch).plan(for: size(400, 200)).target == size(100, 30))
    }

    @Test(arguments: ResizeTransformer.Mode.allCases) func neverEnlarges(_ mode: ResizeTransformer.Mode) throws {
        let picture = try PixelBuffer.filled(Pixel(red: 1, green: 1, blue: 1), size(40, 20))
        let resized = try ResizeTransformer(to: size(400, 400), mode: mode).transform(picture)
        #expect(resized.size == size(40, 20))
    }

    @Test(arguments: ResizeTransformer.Mode.allCases) func everyOddSizeGivesSomething(_ mode: ResizeTransformer.Mode)
        throws
    {
        for source in [size(1, 1), size(1, 50), size(50, 1), size(3, 7)] {
            let picture = try PixelBuffer.filled(Pixel(red: 1, green: 1, blue: 1), source)
            for target in [size(1, 1), size(1, 3), size(20, 2)] {
                #expect(try ResizeTransformer(to: target, mode: mode).transform(picture).size.isPositive)
            }
        }
    }

    @Test func anEmptySizeIsAnError() throws {
        let picture = try PixelBuffer.filled(Pixel(red: 1, green: 1, blue: 1))
        #expect(throws: TintypeError.self) { try ResizeTransformer(to: size(0, 5)).transform(picture) }
    }

    @Test func theIdentifierHoldsEveryParameter() {
        let identifiers = [
            ResizeTransformer(to: size(1, 2)), ResizeTransformer(to: size(2, 1)),
            ResizeTransformer(to: size(1, 2), mode: .fill), ResizeTransformer(to: size(1, 2), filter: .box),
        ].map(\.identifier)
        #expect(Set(identifiers).count == identifiers.count)
    }
}
