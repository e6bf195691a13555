import Foundation
import Testing
import Tintype

/// Checks that every symbol named in `FromSDWebImage.md` exists, that every row has a test, and that every option of
/// SDWebImage has a row.
@Suite struct MappingTests {
    /// A row of a table.
    private struct Row {
        let section: String
        let text: String
        let cells: [Substring]

        init(_ line: Substring, in section: String) {
            self.section = section
            text = String(line)
            cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
        }

        /// The first cell.
        var title: String { String(cells.first ?? "").trimmingCharacters(in: .whitespaces) }

        /// Whether the second cell names a symbol.
        var hasCounterpart: Bool { !names(in: 1).isEmpty }

        /// The texts between backticks in a column.
        func names(in column: Int) -> [String] {
            guard cells.indices.contains(column) else { return [] }
            let parts = cells[column].split(separator: "`", omittingEmptySubsequences: false)
            return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
        }
    }

    private let rows: [Row]
    /// The texts between backticks in the first columns.
    private let originals: Set<String>

    init() throws {
        let guide = try String(
            contentsOf: Self.root.appending(path: "Sources/Tintype/Tintype.docc/FromSDWebImage.md"), encoding: .utf8)
        rows = guide.split(separator: "\n## ").flatMap { part -> [Row] in
            let lines = part.split(separator: "\n")
            let section = String(lines.first ?? "")
            return lines.filter { $0.hasPrefix("|") }.map { Row($0, in: section) }
        }
        originals = Set(rows.flatMap { $0.names(in: 0) })
    }

    fileprivate static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
}

// MARK: Named symbols exist

extension MappingTests {
    @Test func everyRowHasThreeColumnsAndNamesACounterpart() {
        #expect(rows.count > 400)
        for row in rows {
            let isFilled = row.cells.count == 3 && row.cells[1].contains { $0 != " " }
            #expect(isFilled, "\(row.text)")
        }
    }

    @Test func everySymbolNamedInARowExists() {
        let symbols = MappingSymbols.all
        for row in rows {
            for name in row.names(in: 1) where symbols[name] == nil {
                Issue.record("\(name) is not in MappingSymbols, but is named by: \(row.text)")
            }
        }
    }

    @Test func everySymbolIsNamedByARow() {
        let named = Set(rows.flatMap { $0.names(in: 1) })
        for name in MappingSymbols.all.keys.sorted() where !named.contains(name) {
            Issue.record("\(name) is not named in any row")
        }
    }
}

// MARK: Every row has a test

extension MappingTests {
    @Test func everyRowWithACounterpartHasATest() {
        for row in rows where row.hasCounterpart && entry(of: row) == nil {
            Issue.record("no test in MappingEvidence shows: \(row.text)")
        }
    }

    @Test func everyTestOfARowExists() throws {
        let tests = try TestNames.all(in: Self.root.appending(path: "Tests"))
        #expect(tests.count > 2000)
        for (section, evidence) in MappingEvidence.sections {
            for (title, test) in evidence where !tests.contains(test) {
                Issue.record("there is no \(test), which shows: \(title) (\(section))")
            }
        }
    }

    @Test func everyTestBelongsToARow() {
        let used = Set(rows.compactMap { row in entry(of: row).map { "\(row.section): \($0)" } })
        for (section, evidence) in MappingEvidence.sections {
            for title in evidence.keys where !used.contains("\(section): \(title)") {
                Issue.record("there is no row \(title) with a counterpart in \(section)")
            }
        }
    }

    /// The key of the test of a row: the longest one with which its title begins.
    private func entry(of row: Row) -> String? {
        guard row.hasCounterpart else { return nil }
        return MappingEvidence.sections[row.section]?.keys.filter { row.title.hasPrefix($0) }
            .max { $0.count < $1.count }
    }
}

