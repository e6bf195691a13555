public import Foundation
public import TintypeCore

/// The thumbnails of local files that the programs of a desktop share (freedesktop.org, Thumbnail Managing Standard
/// 0.9).
///
/// A file manager has often made the thumbnail that a program needs, and shows those that the program makes. Thumbnails
/// are PNG files, named by the MD5 of the file's URL. They state the time of the file's last modification; if that
/// differs, they are outdated. They are decoded within the limits of the pipeline, because any program of the user may
/// write them.
public struct FreedesktopThumbnails: Sendable {
    /// A size of thumbnails. Each has a folder of its own.
    public enum Size: Int, CaseIterable, Sendable {
        /// At most 128 × 128 pixels.
        case normal = 128
        /// At most 256 × 256 pixels.
        case large = 256
        /// At most 512 × 512 pixels.
        case extraLarge = 512
        /// At most 1024 × 1024 pixels.
        case doubleExtraLarge = 1024

        var folderName: String {
            switch self {
            case .normal: "normal"
            case .large: "large"
            case .extraLarge: "x-large"
            case .doubleExtraLarge: "xx-large"
            }
        }
    }

    private let location: FolderLocation
    /// The largest thumbnail file that is read, in bytes.
    private static let maximumByteCount = 16 << 20
    /// The age at which a temporary file is removed, in seconds.
    private static let maximumTemporaryAge: TimeInterval = 3600

    /// Creates the store without touching the disk.
    ///
    /// - Parameter directory: The directory of the thumbnails. `nil` uses `thumbnails` in the user's cache directory,
    ///   as the standard says.
    public init(directory: URL? = nil) {
        location = FolderLocation(named: directory ?? URL(filePath: "\(CacheLayout.userDirectory)/thumbnails"))
    }

    /// Returns the thumbnail of a local file: a stored one, or else a new one, which is stored.
    ///
    /// A thumbnail that cannot be stored is still returned. None is stored for a file in the directory of the
    /// thumbnails.
    ///
    /// - Parameters:
    ///   - file: The URL of the file.
    ///   - size: The largest size. Smaller images are not enlarged.
    ///   - pipeline: Decodes and scales the file, or decodes the thumbnail.
    /// - Throws: The errors of a load; `TintypeError.Code.notFound` if there is no such file.
    public func image(
        of file: URL, size: Size = .normal, in pipeline: ImagePipeline
    ) async throws(TintypeError) -> Image {
        try pipeline.checkAllowed(ImageRequest(url: file))
        let subject = try await onDisk { () throws(TintypeError) in try ThumbnailSubject(file) }
        if let image = await stored(subject, size, in: pipeline) { return image }
        let image = try await pipeline.image(
            for: ImageRequest(url: file).fitting(width: size.rawValue, height: size.rawValue).frames(.first))
        let isOwn = subject.path.hasPrefix("\(location.path)/")
        if !isOwn, !image.isPartial, let png = try? await pipeline.encode(image, as: .png, options: Self.encoding) {
            let file = ThumbnailFile.adding(subject.texts, to: png)
            try? await onDisk { () throws(TintypeError) in try store(file, subject, size) }
        }
        return image
    }

    /// PNG with 8 bits and full alpha, as the standard demands (Thumbnail Managing Standard, "Thumbnail Creation").
    private static let encoding: EncodeOptions = {
        var options = EncodeOptions()
        (options.colorMode, options.depth) = (.trueColor, .eight)
        return options
    }()

    /// Returns the stored thumbnail of a file, unless it is outdated.
    private func stored(_ subject: ThumbnailSubject, _ size: Size, in pipeline: ImagePipeline) async -> Image? {
        let data = try? await onDisk { () throws(TintypeError) in try read(subject, size) }
        guard let data, ThumbnailFile.texts(of: data) == subject.texts else { return nil }
        // The ID contains a digest of the bytes, because any program may replace the thumbnail.
        let source = ImageSource.bytes(data, id: "thumbnail \(SHA256Digest.hexadecimal(of: data))")
        let request = ImageRequest(source: source).with { $0.policy.failureMemory = .ignored }
        return try? await pipeline.image(for: request)
    }

    private func read(_ subject: ThumbnailSubject, _ size: Size) throws(TintypeError) -> Data {
        guard let folder = try? location.folder(size.folderName).open() else {
            throw TintypeError(.notFound, stage: .load, "no thumbnails of this size")
        }
        let path = "\(folder.path)/\(subject.name)"
        let descriptor = folder.open(subject.name, O_RDONLY)
        guard descriptor >= 0 else { throw TintypeError(.notFound, stage: .load, "no thumbnail", subject: path) }
        let file = try LocalFile(owning: descriptor, path: path)
        guard file.byteCount <= Self.maximumByteCount else {
            throw TintypeError(.limitExceeded, stage: .load, "more than \(Self.maximumByteCount) bytes", subject: path)
        }
        return try file.read(file.byteCount, from: 0)
    }

