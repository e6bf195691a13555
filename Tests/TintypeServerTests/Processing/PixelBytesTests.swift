import Testing
import Tintype

@testable import TintypeServer

/// The estimate of memory by which images are admitted.
@Suite struct PixelBytesTests {
    @Test(
        arguments: [
            ("w:40", 40 * 20), ("rs:force:1000:2000/el:1", 1000 * 2000), ("rs:force:99999:99999/el:1", 8192 * 8192),
            ("pd:100", 320 * 260), ("t:10/w:40", 0),
        ])
    func theRenditionCountsWithItsSource(_ options: String, _ area: Int) throws {
        let info = ImageInfo(format: .png, size: PixelSize(width: 120, height: 60))
        let parser = try OptionsParser()
        let (parsed, _) = try parser.parse(options.split(separator: "/").map(String.init) + ["plain", "a"])
        let renderer = Renderer(ImagePipeline(PipelineConfiguration()), RenderingSettings())
        let bytes = renderer.pixelBytes(info, parsed.options.resolved(for: .png), as: .png)
        #expect(bytes == (120 * 60 + area) * 4)
    }
}
