extension SettingsTable {
    static let limits: [Setting] = [
        .integer(
            "WORKERS", alias: "WORKERS", \.limits.workers, in: 0...4096,
            help: "The number of images in work at once; 0 for the number of processor cores."),
        .bytes(
            "DECODED_BYTES", \.limits.decodedBytes,
            help: "The memory for decoded pixels of all images in work; 0 for a quarter of the memory."),
        .integer(
            "QUEUE", alias: "REQUESTS_QUEUE_SIZE", \.limits.queueLength, in: 0...100_000,
            help: "The number of requests that wait before others get 429; 0 for four times the workers in a "
                + "burst, and once under overload."),
        .decimal(
            "MAX_SRC_RESOLUTION", alias: "MAX_SRC_RESOLUTION", \.limits.sourceMegapixels, in: 1...1000,
            help: "The largest source, in megapixels, with all its frames."),
        .bytes(
            "MAX_SRC_FILE_SIZE", alias: "MAX_SRC_FILE_SIZE", \.limits.sourceBytes, minimum: 1,
            help: "The largest source, in bytes."
        ),
        .integer(
            "MAX_ANIMATION_FRAMES", alias: "MAX_ANIMATION_FRAMES", \.limits.frames, in: 1...10_000,
            help: "The number of frames of an animation that are kept."),
        .decimal(
            "MAX_ANIMATION_FRAME_RESOLUTION", alias: "MAX_ANIMATION_FRAME_RESOLUTION", \.limits.frameMegapixels,
            in: 0...1000, help: "The largest frame of an animation, in megapixels; 0 for the limit of sources."),
        .integer(
            "MAX_RESULT_DIMENSION", alias: "MAX_RESULT_DIMENSION", \.limits.resultSide, in: 1...65_535,
            help: "The longest side of a result in pixels, with its canvas."),
        .flag(
            "STRICT_ISOLATION", \.limits.isStrictlyIsolated,
            help: "Whether images are refused if the kernel cannot restrict the processes that decode them."),
        .list(
            "ADDITIONAL_FORMATS", \.limits.additionalFormats, expected: "pdf, raw or both, divided by commas",
            help: "Formats of sources that are read only if they are named here. Isolation is strict then.",
            isValid: { AdditionalFormat(rawValue: $0) != nil }),
        .flag(
            "ALLOW_SECURITY_OPTIONS", alias: "ALLOW_SECURITY_OPTIONS", \.limits.allowsSecurityOptions,
            help: "Whether a URL may change these limits. Those of sources can only be lowered."),
        .value(
            "ARGUMENTS_SEPARATOR", alias: "ARGUMENTS_SEPARATOR", \.limits.argumentSeparator,
            expected: "printable ASCII characters other than /", help: "What divides an option and its arguments.",
            parse: { isVisible($0) && !$0.isEmpty && !$0.contains("/") ? $0 : nil }, text: { $0 }),
        .list(
            "ALLOWED_PROCESSING_OPTIONS", alias: "ALLOWED_PROCESSING_OPTIONS", \.limits.allowedOptions,
            expected: "names of options, divided by commas", help: "The options that a URL may have; all by default."),
    ]

    static let sources: [Setting] = [
        .list(
            "ALLOWED_SOURCES", alias: "ALLOWED_SOURCES", \.sources.allowed,
            expected: "beginnings of URLs, divided by commas, in which * stands for anything but /",
            help: "The sources that a URL may name; all by default, none for an unsigned server."),
        .value(
            "BASE_URL", alias: "BASE_URL", \.sources.baseURL, expected: "the beginning of a URL",
            help: "Put in front of every source.", parse: { isVisible($0) ? $0 : nil }, text: { $0 }),
        .list(
            "URL_REPLACEMENTS", alias: "URL_REPLACEMENTS", \.sources.urlReplacements,
            expected: "pairs such as mys3://=s3://bucket/, divided by semicolons", separator: ";",
            help: "Replaces the beginnings of sources.", isValid: { $0.dropFirst().contains("=") }),
        .flag(
            "BASE64_URL_INCLUDES_FILENAME", alias: "BASE64_URL_INCLUDES_FILENAME", \.sources.hasFileName,
            help: "Whether a source in base64 is followed by a segment with a name, which means nothing."),
        .text(
            "LOCAL_FILESYSTEM_ROOT", alias: "LOCAL_FILESYSTEM_ROOT", \.sources.localRoot, expected: "an absolute path",
            help: "The directory of local:// sources. None by default.", isValid: isPath),
        .flag(
            "ALLOW_LOOPBACK_SOURCE_ADDRESSES", alias: "ALLOW_LOOPBACK_SOURCE_ADDRESSES", \.sources.allowsLoopback,
            help: "Whether sources may be on this machine."),
        .flag(
            "ALLOW_LINK_LOCAL_SOURCE_ADDRESSES", alias: "ALLOW_LINK_LOCAL_SOURCE_ADDRESSES",
            \.sources.allowsLinkLocal, help: "Whether sources may have link-local addresses."),
        .flag(
            "ALLOW_PRIVATE_SOURCE_ADDRESSES", alias: "ALLOW_PRIVATE_SOURCE_ADDRESSES", \.sources.allowsPrivate,
            help: "Whether sources may be in private networks. imgproxy's default is true."),
        .integer(
            "MAX_REDIRECTS", alias: "MAX_REDIRECTS", \.sources.maximumRedirects, in: 0...20,
            help: "The number of redirects to a source."),
        .seconds(
            "DOWNLOAD_TIMEOUT", alias: "DOWNLOAD_TIMEOUT", \.sources.downloadTimeout,
            help: "The time of a download, in seconds."),
        .seconds(
            "STALL_TIMEOUT", \.sources.stallTimeout, help: "The time without progress of a download, in seconds."),
        .value(
            "USER_AGENT", alias: "USER_AGENT", \.sources.userAgent, expected: "printable ASCII characters",
            help: "The User-Agent field of downloads.",
            parse: { !$0.isEmpty && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? $0 : nil }, text: { $0 }),
        .text(
            "S3_ENDPOINT", alias: "S3_ENDPOINT", \.sources.s3Endpoint, expected: "an http or https URL",
            help: "The S3 service of s3:// sources and of the shared cache.", isValid: isHTTP),
        .value(
            "S3_REGION", alias: "S3_REGION", \.sources.s3Region, expected: "the name of a region",
            help: "The region of the S3 service.", parse: { !$0.isEmpty && isVisible($0) ? $0 : nil }, text: { $0 }),
    ]

