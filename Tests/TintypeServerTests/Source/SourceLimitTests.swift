import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import Tintype

@testable import TintypeServer

/// The limits of sources that a URL may have.
@Suite(.timeLimited) struct SourceLimitTests {
    @Test(
        arguments: [
            // The picture has 120×60 pixels.
            ("msr:0.0072", 200), ("msr:0.0071", 422), ("msfs:0", 200), ("msfs:100000", 200), ("msfs:10", 422),
            // Its frames are one.
            ("mafr:0.0001", 200), ("maf:5/mafr:0.0001", 200),
        ] as [(String, Int)])
    func aURLMayLowerTheLimitsOfItsSource(_ options: String, _ status: Int) async throws {
        var parsing = OptionsParser.Configuration()
        parsing.allowsLimits = true
        let parser = ImageURLParser(options: try OptionsParser(parsing))
        try await ServiceFixture.run({ $0.urls = parser }) { fixture in
            try fixture.servePicture("/a")
            let response = await fixture.get("w:40/\(options)", "/a")
            #expect(response.status == status)
            #expect(response.report.failure?.code == (status == 200 ? nil : "limitExceeded"))
        }
    }

    @Test(
        arguments: [
            // 10 frames of 100 pixels, of which 4 are kept.
            (nil, 400, nil, true), (nil, 399, nil, false), (2, 200, nil, true), (2, 199, nil, false),
            (nil, 10, 100, true), (nil, 10, 99, false), (nil, 400, 0, true), (1, 100, 1, true), (1, 99, 1, false),
        ] as [(Int?, Int?, Int?, Bool)])
    func theFramesOfAnAnimationCount(_ frames: Int?, _ pixels: Int?, _ framePixels: Int?, _ isAllowed: Bool) {
        var info = ImageInfo(format: .gif, size: PixelSize(width: 10, height: 10))
        info.frameCount = 10
        let record = SourceRecord(
            digest: "", info: info, byteCount: 1, lastModified: nil, freshness: .unstated, confirmed: Date())
        let limits = LimitOptions(sourcePixels: pixels, frames: frames, framePixels: framePixels)
        let isRefused = (try? record.check(limits, frames: 4)) == nil
        #expect(isRefused != isAllowed)
    }
}
