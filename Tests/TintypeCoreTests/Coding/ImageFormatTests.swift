import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct ImageFormatTests {
    private static let paper = ImageFormat(
        rawValue: "paper", mediaType: "application/paper", fileExtensions: ["ppr", "paper"], isVector: true)

    @Test(arguments: [
        ("jpg", "jpeg"), ("JFIF", "jpeg"), ("jpe", "jpeg"), ("apng", "png"), ("tif", "tiff"), ("heif", "heic"),
        ("HIF", "heic"), ("avifs", "avif"), ("dib", "bmp"), ("cur", "ico"), ("svg", "svg"), ("svgz", "svg"),
    ])
    func aFileExtensionNamesAFormat(_ fileExtension: String, _ name: String) {
        #expect(ImageFormat(fileExtension: fileExtension)?.rawValue == name)
    }

    @Test func anUnknownFileExtensionNamesNone() {
        #expect(ImageFormat(fileExtension: "ppr") == nil && ImageFormat(fileExtension: "") == nil)
    }

    @Test func aNameAloneHasThePropertiesOfTheFormatOfTintype() {
        let svg = ImageFormat(rawValue: "svg")
        #expect(svg.isVector && svg.mediaType == "image/svg+xml" && svg.fileExtension == "svg")
        #expect(ImageFormat.jpeg.fileExtension == "jpg" && ImageFormat.ico.mediaType == "image/vnd.microsoft.icon")
    }

    @Test func anUnknownNameHasPropertiesThatFollowFromIt() {
        let format = ImageFormat(rawValue: "paper")
        #expect(format.mediaType == "image/paper" && format.fileExtensions == ["paper"] && !format.isVector)
    }

    @Test func aThirdPartyStatesTheProperties() {
        #expect(Self.paper.mediaType == "application/paper" && Self.paper.fileExtension == "ppr" && Self.paper.isVector)
    }

    @Test func formatsWithTheSameNameAreEqual() {
        #expect(
            Self.paper == ImageFormat(rawValue: "paper")
                && Set([Self.paper, ImageFormat(rawValue: "paper")]).count == 1)
    }

    @Test func aStoredVectorImageOfAThirdPartyRemainsOne() throws {
        let size = PixelSize(width: 1, height: 1)
        let pixels = try PixelBuffer.drawn(size) { _, _ in Pixel(red: 0, green: 0, blue: 0, alpha: 255) }
        let image = Image(pixels: pixels, info: ImageInfo(format: Self.paper, size: size))
        let stored = try #require(StoredInfo(decoding: StoredInfo(image).encoded))
        #expect(stored.info.format == Self.paper && stored.info.format.isVector)
    }
}