/// The names of the tests in the sources.
private enum TestNames {
    /// Returns the names of all tests in a folder, as `Suite.test`.
    ///
    /// - Throws: The error of reading a file.
    static func all(in folder: URL) throws -> Set<String> {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var names: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            names.formUnion(tests(in: try String(contentsOf: file, encoding: .utf8)))
        }
        return names
    }

    /// A suite begins at the start of a line. Its name follows the keyword, as that of a test follows `func`, in the
    /// line with the attribute or in a later one.
    private static func tests(in source: String) -> [String] {
        var (names, suite, isTest) = ([String](), "", false)
        for line in source.split(separator: "\n") {
            if line.first != " ", let name = name(after: ["struct", "class", "extension", "actor"], in: line) {
                suite = name
            }
            isTest = isTest || line.contains("@Test")
            guard isTest, let name = name(after: ["func"], in: line) else { continue }
            names.append("\(suite).\(name)")
            isTest = false
        }
        return names
    }

    private static func name(after keywords: [Substring], in line: Substring) -> String? {
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(where: { keywords.contains($0) }), index + 1 < words.count else {
            return nil
        }
        return String(words[index + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }
}

// MARK: Every original name has a row

extension MappingTests {
    @Test func theListsOfNamesAreComplete() {
        #expect(Original.options.count == 26 && Original.contextKeys.count == 28)
        #expect(Original.downloaderOptions.count == 13 && Original.cacheOptions.count == 8)
        #expect(Original.coderOptions.count == 17)
    }

    @Test(arguments: Original.options)
    func everyOptionHasARow(_ name: String) { #expect(hasRow(name)) }

    @Test(arguments: Original.contextKeys)
    func everyContextKeyHasARow(_ name: String) { #expect(hasRow(name)) }

    @Test(arguments: Original.managerNames)
    func everyMemberOfTheManagerHasARow(_ name: String) { #expect(hasRow(name)) }

    @Test(arguments: Original.downloaderFields + Original.downloaderOptions)
    func everyDownloaderSettingHasARow(_ name: String) { #expect(hasRow(name)) }

    @Test(arguments: Original.cacheFields + Original.cacheOptions + Original.cacheTypes)
    func everyCacheSettingHasARow(_ name: String) { #expect(hasRow(name)) }

    @Test(arguments: Original.coderOptions)
    func everyCoderOptionHasARow(_ name: String) { #expect(hasRow(name)) }

    @Test(arguments: [1000, 1001, 1002, 1003, 2000, 2001, 2002, 2003, 2004])
    func everyErrorHasARow(_ number: Int) { #expect(hasRow(withNumber: number)) }

    @Test(arguments: Original.errorKeys + Original.notifications)
    func everyErrorKeyAndNotificationHasARow(_ name: String) { #expect(hasRow(name)) }

    @Test(arguments: Original.viewOptions)
    func everyAnimatedViewOptionHasARow(_ name: String) { #expect(hasRow(name)) }

    /// Transformers are listed with the format of their keys.
    @Test(arguments: Original.transformers)
    func everyTransformerHasARow(_ name: String) { #expect(hasRow(name) || hasRow(withFormatOf: name)) }

    @Test(arguments: Original.types)
    func everyTypeHasARow(_ name: String) { #expect(hasRow(name)) }

    // These functions keep failure messages short: they show the name, not the whole page.

    private func hasRow(_ name: String) -> Bool { originals.contains(name) }

    private func hasRow(withFormatOf name: String) -> Bool { originals.contains { $0.hasPrefix("\(name)(") } }

    private func hasRow(withNumber number: Int) -> Bool {
        rows.contains { $0.cells.first?.contains("(\(number))") == true }
    }
}

/// The names of SDWebImage 5.21.
private enum Original {
    static let options = [
        "RetryFailed", "LowPriority", "ProgressiveLoad", "RefreshCached", "ContinueInBackground", "HandleCookies",
        "AllowInvalidSSLCertificates", "HighPriority", "DelayPlaceholder", "TransformAnimatedImage",
        "AvoidAutoSetImage", "ScaleDownLargeImages", "QueryMemoryData", "QueryMemoryDataSync", "QueryDiskDataSync",
        "FromCacheOnly", "FromLoaderOnly", "ForceTransition", "AvoidDecodeImage", "DecodeFirstFrameOnly",
        "PreloadAllFrames", "MatchAnimatedImageClass", "WaitStoreCache", "TransformVectorImage",
        "AvoidAutoCancelImage", "WaitTransition",
    ].map { "SDWebImage\($0)" }

    static let contextKeys = [
        "SetImageOperationKey", "CustomManager", "CallbackQueue", "ImageCache", "ImageLoader", "ImageCoder",
        "ImageTransformer", "ImageForceDecodePolicy", "ImageDecodeOptions", "ImageScaleFactor",
        "ImagePreserveAspectRatio", "ImageThumbnailPixelSize", "ImageTypeIdentifierHint", "ImageScaleDownLimitBytes",
        "ImageDecodeToHDR", "ImageEncodeOptions", "QueryCacheType", "StoreCacheType", "OriginalQueryCacheType",
        "OriginalStoreCacheType", "OriginalImageCache", "AnimatedImageClass", "DownloadRequestModifier",
        "DownloadResponseModifier", "DownloadDecryptor", "CacheKeyFilter", "CacheSerializer", "LoaderCachedImage",
    ].map { "SDWebImageContext\($0)" }

    static let managerNames = [
        "cancelAll", "isRunning", "removeFailedURL:", "removeAllFailedURLs", "cacheKeyForURL:",
        "cacheKeyForURL:context:", "defaultImageCache", "defaultImageLoader", "transformer", "cacheKeyFilter",
        "cacheSerializer", "optionsProcessor", "imageManager:shouldDownloadImageForURL:",
        "imageManager:shouldBlockFailedURL:withError:", "loadImageWithURL:options:context:progress:completed:",
    ]

    static let downloaderFields = [
        "maxConcurrentDownloads", "downloadTimeout", "minimumProgressInterval", "sessionConfiguration",
        "operationClass", "executionOrder", "urlCredential", "username", "password", "acceptableStatusCodes",
        "acceptableContentTypes",
    ]

    static let downloaderOptions = [
        "LowPriority", "ProgressiveLoad", "UseNSURLCache", "IgnoreCachedResponse", "ContinueInBackground",
        "HandleCookies", "AllowInvalidSSLCertificates", "HighPriority", "ScaleDownLargeImages", "AvoidDecodeImage",
        "DecodeFirstFrameOnly", "PreloadAllFrames", "MatchAnimatedImageClass",
    ].map { "SDWebImageDownloader\($0)" }

    static let cacheFields = [
        "shouldDisableiCloud", "shouldCacheImagesInMemory", "shouldUseWeakMemoryCache",
        "shouldRemoveExpiredDataWhenEnterBackground", "shouldRemoveExpiredDataWhenTerminate",
        "diskCacheReadingOptions", "diskCacheWritingOptions", "maxDiskAge", "maxDiskSize", "maxMemoryCost",
        "maxMemoryCount", "diskCacheExpireType", "fileManager", "ioQueueAttributes", "memoryCacheClass",
        "diskCacheClass",
    ]

    static let cacheOptions = [
        "QueryMemoryData", "QueryMemoryDataSync", "QueryDiskDataSync", "ScaleDownLargeImages", "AvoidDecodeImage",
        "DecodeFirstFrameOnly", "PreloadAllFrames", "MatchAnimatedImageClass",
    ].map { "SDImageCache\($0)" }

    static let cacheTypes = ["None", "Disk", "Memory", "All"].map { "SDImageCacheType\($0)" }

    static let coderOptions = [
        "DecodeFirstFrameOnly", "DecodeScaleFactor", "DecodePreserveAspectRatio", "DecodeThumbnailPixelSize",
        "DecodeFileExtensionHint", "DecodeTypeIdentifierHint", "DecodeUseLazyDecoding", "DecodeScaleDownLimitBytes",
        "DecodeToHDR", "EncodeToHDR", "EncodeFirstFrameOnly", "EncodeCompressionQuality", "EncodeBackgroundColor",
        "EncodeMaxPixelSize", "EncodeMaxFileSize", "EncodeEmbedThumbnail", "WebImageContext",
    ].map { "SDImageCoder\($0)" }

    static let errorKeys = ["StatusCode", "ContentType", "Response"].map { "SDWebImageErrorDownload\($0)Key" }

    static let notifications = ["Start", "ReceiveResponse", "Stop", "Finish"].map {
        "SDWebImageDownload\($0)Notification"
    }

    static let viewOptions = [
        "shouldCustomLoopCount", "shouldIncrementalLoad", "clearBufferWhenStopped", "resetFrameIndexWhenStopped",
        "autoPlayAnimatedImage", "playbackRate", "playbackMode", "maxBufferSize",
    ]

    static let transformers = [
        "Pipeline", "Resizing", "Cropping", "Rotation", "RoundCorner", "Flipping", "Tint", "Blur", "Filter",
    ].map { "SDImage\($0)Transformer" }

    static let types = [
        "SDWebImageManager", "SDWebImageCombinedOperation", "SDWebImageOptions", "SDWebImageContext",
        "SDWebImageOptionsProcessor", "SDWebImageCacheKeyFilter", "SDWebImageCacheSerializer", "SDImageCache",
        "SDMemoryCache", "SDDiskCache", "SDImageCachesManager", "SDImageLoader", "SDImageLoadersManager",
        "SDImageLoaderDecodeImageData", "SDImageLoaderDecodeProgressiveImageData", "SDWebImageDownloader",
        "SDWebImageDownloaderOperation", "SDWebImageDownloaderRequestModifier",
        "SDWebImageDownloaderResponseModifier", "SDWebImageDownloaderDecryptor", "SDImageCoder",
        "SDProgressiveImageCoder", "SDAnimatedImageProvider", "SDAnimatedImageCoder", "SDImageCodersManager",
        "SDImageCoderHelper", "UIImage", "SDAnimatedImage", "SDAnimatedImagePlayer", "SDAnimatedImageView",
        "SDImageTransformer", "SDWebImagePrefetcher", "UIView+WebCache", "SDWebImageIndicator",
        "SDWebImageTransition", "SDCallbackQueue", "SDGraphicsImageRenderer", "SDImageFrame",
    ]
}
