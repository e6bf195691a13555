import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeServer

/// The formats that the server reads.
@Suite(.timeLimited) struct ServerCodersTests {
    @Test func pdfAndRawImagesMustBeNamed() {
        func names(_ additional: Set<AdditionalFormat>) -> Set<String> {
            Set(ImageCoderRegistry.server(additional: additional).decodableFormats.map(\.rawValue))
        }
        #expect(names([]).isSuperset(of: ["tga", "exr", "jp2", "pnm", "jpeg", "heic"]))
        #expect(names([]).isDisjoint(with: ["pdf", "raw"]))
        #expect(names([.pdf]).subtracting(names([])) == ["pdf"])
        #expect(names([.pdf, .raw]).subtracting(names([.pdf])) == ["raw"])
    }

    @Test func theSettingNamesFormats() throws {
        func formats(_ text: String) throws -> [String] {
            let variables = ["TINTYPE_ADDITIONAL_FORMATS": text, "TINTYPE_UNSIGNED": "true"]
            return try SettingsParser(environment: variables) { _ in nil }.parse().settings.limits.additionalFormats
        }
        #expect(try formats("pdf, raw") == ["pdf", "raw"])
        #expect(throws: SettingsErrors.self) { try formats("pdf,psd") }
    }

    /// A TGA has no signature, so the path of the source counts, and what it was found to be counts afterwards.
    @Test(arguments: [("/sprite.tga", 200), ("/sprite.bin", 422)])
    func aFormatWithoutSignatureIsReadByItsName(_ path: String, _ status: Int) async throws {
        try await ServiceFixture.run(coders: .server(), { _ in }) { fixture in
            // The origin at the upper left: 2×1 pixels in blue, green and red.
            let bytes: [UInt8] = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 24, 0x20, 1, 2, 3, 4, 5, 6]
            fixture.origin.serve(path, response: .image(Data(bytes), type: "application/octet-stream"))
            let response = await fixture.get("f:png", path)
            #expect(response.status == status)
            guard status == 200 else { return }
            let image = try response.image()
            #expect(image.pixels[0, 0] == Pixel(red: 3, green: 2, blue: 1))
        }
    }

    @Test func aPortableMapIsRead() async throws {
        try await ServiceFixture.run(coders: .server(), { _ in }) { fixture in
            let data = Data("P6 2 1 255\n".utf8) + Data([9, 8, 7, 6, 5, 4])
            fixture.origin.serve("/a", response: .image(data, type: "image/x-portable-pixmap"))
            let response = await fixture.get("f:png", "/a")
            let image = try response.image()
            #expect(image.pixels[0, 0] == Pixel(red: 9, green: 8, blue: 7))
            #expect(response.format == .png)
        }
    }
}
