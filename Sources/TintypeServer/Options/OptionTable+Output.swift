import TintypeCore

extension OptionTable {
    /// Options that decide how the result is written.
    static let output: [OptionEntry] = [
        .boolean("strip_metadata", "sm", at: \.output.stripsMetadata),
        .boolean("keep_copyright", "kcr", at: \.output.keepsCopyright),
        .boolean("strip_color_profile", "scp", at: \.output.stripsColorProfile),
        .boolean("preserve_hdr", "ph", at: \.output.preservesHDR),
        .boolean("enforce_thumbnail", "eth", at: \.output.enforcesThumbnail),
        .integer("quality", "q", at: \.output.quality, in: 0...100),
        OptionEntry("format_quality", "fq", count: 64, read: readFormatQuality) {
            let initial = OutputOptions().formatQuality
            let changed = $0.output.formatQuality.filter { initial[$0.key] != $0.value }
            return changed.isEmpty
                ? nil
                : changed.map { "\($0.key.rawValue):\($0.value)" }.sorted().joined(separator: ":")
        },
        OptionEntry("autoquality", "aq", count: 5, read: readAutoquality),
        .integer("max_bytes", "mb", at: \.output.maximumBytes, in: 0...1_000_000_000_000),
        OptionEntry("format", "f", "ext") { options, arguments throws(ImageURLError) in
            options.output.format = try readFormat(arguments, at: 0)
        } write: {
            $0.output.format?.rawValue
        },
        OptionEntry("skip_processing", "skp", count: 64) { options, arguments throws(ImageURLError) in
            for index in 0..<arguments.count {
                options.output.skippedFormats.insert(try readFormat(arguments, at: index))
            }
        } write: {
            let formats = $0.output.skippedFormats
            return formats.isEmpty ? nil : formats.map(\.rawValue).sorted().joined(separator: ":")
        },
        .boolean("raw", at: \.output.isRaw),
    ]

    /// The extensions that name a format in a URL.
    static let formats: [String: ImageFormat] = [
        "jpg": .jpeg, "jpeg": .jpeg, "png": .png, "webp": .webp, "gif": .gif, "avif": .avif, "heic": .heic, "jxl": .jxl,
        "ico": .ico, "bmp": .bmp, "tiff": .tiff, "svg": .svg,
    ]

    private static func readFormat(_ arguments: OptionArguments, at index: Int) throws(ImageURLError) -> ImageFormat {
        guard let format = formats[arguments[index]] else {
            throw arguments.error("one of " + formats.keys.sorted().joined(separator: ", "), at: index)
        }
        return format
    }

    private static func readFormatQuality(
        _ options: inout ProcessingOptions, _ arguments: inout OptionArguments
    ) throws(ImageURLError) {
        guard arguments.count.isMultiple(of: 2) else {
            throw arguments.error("a quality after each format", at: arguments.count - 1)
        }
        for index in stride(from: 0, to: arguments.count, by: 2) {
            let format = try readFormat(arguments, at: index)
            options.output.formatQuality[format] = try arguments.integer(index + 1, in: 0...100)
        }
    }

    /// Reads the method `size`, which is the option `max_bytes` under another name, and `none`.
    private static func readAutoquality(
        _ options: inout ProcessingOptions, _ arguments: inout OptionArguments
    ) throws(ImageURLError) {
        switch arguments[0] {
        case "none":
            options.output.maximumBytes = 0
        case "size":
            guard !(2..<max(2, arguments.count)).contains(where: { arguments.has($0) }) else {
                throw arguments.error("no bounds of the quality; the bytes decide", at: 2)
            }
            options.output.maximumBytes = try arguments.integer(1, in: 1...1_000_000_000_000)
        default:
            throw arguments.error("the method size or none", at: 0)
        }
    }
}
