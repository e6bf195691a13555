import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeJPEG
import TintypeTesting
import TintypeWebP

@testable import TintypeSVG

/// Embedded images that have no room as PNG, or that cannot be turned.
@Suite(.timeLimited) struct SVGEmbeddedImageTests {
    private func document(_ label: String, _ names: String...) throws -> Data {
        let images = try names.map { name in
            let image = try FixtureManifest.named(name).data.base64EncodedString()
            return "<image width='8' height='8' href='data:\(label);base64,\(image)'/>"
        }
        let rest = "<!--\(String(repeating: "x", count: 9000))-->"
        return Data("<svg xmlns='http://www.w3.org/2000/svg'>\(images.joined())\(rest)</svg>".utf8)
    }

    private func prepare(_ document: Data, room: Int, _ limits: DecodeLimits = DecodeLimits()) -> EmbeddedImages {
        EmbeddedImages(in: document, limit: document.count + room, limits)
    }

    /// The number of images that are labelled as PNG.
    private func pngs(_ images: EmbeddedImages) -> Int {
        String(decoding: images.markup, as: UTF8.self).ranges(of: "data:image/png;base64,").count
    }

    @Test func aJPEGThatCannotBeTurnedStays() throws {
        let document = try document("image/jpeg", "orientation-6.jpg")
        var limits = DecodeLimits()
        #expect(pngs(prepare(document, room: 1 << 20, limits)) == 1)
        let full = prepare(document, room: 0, limits)
        #expect(full.markup == document && !full.hasLost)
        limits.pixels = 10
        let refused = prepare(document, room: 1 << 20, limits)
        #expect(refused.markup == document && !refused.hasLost)
    }

    @Test func aJPEGWithoutRoomGetsItsRightLabel() throws {
        let images = prepare(try document("image/webp", "orientation-6.jpg"), room: 0)
        #expect(images.markup == (try document("image/jpeg", "orientation-6.jpg")) && !images.hasLost)
    }

    @Test func imagesBeforeAndAfterOneWithoutRoomAreKept() throws {
        let (one, two) = (
            try document("image/webp", "lossless.webp"), try document("image/webp", "lossless.webp", "lossless.webp")
        )
        let whole = prepare(one, room: 1 << 20)
        let growth = whole.markup.count - one.count
        try #require(growth > 0 && pngs(whole) == 1 && !whole.hasLost)
        let images = prepare(two, room: growth)
        #expect(pngs(images) == 1 && images.hasLost && images.markup.count == two.count + growth)
        // Not even the last byte is missing.
        let all = prepare(two, room: 2 * growth)
        #expect(pngs(all) == 2 && !all.hasLost)
    }

    /// What follows the last image counts too.
    @Test func theWholeDocumentIsWithinTheLimit() throws {
        let document = try document("image/webp", "lossless.webp")
        let images = prepare(document, room: 9)
        #expect(images.markup == document && images.hasLost)
    }
}
