import Foundation
import Testing

@testable import TintypeCore

@Suite struct DataURLTests {
    @Test func base64() throws {
        let url = try #require(DataURL("data:image/png;base64,AQID"))
        #expect(url.data == Data([1, 2, 3]))
        #expect(url.mediaType == "image/png")
    }

    @Test func percentEncodedBytesNeedNotBeText() {
        #expect(DataURL("data:application/octet-stream,%FF%00a")?.data == Data([0xFF, 0, 0x61]))
    }

    @Test(arguments: ["%", "%4", "%+5", "%-1", "%4g", "%é"])
    func malformedPercentEncodingIsRefused(_ text: String) {
        #expect(DataURL("data:,\(text)")?.data == nil)
    }

    @Test func percentEncodedBase64() {
        #expect(DataURL("data:;base64,AQ%3D%3D")?.data == Data([1]))
    }

    @Test func theSchemeIsCaseInsensitive() {
        #expect(DataURL("DATA:text/plain,x")?.data == Data("x".utf8))
    }

    @Test(arguments: ["data:", "data:image/png;base64", "http://x/,", "data:;base64,***%", "data:,%G1", "data:,%1"])
    func malformedURLsAreRefused(_ text: String) {
        #expect(DataURL(text) == nil)
    }
}
