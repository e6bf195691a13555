import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@Suite(.timeLimited) struct SharedPipelineTests {
    @Test func thereIsOneSharedPipelineWithTheStandardDecoders() async throws {
        let size = PixelSize(width: 2, height: 3)
        let pixels = try PixelBuffer.filled(Pixel(red: 1, green: 2, blue: 3), size: size)
        let png = try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())
        let url = try #require(URL(string: "data:image/png;base64,\(png.base64EncodedString())"))
        var request = ImageRequest(url: url)
        // The cache of the user who runs the tests is left alone.
        request.policy.caching.original = CacheRules(memory: .off, disk: .off)
        request.policy.caching.rendition = CacheRules(memory: .off, disk: .off)
        let image = try await ImagePipeline.shared.image(for: request)
        #expect(image.info.size == size)
        #expect(ImagePipeline.shared === ImagePipeline.shared)
    }
}
