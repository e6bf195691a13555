import Foundation
import Testing
import Tintype

/// Checks that every symbol named in `docs/from-sdwebimage.md` exists, and that every option of SDWebImage has a row.
@Suite struct MappingTests {
    /// A row of a table.
    private struct Row {
        let text: String
        let cells: [Substring]

        init(_ line: Substring) {
            text = String(line)
            cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
        }

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
        let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        let guide = try String(contentsOf: root.appending(path: "docs/from-sdwebimage.md"), encoding: .utf8)
        rows = guide.split(separator: "\n").filter { $0.hasPrefix("|") }.map(Row.init)
        originals = Set(rows.flatMap { $0.names(in: 0) })
    }
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
