import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

/// The thumbnails that the programs of a desktop share.
@Suite(.timeLimited) struct FreedesktopThumbnailTests {
    private let folder: TemporaryFolder
    private let decoder = GatedDecoder(info: ImageInfo(format: .png, size: PixelSize(width: 512, height: 256)))
    private let thumbnails: FreedesktopThumbnails

    init() throws {
        folder = try TemporaryFolder()
        thumbnails = FreedesktopThumbnails(directory: folder.url.appending(path: "thumbnails"))
    }

    /// Writes any image as a PNG file without pixels.
    private struct HeaderEncoder: ImageEncoder {
        static let end = Data([0, 0, 0, 0]) + Data("IEND".utf8) + Data([0xAE, 0x42, 0x60, 0x82])
        static let header = Data([0, 0, 0, 13]) + Data("IHDR".utf8) + Data(count: 17)
        static let file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + header + end
        let formats: Set<ImageFormat> = [.png]

        func encode(_ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions) -> Data { Self.file }
    }

    /// Records the options of the last image.
    private final class RecordingEncoder: ImageEncoder {
        let formats: Set<ImageFormat> = [.png]
        let options = Locked<EncodeOptions?>(nil)

        func encode(_ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions) -> Data {
            self.options.withLock { $0 = options }
            return HeaderEncoder.file
        }
    }

    /// A pipeline without memory.
    private func pipeline(_ change: (inout PipelineConfiguration) -> Void = { _ in }) -> ImagePipeline {
        var configuration = PipelineConfiguration()
        configuration.cache = ImageCache(memory: nil)
        configuration.coders = ImageCoderRegistry(decoders: [decoder], encoders: [HeaderEncoder()])
        change(&configuration)
        return ImagePipeline(configuration)
    }

    /// Writes a file with a time of modification.
    private func write(_ name: String = "my photo.png", modified: Int = 1_000_000) throws -> URL {
        let url = folder.url.appending(path: name)
        try HeaderEncoder.file.write(to: url)
        let time = timespec(tv_sec: modified, tv_nsec: 5)
        #expect(utimensat(AT_FDCWD, url.path(percentEncoded: false), [time, time], 0) == 0)
        return url
    }

    private func stored(_ size: FreedesktopThumbnails.Size = .normal) -> [String] {
        folder.files.filter { $0.contains("/thumbnails/\(size.folderName)/") }
    }

    @Test func theNameIsThatOfTheStandard() {
        let subject = ThumbnailSubject(
            path: "/home/jens/photos/me.png", url: "file:///home/jens/photos/me.png", modified: 1)
        #expect(subject.name == "c6ee772d9e49320e97ec29a7eb5b1697.png")
    }

    /// Thumbnail Managing Standard, "Thumbnail Creation": 8 bits, with full alpha; not grey and no palette.
    @Test func aThumbnailIsWrittenInColorsOf8Bits() async throws {
        let encoder = RecordingEncoder()
        let pipeline = pipeline { $0.coders = ImageCoderRegistry(decoders: [decoder], encoders: [encoder]) }
        _ = try await thumbnails.image(of: write(), in: pipeline)
        let options = try #require(encoder.options.withLock { $0 })
        #expect(options.colorMode == .trueColor && options.depth == .eight)
    }

    @Test func aThumbnailIsMadeAndStoredAndThenRead() async throws {
        let file = try write()
        let made = try await thumbnails.image(of: file, in: pipeline())
        #expect(made.size == PixelSize(width: 128, height: 64))
        let path = try #require(stored().first)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(stored().count == 1 && mode == 0o600)
        let texts = ThumbnailFile.texts(of: try Data(contentsOf: URL(filePath: path)))
        #expect(texts == ["Thumb::URI": file.absoluteString, "Thumb::MTime": "1000000"])
        #expect(file.absoluteString.hasSuffix("/my%20photo.png"))
        // Without the file loader, only the thumbnail can be read.
        let read = try await thumbnails.image(of: file, in: pipeline { $0.loaders = [DataURLLoader()] })
        #expect(read.size == PixelSize(width: 512, height: 256), "the thumbnail as it is")
    }

