/// What a client says about its display (`Sec-CH-Width`, `Sec-CH-DPR`). Options of a URL take precedence.
package struct DisplayHints: Hashable, Sendable {
    /// The pixels of the screen per CSS pixel, above 0; `nil` if unknown.
    package var pixelRatio: Double?
    /// The width of the image on the screen, in pixels of the screen; `nil` if unknown.
    package var width: Int?

    /// Creates hints.
    package init(pixelRatio: Double? = nil, width: Int? = nil) {
        self.pixelRatio = pixelRatio
        self.width = width
    }
}

/// The options of a URL, and what was noticed when they were read.
package struct ParsedOptions: Hashable, Sendable {
    /// The options.
    package var options: ProcessingOptions
    /// The names of the presets, in the order of their use.
    package var presets: [String] = []
    /// What was wrong without being an error.
    package var warnings: [String] = []
}

/// Reads the options of a URL, by a table and the presets of the configuration.
package struct OptionsParser: Sendable {
    /// How options are read.
    package struct Configuration: Hashable, Sendable {
        /// What is between the name and the arguments of an option.
        package var argumentSeparator = ":"
        /// Presets: `name=option/option`. Empty texts and those that begin with `#` are skipped. The preset `default`
        /// is applied to each request.
        package var presets: [String] = []
        /// Whether the first segment is a list of presets, and nothing else is accepted.
        package var isPresetsOnly = false
        /// The options that a URL can have, by any of their names; empty for all. Options in presets are always
        /// allowed.
        package var allowedOptions: [String] = []
        /// Whether a URL may replace the limits of the configuration.
        package var allowsLimits = false
        /// The options of a URL without any.
        package var defaults = ProcessingOptions()

        /// Creates imgproxy's default configuration.
        package init() {}
    }

    /// The largest number of presets that one URL applies, presets in presets included.
    static let maximumPresets = 256

    private let configuration: Configuration
    private let presets: [String: [OptionArguments]]
    /// The full names of the options that a URL can have; `nil` for all.
    private let allowed: Set<String>?

    /// Creates a parser.
    ///
    /// - Throws: An error that names the preset or the option that is wrong.
    package init(_ configuration: Configuration = Configuration()) throws(ImageURLError) {
        guard !configuration.argumentSeparator.isEmpty, !configuration.argumentSeparator.utf8.contains(0x2f) else {
            throw ImageURLError(.argument, "the separator of arguments must not be empty or contain a slash")
        }
        var (allowed, presets) = (Set<String>(), [String: [OptionArguments]]())
        for name in configuration.allowedOptions {
            guard let name = OptionTable.fullName(of: name) else { throw Self.unknown(name) }
            allowed.insert(name)
        }
        for text in configuration.presets {
            guard let preset = try Preset(text, separator: configuration.argumentSeparator) else { continue }
            presets[preset.name] = preset.options
        }
        self.configuration = configuration
        self.allowed = allowed.isEmpty ? nil : allowed
        self.presets = presets
        for name in presets.keys.sorted() {
            var reading = Reading(options: ProcessingOptions())
            do {
                try apply(presets: [name], to: &reading, within: [])
            } catch {
                throw ImageURLError(error.kind, "the preset \"\(name)\" is malformed: \(error.detail)")
            }
        }
    }

    /// Reads the segments before the source.
    ///
    /// - Returns: The options, and the segments of the source.
    func parse(
        _ segments: [String], hints: DisplayHints = DisplayHints()
    ) throws(ImageURLError) -> (ParsedOptions, source: ArraySlice<String>) {
        if let first = segments.first, !configuration.isPresetsOnly, ResizingType(rawValue: first) != nil {
            throw ImageURLError(
                .oldForm, "/\(first)/WIDTH/HEIGHT/… is a form without option names; write /rs:\(first):WIDTH:HEIGHT/…")
        }
        var reading = Reading(options: hinted(configuration.defaults, hints))
        if presets["default"] != nil { try apply(presets: ["default"], to: &reading, within: []) }
        var rest = segments[...]
        if configuration.isPresetsOnly {
            let names = rest.popFirst()?.parts(separatedBy: configuration.argumentSeparator) ?? []
            try apply(presets: names, to: &reading, within: [])
        } else {
            while let segment = rest.first,
                let option = OptionArguments(segment: segment, separator: configuration.argumentSeparator)
            {
                try apply(option, to: &reading, within: [], isFromURL: true)
                rest.removeFirst()
            }
        }
        return (reading.parsed, rest)
    }

    /// Applies the extension after the source, which names the format.
    func apply(fileExtension: String, to parsed: inout ParsedOptions) throws(ImageURLError) {
        guard !parsed.options.output.isRaw else { return }
        guard let format = OptionTable.formats[fileExtension] else {
            throw ImageURLError(.argument, "no format has the extension \"\(fileExtension)\"")
        }
        parsed.options.output.format = format
    }

    private func hinted(_ options: ProcessingOptions, _ hints: DisplayHints) -> ProcessingOptions {
        var options = options
        let ratio = hints.pixelRatio ?? 1
        guard (0.01...100).contains(ratio) else { return options }
        if hints.pixelRatio != nil { options.pixelRatio = ratio }
        if let width = hints.width, width > 0, width <= OptionArguments.largest {
            // The ratio multiplies the width again.
            options.width = Int((Double(width) / ratio).rounded().clamped(to: 0...Double(OptionArguments.largest)))
        }
        return options
    }
}

// MARK: - One option

extension OptionsParser {
    /// What has been read so far.
    private struct Reading {
        var parsed: ParsedOptions
        var presetCount = 0

        init(options: ProcessingOptions) { parsed = ParsedOptions(options: options) }
    }

    private func apply(
        _ option: OptionArguments, to reading: inout Reading, within outer: [String], isFromURL: Bool
    ) throws(ImageURLError) {
        var option = option
        guard let fullName = OptionTable.fullName(of: option.name) else { throw Self.unknown(option.name) }
        if isFromURL, let allowed, !allowed.contains(fullName) {
            throw ImageURLError(.forbiddenOption, "the operator does not allow the option \"\(option.name)\" in URLs")
        }
        guard let entry = OptionTable.entry(named: option.name) else {
            return try apply(presets: option.values, to: &reading, within: outer)
        }
        guard !entry.isLimit || configuration.allowsLimits else {
            throw ImageURLError(
                .forbiddenOption, "the option \"\(option.name)\" replaces a limit, which the operator does not allow")
        }
        guard option.count <= entry.maximumCount else {
            throw ImageURLError(
                .argument, "\(option.name): expected at most \(entry.maximumCount) arguments, got \(option.count)")
        }
        try entry.read(&reading.parsed.options, &option)
        reading.parsed.warnings += option.warnings
    }

    private func apply(
        presets names: [String], to reading: inout Reading, within outer: [String]
    ) throws(ImageURLError) {
        for name in names {
            guard let options = presets[name] else {
                throw ImageURLError(.argument, "there is no preset \"\(name)\"")
            }
            guard !outer.contains(name) else {
                reading.parsed.warnings.append("the preset \"\(name)\" contains itself, and is skipped there")
                continue
            }
            reading.presetCount += 1
            guard reading.presetCount <= Self.maximumPresets else {
                throw ImageURLError(.argument, "the URL applies more than \(Self.maximumPresets) presets")
            }
            reading.parsed.presets.append(name)
            for option in options { try apply(option, to: &reading, within: outer + [name], isFromURL: false) }
        }
    }

    private static func unknown(_ name: String) -> ImageURLError {
        ImageURLError(.unknownOption, "there is no option \"\(name)\"")
    }
}
