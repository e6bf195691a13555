public import Foundation

/// The decoders and encoders of a pipeline: an immutable list. If several support a format, the last one is used.
public struct ImageCoderRegistry: Sendable {
    private let decoders: [any ImageDecoder]
    private let encoders: [any ImageEncoder]
    private let decoderOfFormat: [ImageFormat: any ImageDecoder]
    private let encoderOfFormat: [ImageFormat: any ImageEncoder]
    /// The decoders that recognize their own images, in the order in which they are asked.
    private let recognizingDecoders: [any RecognizingImageDecoder]
    /// The number of bytes of an image that suffices to choose its decoder.
    let headLength: Int
    /// Whether decoders need ``DecodeContext/origin``.
    package var separatesOrigins = false

    /// Creates a registry. If several coders support a format, the last one is used.
    public init(decoders: [any ImageDecoder] = [], encoders: [any ImageEncoder] = []) {
        self.decoders = decoders
        self.encoders = encoders
        decoderOfFormat = Self.lastOfFormat(decoders, \.formats)
        encoderOfFormat = Self.lastOfFormat(encoders, \.formats)
        recognizingDecoders = decoders.reversed().compactMap { $0 as? any RecognizingImageDecoder }.filter {
            $0.headLength != 0
        }
        headLength = recognizingDecoders.reduce(FormatSniffer.length) { max($0, $1.examinedLength) }
    }

