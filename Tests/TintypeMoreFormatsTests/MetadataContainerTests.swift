import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// Metadata that ExifTool and ImageMagick wrote, read and written again; ExifTool reads what was written.
@Suite(.timeLimited) struct MetadataContainerTests {
    private func image(_ name: String) throws -> Image {
        try image(FormatFixture.data(name))
    }

    private func image(_ data: Data) throws -> Image {
        var options = DecodeOptions()
        options.keepsMetadata = true
        return try ImageCoderRegistry.standard.decoder(for: data).decodeChecked(
            data, context: DecodeContext(options: options))
    }

    private func encode(_ image: Image, _ format: ImageFormat, _ kinds: Set<MetadataKind>) throws -> Data {
        var options = EncodeOptions(quality: 0.9)
        options.metadata = kinds
        return try ImageCoderRegistry.standard.encode(image, as: format, options: options)
    }

    private func image(_ image: Image, with metadata: ImageMetadata) -> Image {
        Image(pixels: image.pixels, info: image.info, metadata: metadata)
    }

    private func contains(_ data: Data?, _ text: String) -> Bool { data?.range(of: Data(text.utf8)) != nil }

    // MARK: Reading

    @Test(arguments: ["exiftool.png", "magick.png", "exiftool.jpg", "exiftool.tif"])
    func theRecordsOfIPTCAreRead(_ name: String) throws {
        let iptc = try #require(try image(name).metadata?.iptc)
        #expect(iptc.first == 0x1C && contains(iptc, "Head") && contains(iptc, "two"))
    }

    @Test(arguments: ["exiftool.png", "magick.png", "exiftool.jpg", "exiftool.tif"])
    func theExifDataIsRead(_ name: String) throws {
        #expect(try image(name).metadata?.exif?.text(0x013B) == "An artist")
    }

    @Test(arguments: [
        ("exiftool.png", "Hello"), ("exiftool.jpg", "From a JPEG"), ("magick.png", "From a JPEG"),
        ("exiftool.gif", "From a GIF, with more than one block: " + String(repeating: "x", count: 300)),
    ])
    func commentsAreRead(_ name: String, _ comment: String) throws {
        #expect(try image(name).metadata?.comment == comment)
    }

    @Test func theXMPOfAGIFIsRead() throws {
        let xmp = try #require(try image("exiftool.gif").metadata?.xmp)
        #expect(xmp.starts(with: Data("<?xpacket".utf8)) && contains(xmp, "A title"))
        #expect(String(decoding: xmp.suffix(20), as: UTF8.self).contains("?>"))
    }

    /// The extracted data has no pixels, and the directories of a camera.
    @Test func theExifDataOfATIFFIsExtracted() throws {
        let exif = try #require(try image("exiftool.tif").metadata?.exif)
        #expect(exif.number(0x0100) == nil && exif.number(0x0111) == nil && exif.number(0x8769) != nil)
        #expect(contains(exif.bytes, "A lens") && exif.number(0x8825) != nil && exif.bytes.count < 700)
        // Nothing but a density is no Exif data.
        let plain = try encode(try image("exiftool.tif"), .tiff, [])
        #expect(try image(plain).metadata?.exif == nil)
    }

