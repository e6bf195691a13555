import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// Images that lack something because the sandbox has refused a file: they have a warning, or they are errors.
///
/// The tests of fonts run in processes of their own, because fontconfig reads its settings from the environment, once.
@Suite(.timeLimited) struct RefusedFileTests {
    private static let text = """
        <svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">\
        <text x="2" y="36" font-size="40" font-family="DejaVu Sans Mono">W</text></svg>
        """
    private static let shape =
        #"<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><path d="M0 0h4v4z"/></svg>"#
    private static let plain = ImageCoderRegistry(decoders: [SVGDecoder()])
    private static let sandboxed = plain.sandboxed()

    private static func decode(
        _ document: String, _ coders: ImageCoderRegistry, tolerating tolerance: DecodeOptions.DamageTolerance = .minor
    ) throws(TintypeError) -> Image {
        var options = DecodeOptions()
        options.damageTolerance = tolerance
        let data = Data(document.utf8)
        return try coders.decoder(for: data).decode(data, context: DecodeContext(options: options))
    }

    /// Whether anything is drawn.
    private static func isDrawn(_ image: Image) -> Bool { image.pixels.withUnsafeBytes { $0.contains { $0 != 0 } } }

    // MARK: Fonts

    /// The folder of the fonts DejaVu on this machine.
    private static var dejaVu: URL? {
        let files = FileManager.default.enumerator(
            at: URL(filePath: "/usr/share/fonts"), includingPropertiesForKeys: nil)
        let font = files?.first { ($0 as? URL)?.lastPathComponent == "DejaVuSansMono.ttf" } as? URL
        return font?.deletingLastPathComponent()
    }

    /// Two fonts, which are all that fontconfig knows in this process and its workers. The text needs the second one,
    /// which is a link to a file elsewhere.
    private struct Fonts {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-fonts-\(UUID().uuidString)")

        init() throws {
            let (dejaVu, fonts) = (try #require(dejaVu), folder.appending(path: "fonts"))
            try FileManager.default.createDirectory(at: fonts, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: dejaVu.appending(path: "DejaVuSans.ttf"), to: fonts.appending(path: "sans.ttf"))
            try link("first")
            let settings = folder.appending(path: "fonts.conf")
            try Data(
                """
                <fontconfig><dir>\(fonts.path)</dir><cachedir>\(folder.path)/cache</cachedir><match target="pattern">\
                <edit name="family" mode="append" binding="weak"><string>DejaVu Sans</string></edit></match></fontconfig>
                """.utf8
            ).write(to: settings)
            setenv("FONTCONFIG_FILE", settings.path, 1)
        }

        /// Makes the second font a link to a new copy, which running workers may not read.
        func link(_ name: String) throws {
            let (other, link) = (folder.appending(path: name), folder.appending(path: "fonts/mono.ttf"))
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            let (original, copy) = (try #require(dejaVu), other.appending(path: "mono.ttf"))
            try FileManager.default.copyItem(at: original.appending(path: "DejaVuSansMono.ttf"), to: copy)
            try? FileManager.default.removeItem(at: link)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: copy)
        }

        func remove() { try? FileManager.default.removeItem(at: folder) }
    }

    @Test(.enabled(if: dejaVu != nil)) func textWhoseFontIsRefusedIsReported() async {
        await #expect(processExitsWith: .success) {
            let fonts = try Fonts()
            defer { fonts.remove() }
            let complete = try Self.decode(Self.text, Self.plain)
            #expect(Self.isDrawn(complete))
            guard try Self.isRestricted else { return }
            // Starts a worker, which may read the font where it is now.
            #expect(try Self.decode(Self.shape, Self.sandboxed).info.warnings.isEmpty)
            try fonts.link("second")
            let image = try Self.decode(Self.text, Self.sandboxed)
            #expect(image.pixels.rows != complete.pixels.rows && image.info.warnings == [.missingFile])
            // The libraries remember the refusal, so another worker draws the next text.
            let next = try Self.decode(Self.text, Self.sandboxed)
            #expect(next.pixels.rows == complete.pixels.rows && next.info.warnings.isEmpty)
        }
    }

    @Test(.enabled(if: dejaVu != nil)) func textWhoseFontIsRefusedIsAnErrorIfNoDamageIsTolerated() async {
        await #expect(processExitsWith: .success) {
            let fonts = try Fonts()
            defer { fonts.remove() }
            guard try Self.isRestricted else { return }
            #expect(try Self.decode(Self.shape, Self.sandboxed).info.warnings.isEmpty)
            try fonts.link("second")
            let error = expectError(.undecodable) {
                try Self.decode(Self.text, Self.sandboxed, tolerating: .none)
            }
            #expect(error?.message.contains("mono.ttf") == true)
            // The failure belongs to the image that lacks the text.
            #expect(try Self.decode(Self.shape, Self.sandboxed).info.warnings.isEmpty)
        }
    }

    @Test(.enabled(if: dejaVu != nil)) func textWhoseFontIsALinkIsDrawn() async {
        await #expect(processExitsWith: .success) {
            let fonts = try Fonts()
            defer { fonts.remove() }
            let (complete, image) = (try Self.decode(Self.text, Self.plain), try Self.decode(Self.text, Self.sandboxed))
            #expect(Self.isDrawn(image) && image.pixels.rows == complete.pixels.rows && image.info.warnings.isEmpty)
        }
    }

    /// Whether files are refused on this machine.
    private static var isRestricted: Bool {
        get throws { try SandboxStatus.probe().isComplete }
    }

    // MARK: Embedded images

    /// What an SVG can contain, of which gdk-pixbuf reads most by modules that are files.
    static let embedded: [ImageFormat] = [.png, .jpeg, .gif, .bmp, .tiff]

    private static func document(containing format: ImageFormat) throws -> String {
        let pixels = try PixelBuffer.drawn(PixelSize(width: 8, height: 8)) { _, _ in Pixel(red: 200, green: 9, blue: 90)
        }
        let data = try ImageCoderRegistry.standard.encode(pixels, as: format)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><image width="8" height="8" \
            href="data:\(format.mediaType);base64,\(data.base64EncodedString())"/></svg>
            """
    }

    @Test(arguments: embedded) func anEmbeddedImageIsDrawnOrReported(_ format: ImageFormat) throws {
        let document = try Self.document(containing: format)
        let (complete, image) = (try Self.decode(document, Self.plain), try Self.decode(document, Self.sandboxed))
        #expect(image.pixels.rows == complete.pixels.rows || image.info.warnings == [.missingFile])
    }

    /// The warning must not be the answer to everything.
    @Test(arguments: [ImageFormat.png, .jpeg, .gif]) func whatIsUsualInAnSVGIsDrawn(_ format: ImageFormat) throws {
        let document = try Self.document(containing: format)
        let (complete, image) = (try Self.decode(document, Self.plain), try Self.decode(document, Self.sandboxed))
        #expect(image.pixels.rows == complete.pixels.rows && image.info.warnings.isEmpty)
    }
}