    @Test func anOutdatedThumbnailIsMadeAgain() async throws {
        let file = try write()
        _ = try await thumbnails.image(of: file, in: pipeline())
        _ = try write(modified: 2_000_000)
        let again = try await thumbnails.image(of: file, in: pipeline())
        #expect(again.size.width == 128 && stored().count == 1)
        let texts = ThumbnailFile.texts(of: try Data(contentsOf: URL(filePath: try #require(stored().first))))
        #expect(texts["Thumb::MTime"] == "2000000")
    }

    @Test(arguments: FreedesktopThumbnails.Size.allCases)
    func eachSizeHasAFolderOfItsOwn(_ size: FreedesktopThumbnails.Size) async throws {
        let image = try await thumbnails.image(of: try write(), size: size, in: pipeline())
        #expect(image.size.width == min(size.rawValue, 512))
        #expect(FreedesktopThumbnails.Size.allCases.filter { !stored($0).isEmpty } == [size])
    }

    @Test func noThumbnailOfAThumbnailIsStored() async throws {
        _ = try await thumbnails.image(of: try write(), in: pipeline())
        let path = try #require(stored().first)
        _ = try await thumbnails.image(of: URL(filePath: path), in: pipeline())
        #expect(stored().count == 1)
    }

    @Test func aMissingFileIsAnErrorWhateverIsStored() async throws {
        let file = try write()
        _ = try await thumbnails.image(of: file, in: pipeline())
        try FileManager.default.removeItem(at: file)
        let pipeline = pipeline()
        await expectError(.notFound) { try await thumbnails.image(of: file, in: pipeline) }
    }

    /// A decoder of the files of ``HeaderEncoder`` that refuses damaged ones.
    private struct StrictDecoder: ImageDecoder {
        let formats: Set<ImageFormat> = [.png]
        let inner: GatedDecoder

        func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
            try inner.info(of: bytes, isComplete: isComplete)
        }

        func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
            guard bytes.suffix(HeaderEncoder.end.count) == HeaderEncoder.end else {
                throw TintypeError(.undecodable, stage: .decode, "damaged")
            }
            return try inner.decode(bytes, context: context)
        }
    }

    /// The failure of a damaged thumbnail does not count for the file that replaces it.
    @Test func theThumbnailThatReplacesADamagedOneIsRead() async throws {
        let file = try write()
        let pipeline = pipeline { [decoder] in
            $0.coders = ImageCoderRegistry(decoders: [StrictDecoder(inner: decoder)], encoders: [HeaderEncoder()])
        }
        _ = try await thumbnails.image(of: file, in: pipeline)
        let path = try #require(stored().first)
        let whole = try Data(contentsOf: URL(filePath: path))
        #expect(truncate(path, whole.count - 1) == 0)
        #expect(try await thumbnails.image(of: file, in: pipeline).size.width == 128, "made again")
        #expect(try Data(contentsOf: URL(filePath: path)) == whole)
        #expect(try await thumbnails.image(of: file, in: pipeline).size.width == 512, "the thumbnail as it is")
    }

    @Test(arguments: [true, false]) func aTemporaryFileOfAKilledProcessIsReplaced(_ isOld: Bool) async throws {
        let file = try write()
        _ = try await thumbnails.image(of: file, in: pipeline())
        let path = try #require(stored().first)
        #expect(rename(path, "\(path).tintype") == 0)
        let time = timespec(tv_sec: isOld ? 1_000_000 : Int(Date().timeIntervalSince1970), tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, "\(path).tintype", [time, time], 0) == 0)
        // A new one may belong to a process that is writing the same thumbnail.
        #expect(try await thumbnails.image(of: file, in: pipeline()).size.width == 128)
        #expect(stored() == (isOld ? [path] : ["\(path).tintype"]))
    }

    @Test(arguments: [0, 5, 8, 40, 60]) func aDamagedThumbnailIsMadeAgain(_ length: Int) async throws {
        let file = try write()
        _ = try await thumbnails.image(of: file, in: pipeline())
        #expect(truncate(try #require(stored().first), length) == 0)
        #expect(try await thumbnails.image(of: file, in: pipeline()).size.width == 128)
    }
}