    @Test func aDamagedFileIsAnImageOrAnError() throws {
        for name in ["exiftool.png", "magick.png", "exiftool.gif", "exiftool.tif"] {
            let data = try FormatFixture.data(name)
            var random = SeededRandom.printed("metadata of \(name)")
            let size = try image(data).size
            var imageCount = 0
            for _ in 0..<200 {
                var damaged = data
                for _ in 0..<4 {
                    damaged[Int.random(in: 8..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                do {
                    if try image(damaged).size == size { imageCount += 1 }
                } catch let error as TintypeError {
                    #expect([.undecodable, .notAnImage, .limitExceeded].contains(error.code), "\(error)")
                }
            }
            #expect(imageCount > 0, "\(name)")
        }
    }

    /// 64 MB of zeros, compressed to 64 KB.
    @Test func aTextThatExpandsTooFarIsAbsent() throws {
        var data = try encode(try image("exiftool.jpg"), .png, [])
        var body = Data("Raw profile type exif\0\0".utf8)
        // A stream of stored blocks: longer than the limit.
        body += [0x78, 0x01]
        for _ in 0..<160 { body += [0, 0xFF, 0xFF, 0, 0] + Data(count: 65_535) }
        var chunk = Data()
        chunk.append(chunk: "zTXt", body)
        data.insert(contentsOf: chunk, at: 33)
        #expect(try image(data).metadata == nil)
    }

    // MARK: Writing

    private static let formats = ImageMetadata.writableFormats.sorted { $0.rawValue < $1.rawValue }

    @Test(arguments: formats) func iptcIsInEveryFormat(_ format: ImageFormat) throws {
        let written = try image(encode(image("exiftool.jpg"), format, [.iptc])).metadata
        let texts = ["Head", "Me", "one", "two"]
        if [.jpeg, .png, .tiff].contains(format) {
            for text in texts { #expect(contains(written?.iptc, text)) }
        } else {
            for text in texts { #expect(contains(written?.xmp, ">\(text)<")) }
            #expect(contains(written?.xmp, "2026-11-29T10:20:30+01:00") && written?.iptc == nil)
        }
    }

    /// Properties that the packet has are not replaced.
    @Test func recordsDoNotReplaceTheXMPOfAnImage() throws {
        var source = try image("exiftool.png")
        let packet = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description rdf:about="" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" \
            photoshop:Headline="Own"/></rdf:RDF></x:xmpmeta>
            """
        var metadata = try #require(source.metadata)
        metadata.xmp = Data(packet.utf8)
        source = self.image(source, with: metadata)
        let xmp = try image(encode(source, .webp, [.xmp, .iptc])).metadata?.xmp
        #expect(contains(xmp, "photoshop:Headline=\"Own\"") && !contains(xmp, ">Head<") && contains(xmp, ">Me<"))
    }

    @Test(arguments: [ImageFormat.gif, .jpeg, .png]) func commentsAreKept(_ format: ImageFormat) throws {
        var source = try image("exiftool.gif")
        source = self.image(
            source, with: ImageMetadata(comment: "Grüße\n" + String(repeating: "y", count: 600)))
        let data = try encode(source, format, [.comment])
        #expect(try image(data).metadata == source.metadata)
        #expect(try image(encode(source, format, [])).metadata == nil)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .avif, .heic, .jxl])
    func theExifDataOfATIFFIsWrittenInOtherFormats(_ format: ImageFormat) throws {
        let source = try image("exiftool.tif")
        let data = try encode(source, format, [.exif])
        let exif = try #require(try image(data).metadata?.exif)
        #expect(exif.text(0x013B) == "An artist" && contains(exif.bytes, "A lens") && exif.orientation ?? .up == .up)
        // Without its location, unless that is named.
        #expect(exif.number(0x8825) == nil)
        #expect(try image(encode(source, format, [.exif, .location])).metadata?.exif?.number(0x8825) != nil)
    }

    // MARK: ExifTool

    private static let exifTool = ["/usr/bin/exiftool", "/usr/local/bin/exiftool", "/opt/homebrew/bin/exiftool"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    private static let isRequired = ProcessInfo.processInfo.environment["TINTYPE_CI"] != nil

    /// Returns what ExifTool reads in a file, tag by tag.
    private func judged(_ data: Data, _ format: ImageFormat) throws -> [String: String] {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "tintype-metadata-\(UUID().uuidString).\(format.fileExtension)")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: try #require(Self.exifTool))
        process.arguments = ["-s", "-G1", "-a", file.path]
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, Pipe())
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let lines = text.split(separator: "\n").compactMap { line -> (String, String)? in
            guard let colon = line.range(of: " : ") else { return nil }
            let words = line[..<colon.lowerBound].split(separator: " ", omittingEmptySubsequences: true)
            return words.last.map { (String($0), String(line[colon.upperBound...])) }
        }
        return Dictionary(lines, uniquingKeysWith: { first, _ in first })
    }

    @Test(.enabled(if: exifTool != nil || isRequired), arguments: formats)
    func exifToolReadsWhatWasWritten(_ format: ImageFormat) throws {
        let kinds = ImageMetadata.writableKinds(for: format)
        var source = try image("exiftool.tif")
        var metadata = try #require(source.metadata)
        metadata.comment = "A comment"
        source = self.image(source, with: metadata)
        let tags = try judged(encode(source, format, kinds.subtracting([.location])), format)
        #expect(tags["Warning"] == nil || format == .png, "\(tags)")
        #expect(tags["Title"] == "A title")
        // As records or as XMP.
        #expect(tags["Headline"] == "Head" && (tags["By-line"] ?? tags["Creator"]) == "Me")
        #expect((tags["Keywords"] ?? tags["Subject"]) == "one, two")
        if kinds.contains(.exif) {
            #expect(tags["Artist"] == "An artist" && tags["ISO"] == "400" && tags["LensModel"] == "A lens")
        }
        #expect(tags["GPSLatitude"] == nil)
        if kinds.contains(.comment) { #expect(tags["Comment"] == "A comment") }
    }
}