    static let output: [Setting] = [
        .integer(
            "QUALITY", alias: "QUALITY", \.output.quality, in: 1...100,
            help: "The quality of formats without their own."),
        .value(
            "FORMAT_QUALITY", alias: "FORMAT_QUALITY", \.output.formatQuality,
            expected: "pairs such as webp=79, divided by commas, with numbers from 1 to 100",
            help: "The quality of formats; others keep their own.",
            parse: { text in
                let standard = ServerSettings.Output().formatQuality
                return SettingText.integerPairs(text, in: 1...100).map { standard.merging($0) { _, new in new } }
            },
            text: SettingText.pairsText),
        .flag(
            "JPEG_PROGRESSIVE", alias: "JPEG_PROGRESSIVE", \.output.isProgressive,
            help: "Whether JPEG is progressive, which is smaller. imgproxy's default is false."),
        .list(
            "PREFERRED_FORMATS", alias: "PREFERRED_FORMATS", \.output.preferredFormats,
            expected: "names of formats, divided by commas",
            help: "The formats of results for which the URL names none.", isValid: isName),
        .flag(
            "STRIP_METADATA", alias: "STRIP_METADATA", \.output.stripsMetadata, help: "Whether metadata is removed."),
        .flag(
            "KEEP_COPYRIGHT", alias: "KEEP_COPYRIGHT", \.output.keepsCopyright,
            help: "Whether the authors and the copyright stay when metadata is removed."),
        .flag(
            "PRESERVE_HDR", alias: "PRESERVE_HDR", \.output.preservesHDR,
            help:
                "Whether a result has the dynamic range of its source, if its format can. imgproxy's default is false."),
        .flag(
            "AUTO_ROTATE", alias: "AUTO_ROTATE", \.output.rotates,
            help: "Whether images are turned as their EXIF orientation says."),
        .list(
            "PRESETS", alias: "PRESETS", \.output.presets,
            expected: "presets such as thumb=rs:fill:100:100, divided by commas", help: "Named lists of options.",
            isValid: { $0.dropFirst().contains("=") }),
        .flag(
            "ONLY_PRESETS", alias: "ONLY_PRESETS", \.output.onlyPresets, help: "Whether a URL may name presets only."),
        .flag(
            "RETURN_ATTACHMENT", alias: "RETURN_ATTACHMENT", \.output.returnsAttachment,
            help: "Whether browsers save images instead of showing them."),
        .flag("ALLOW_RAW", \.output.allowsRaw, help: "Whether a URL may ask for the source as it is, of any type."),
        .flag(
            "REVERSE_PROXY", \.output.isReverseProxy,
            help: "Whether such URLs pass on all methods, fields and queries. For trusted sources, which must be named."
        ),
        .text(
            "WATERMARK_PATH", alias: "WATERMARK_PATH", \.output.watermarkFile, expected: "an absolute path",
            help: "The image of watermarks. None by default.", isValid: isPath),
        .decimal(
            "WATERMARK_OPACITY", alias: "WATERMARK_OPACITY", \.output.watermarkOpacity, in: 0...1,
            help: "The opacity of watermarks, which that of a URL multiplies."),
    ]

    static let negotiation: [Setting] = [
        .flag(
            "AUTO_WEBP", alias: "AUTO_WEBP", \.output.negotiatesWebP, help: "Whether clients that accept WebP get it."),
        .flag(
            "AUTO_AVIF", alias: "AUTO_AVIF", \.output.negotiatesAVIF, help: "Whether clients that accept AVIF get it."),
        .flag(
            "AUTO_JXL", alias: "AUTO_JXL", \.output.negotiatesJXL, help: "Whether clients that accept JPEG XL get it."),
        .flag(
            "ENABLE_CLIENT_HINTS", alias: "ENABLE_CLIENT_HINTS", \.output.usesClientHints,
            help: "Whether client hints set the width and the pixel ratio of URLs that do not."),
        .flag("SAVE_DATA", \.output.usesSaveData, help: "Whether clients that save data get a lower quality."),
    ]

    static func isHTTP(_ text: String) -> Bool {
        isVisible(text) && ["http://", "https://"].contains { text.hasPrefix($0) && text.utf8.count > $0.utf8.count }
    }

    static func isName(_ text: String) -> Bool { isVisible(text) && !text.contains("=") }
}
