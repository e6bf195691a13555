import CTintypeJP2
import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeJPEG2000

@Suite struct JPEG2000LayoutTests {
    private typealias Case = (
        stated: tintype_jp2_colors, channels: [(alpha: UInt16, step: Int)], hasProfile: Bool,
        model: JPEG2000Layout.Model, colors: [Int], alpha: Int?
    )

    /// How channels are used, by what the file states of them.
    @Test func channelsAreColoursOrAlpha() {
        let plain: (alpha: UInt16, step: Int) = (0, 1)
        let chroma: (alpha: UInt16, step: Int) = (0, 2)
        let cases: [Case] = [
            (.grey, [plain], false, .grey, [0], nil),
            (.grey, [plain, (1, 1)], false, .grey, [0], 1),
            (.unspecified, [plain], false, .grey, [0], nil),
            (.unspecified, [plain, plain], false, .grey, [0], 1),
            (.unspecified, [plain, plain, plain], false, .rgb, [0, 1, 2], nil),
            (.unspecified, [plain, plain, plain, plain], false, .rgb, [0, 1, 2], 3),
            (.unspecified, [plain, chroma, chroma], false, .ycc, [0, 1, 2], nil),
            (.unspecified, [plain, chroma, chroma], true, .rgb, [0, 1, 2], nil),
            (.rgb, [(1, 1), plain, plain, plain], false, .rgb, [1, 2, 3], 0),
            (.rgb, [plain, plain, plain, (2, 1)], false, .rgb, [0, 1, 2], 3),
            (.cmyk, [plain, plain, plain, plain], false, .cmyk, [0, 1, 2, 3], nil),
            (.cmyk, [plain, plain, plain], false, .rgb, [0, 1, 2], nil),
            // More channels than colours and alpha are ignored.
            (.rgb, [plain, plain, plain, plain, plain], false, .rgb, [0, 1, 2], nil),
            (.rgb, [plain], false, .grey, [0], nil),
        ]
        for (index, expected) in cases.enumerated() {
            let layout = JPEG2000Layout(expected.stated, expected.channels, hasProfile: expected.hasProfile)
            #expect(layout.model == expected.model && layout.colors == expected.colors, "case \(index)")
            #expect(layout.alpha == expected.alpha, "case \(index)")
        }
    }

    /// A tenth of the size comes from fewer wavelet levels, and shows the same: compared with the whole image, scaled
    /// by Lanczos.
    @Test(.enabled(if: Libraries.hasOpenJPEG)) func aSmallSizeComesFromFewerLevels() throws {
        let fixture = try #require(FormatFixture.all.first { $0.name == "lossy.jp2" })
        let whole = try fixture.decode()
        for side in [80, 40, 20, 10] {
            let small = try fixture.decode(DecodeOptions(size: .fit(PixelSize(width: side, height: side))))
            let expected = try ResizeTransformer(to: small.size, mode: .stretch).transform(whole.pixels)
            let difference = try #require(PixelDifference(between: small.pixels, and: expected))
            #expect(difference.mean < 8, "\(side): \(difference)")
        }
    }

    @Test(.enabled(if: Libraries.hasOpenJPEG)) func anErrorSaysWhatIsWrong() throws {
        let data = try FormatFixture.data("rgb.jp2")
        let error = expectError(.undecodable) {
            try JPEG2000Decoder().decode(data.prefix(300), context: DecodeContext())
        }
        #expect(error?.message.hasPrefix("the JPEG 2000 is damaged or truncated: ") == true)
        #expect((error?.message.count ?? 0) > 45, "\(String(describing: error))")
    }
}