    /// Writes a thumbnail under a temporary name and renames it, with access for this user only, as the standard says.
    private func store(_ data: Data, _ subject: ThumbnailSubject, _ size: Size) throws(TintypeError) {
        let failure = TintypeError(.unwritable, stage: .store, "cannot write a thumbnail", subject: subject.path)
        guard let folder = try? location.folder(size.folderName).make() else { throw failure }
        // One name for each thumbnail, so that killed processes leave few files, and none of them for long.
        let temporary = "\(subject.name).tintype"
        removeAbandoned(temporary, in: folder)
        let descriptor = folder.open(temporary, O_WRONLY | O_CREAT | O_EXCL)
        // Another call may be writing the same thumbnail.
        guard descriptor >= 0 else { throw failure }
        let problem = data.withUnsafeBytes { $0.write(to: descriptor) }
        close(descriptor)
        guard problem == 0, renameat(folder.descriptor, temporary, folder.descriptor, subject.name) == 0 else {
            folder.remove(temporary)
            throw failure
        }
    }

    /// Removes a temporary file that is so old that its process must have been killed.
    private func removeAbandoned(_ name: String, in folder: OwnedFolder) {
        guard let status = folder.status(of: name),
            Date().timeIntervalSince1970 - Double(status.st_mtim.tv_sec) > Self.maximumTemporaryAge
        else { return }
        folder.remove(name)
    }

    private func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable () throws(TintypeError) -> Value
    ) async throws(TintypeError) -> Value {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal), body)
    }
}

/// A file that a thumbnail shows.
struct ThumbnailSubject: Sendable {
    let path: String
    /// The canonical absolute URL.
    let url: String
    /// The time of the last modification, in seconds since 1970.
    let modified: Int

    init(path: String, url: String, modified: Int) {
        (self.path, self.url, self.modified) = (path, url, modified)
    }

    /// Reads the time of a file's last modification. Blocks.
    ///
    /// - Throws: `TintypeError.Code.invalidSource` or `TintypeError.Code.notFound`.
    init(_ file: URL) throws(TintypeError) {
        guard file.isFileURL else {
            throw TintypeError(.invalidSource, stage: .load, "not a file URL", subject: file.absoluteString)
        }
        let standard = file.standardizedFileURL
        let path = standard.path(percentEncoded: false)
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            throw TintypeError(.notFound, stage: .load, SystemError.description(errno), subject: path)
        }
        self.init(path: path, url: standard.absoluteString, modified: facts.st_mtim.tv_sec)
    }

    /// The name of the thumbnail's file.
    var name: String { MD5Digest.hexadecimal(of: url) + ".png" }

    /// The texts in a thumbnail about its file.
    var texts: [String: String] { ["Thumb::URI": url, "Thumb::MTime": "\(modified)"] }
}

/// The texts in the PNG file of a thumbnail (PNG specification, 11.3.3.2).
enum ThumbnailFile {
    private static let signatureLength = 8
    /// The signature and the header, after which texts may follow.
    private static let headLength = 33

    /// Returns a PNG file with texts after its header.
    static func adding(_ texts: [String: String], to png: Data) -> Data {
        guard png.count > headLength else { return png }
        var file = Data(png.prefix(headLength))
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            file.append(chunk: "tEXt", Data("\(name)\0\(text)".utf8))
        }
        file.append(png.dropFirst(headLength))
        return file
    }

    /// Returns the texts of a PNG file about the file that it shows.
    static func texts(of png: Data) -> [String: String] {
        var (rest, texts) = (png.dropFirst(signatureLength), [String: String]())
        while rest.count >= 12 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard length <= rest.count - 12 else { break }
            let (type, content) = (rest.dropFirst(4).prefix(4), rest.dropFirst(8).prefix(length))
            if type.elementsEqual("tEXt".utf8), let end = content.firstIndex(of: 0) {
                let name = String(decoding: content[..<end], as: UTF8.self)
                if ["Thumb::URI", "Thumb::MTime"].contains(name) {
                    texts[name] = String(decoding: content[(end + 1)...], as: UTF8.self)
                }
            }
            rest = rest.dropFirst(12 + length)
        }
        return texts
    }
}
