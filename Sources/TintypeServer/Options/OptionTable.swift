/// The options that a URL can have. The order is that of the canonical form, and has no other meaning.
enum OptionTable {
    /// All options but `preset`, which needs the presets of the configuration.
    static let entries: [OptionEntry] =
        size + position + orientation + pixels + watermark + output + limits + delivery + texts

    /// The names of the option that stands for the options of presets.
    static let presetNames = ["preset", "pr"]

    /// Returns the option with a name; `nil` if there is none.
    static func entry(named name: String) -> OptionEntry? { index[name].map { entries[$0] } }

    /// Returns the full name of an option; `nil` if there is none with this name.
    static func fullName(of name: String) -> String? {
        presetNames.contains(name) ? presetNames[0] : entry(named: name)?.names[0]
    }

    private static let index: [String: Int] = {
        let pairs = entries.enumerated().flatMap { index, entry in entry.names.map { ($0, index) } }
        return Dictionary(pairs) { first, _ in first }
    }()
}

// MARK: - Limits and delivery

extension OptionTable {
    private static let limits: [OptionEntry] = [
        .megapixels("max_src_resolution", "msr", at: \.limits.sourcePixels),
        .limit("max_src_file_size", "msfs", at: \.limits.sourceBytes),
        .limit("max_animation_frames", "maf", at: \.limits.frames, from: 1),
        .megapixels("max_animation_frame_resolution", "mafr", at: \.limits.framePixels),
        .limit("max_result_dimension", "mrd", at: \.limits.resultSide),
    ]

    /// Options without effect on the bytes of the result, so that they are not written.
    private static let delivery: [OptionEntry] = [
        OptionEntry("expires", "exp") { options, arguments throws(ImageURLError) in
            options.expires = try arguments.integer(0, in: Int.min...Int.max)
        },
        OptionEntry("filename", "fn", count: 2) { options, arguments throws(ImageURLError) in
            if arguments.has(1), arguments.boolean(1) {
                options.fileName = try arguments.base64(0)
            } else {
                let decoded = percentDecoded(arguments[0]).flatMap { String(validating: $0, as: UTF8.self) }
                options.fileName = decoded ?? arguments[0]
            }
        },
        OptionEntry("return_attachment", "att") { options, arguments throws(ImageURLError) in
            options.isAttachment = arguments.boolean(0)
        },
        OptionEntry("fallback_image_url", "fiu") { options, arguments throws(ImageURLError) in
            options.fallbackURL = try arguments.base64(0)
        },
    ]

    /// The last option of the canonical form, because its text is arbitrary.
    private static let texts: [OptionEntry] = [
        OptionEntry("cachebuster", "cb") { options, arguments throws(ImageURLError) in
            options.cacheBuster = arguments[0]
        } write: {
            $0.cacheBuster.isEmpty ? nil : $0.cacheBuster
        }
    ]
}