    private static func lastOfFormat<Coder>(
        _ coders: [Coder], _ formats: (Coder) -> Set<ImageFormat>
    ) -> [ImageFormat: Coder] {
        let pairs = coders.flatMap { coder in formats(coder).map { ($0, coder) } }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    /// Returns a registry with more coders, which take precedence over those of this one.
    public func adding(decoders: [any ImageDecoder] = [], encoders: [any ImageEncoder] = []) -> ImageCoderRegistry {
        var registry = ImageCoderRegistry(decoders: self.decoders + decoders, encoders: self.encoders + encoders)
        registry.separatesOrigins = separatesOrigins
        return registry
    }

    /// Returns a registry with the coders of another one as well. They take precedence over those of this one.
    public func adding(_ other: ImageCoderRegistry) -> ImageCoderRegistry {
        adding(decoders: other.decoders, encoders: other.encoders)
    }

    /// Returns a registry in which each decoder is replaced by another one for the same formats.
    package func replacingDecoders(
        _ replacement: (any ImageDecoder) -> any ImageDecoder
    ) -> ImageCoderRegistry {
        ImageCoderRegistry(decoders: decoders.map(replacement), encoders: encoders)
    }

    /// The formats that can be decoded, sorted by name.
    public var decodableFormats: [ImageFormat] {
        decoderOfFormat.keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// The formats that can be encoded, sorted by name.
    public var encodableFormats: [ImageFormat] {
        encoderOfFormat.keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// The formats in which animations can be encoded, sorted by name.
    package var animatedFormats: [ImageFormat] {
        encodableFormats.filter { animationEncoder(for: $0) != nil }
    }

    /// Returns the format, among those of the registered coders, that a file name extension stands for; `nil` for an
    /// unknown extension.
    ///
    /// - Parameter fileExtension: The extension without the dot; upper and lower case are equivalent.
    public func format(fileExtension: String) -> ImageFormat? {
        let name = fileExtension.lowercased()
        let formats = encodableFormats + decodableFormats
        return formats.first { $0.fileExtensions.contains(name) } ?? ImageFormat(fileExtension: name)
    }

    /// Returns the decoder for an image, chosen by its bytes.
    ///
    /// A ``RecognizingImageDecoder`` that recognizes the image takes precedence over ``FormatSniffer``.
    ///
    /// - Parameters:
    ///   - bytes: The first bytes of the image.
    ///   - options: ``DecodeOptions/decoder`` takes precedence over the bytes, and so does ``DecodeOptions/formatHint``
    ///     with ``DecodeOptions/HintUse/always``. Otherwise, the hint is used if no registered decoder matches the
    ///     bytes.
    ///   - name: The URL or path of the image. Only decoders of formats without a signature use it
    ///     (``RecognitionMarks``), and check the bytes as well.
    /// - Throws: ``TintypeError/Code/notAnImage`` if the format is unknown, ``TintypeError/Code/noCoder`` if no decoder
    ///   for it is registered.
    public func decoder(
        for bytes: Data, options: DecodeOptions = DecodeOptions(), name: String? = nil
    ) throws(TintypeError) -> any ImageDecoder {
        if let decoder = options.decoder?.decoder { return decoder }
        if options.hintUse == .always, let decoder = options.formatHint.flatMap({ decoderOfFormat[$0] }) {
            return decoder
        }
        if let decoder = recognizingDecoder(for: bytes, options.formatHint, name: name) { return decoder }
        let format = FormatSniffer.format(of: bytes)
        for case let candidate? in [format, options.formatHint] {
            if let decoder = decoderOfFormat[candidate] { return decoder }
        }
        guard let format else {
            throw TintypeError(.notAnImage, stage: .decode, "expected an image, got \(FormatSniffer.guess(bytes))")
        }
        throw TintypeError(.noCoder, stage: .decode, "no decoder for \(format) images is registered")
    }

    /// Returns the ``RecognizingImageDecoder`` that recognizes an image; `nil` if none does.
    func recognizingDecoder(
        for bytes: Data, _ formatHint: ImageFormat? = nil, name: String? = nil
    ) -> (any ImageDecoder)? {
        guard !recognizingDecoders.isEmpty else { return nil }
        let marks = RecognitionMarks(bytes, formatHint, name: name)
        return recognizingDecoders.first { decoder in
            // A copy, whose indices begin at 0.
            decoder.recognizes(Data(bytes.prefix(decoder.examinedLength)), marks)
        }
    }

    /// Returns the encoder for a format.
    ///
    /// - Throws: ``TintypeError/Code/noCoder`` if none is registered.
    public func encoder(for format: ImageFormat) throws(TintypeError) -> any ImageEncoder {
        guard let encoder = encoderOfFormat[format] else {
            throw TintypeError(.noCoder, stage: .encode, "no encoder for \(format) images is registered")
        }
        return encoder
    }

    /// Returns the encoder for animations of a format; `nil` if none is registered.
    func animationEncoder(for format: ImageFormat) -> (any AnimatedImageEncoder)? {
        encoders.lazy.compactMap { $0 as? any AnimatedImageEncoder }.last { $0.formats.contains(format) }
    }
}

extension ImageCoderRegistry {
    /// Reads the header of an image and, unless it is a drawing, checks it against the limits.
    ///
    /// - Parameters:
    ///   - bytes: The first bytes of the image.
    ///   - isComplete: Whether `bytes` are the whole image.
    ///   - limits: What the header is checked against.
    ///   - name: The URL or path of the image; see ``decoder(for:options:name:)``.
    /// - Returns: `nil` if more bytes are needed; never `nil` for complete bytes.
    /// - Throws: The errors of ``decoder(for:options:name:)`` and ``ImageDecoder/info(of:isComplete:)``;
    ///   ``TintypeError/Code/limitExceeded``.
    public func info(
        of bytes: Data, isComplete: Bool = true, limits: DecodeLimits = DecodeLimits(), name: String? = nil
    ) throws(TintypeError) -> ImageInfo? {
        try info(of: bytes, isComplete: isComplete, limits: limits, DecodeOptions(), name: name)
    }

    /// Reads the header with the decoder that the options select, as ``info(of:isComplete:limits:name:)`` does.
    package func info(
        of bytes: Data, isComplete: Bool, limits: DecodeLimits, _ options: DecodeOptions, name: String?
    ) throws(TintypeError) -> ImageInfo? {
        guard isComplete || (bytes.count >= headLength && !FormatSniffer.needsMore(bytes)) else { return nil }
        guard let info = try decoder(for: bytes, options: options, name: name).info(of: bytes, isComplete: isComplete)
        else {
            return nil
        }
        // A drawing has any size: the one at which it is drawn counts.
        if !info.format.isVector { try limits.check(info) }
        return info
    }
}
