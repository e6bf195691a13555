public import Foundation

/// The codecs of a pipeline: an immutable list, the last added is asked first.
public struct ImageCoderRegistry: Sendable {
    private let decoders: [any ImageDecoder]
    private let encoders: [any ImageEncoder]
    private let decoderOfFormat: [ImageFormat: any ImageDecoder]
    private let encoderOfFormat: [ImageFormat: any ImageEncoder]

    public init(decoders: [any ImageDecoder] = [], encoders: [any ImageEncoder] = []) {
        self.decoders = decoders
        self.encoders = encoders
        decoderOfFormat = Self.lastOfFormat(decoders, \.formats)
        encoderOfFormat = Self.lastOfFormat(encoders, \.formats)
    }

    private static func lastOfFormat<Coder>(
        _ coders: [Coder], _ formats: (Coder) -> Set<ImageFormat>
    ) -> [ImageFormat: Coder] {
        let pairs = coders.flatMap { coder in formats(coder).map { ($0, coder) } }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    /// The same with more at the end, which are asked first.
    public func adding(decoders: [any ImageDecoder] = [], encoders: [any ImageEncoder] = []) -> ImageCoderRegistry {
        ImageCoderRegistry(decoders: self.decoders + decoders, encoders: self.encoders + encoders)
    }

    /// Every format that can be decoded, by name.
    public var decodableFormats: [ImageFormat] {
        decoderOfFormat.keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// Every format that can be encoded, by name.
    public var encodableFormats: [ImageFormat] {
        encoderOfFormat.keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// Every format of which animations can be encoded, by name.
    public var animatedFormats: [ImageFormat] {
        encodableFormats.filter { animationEncoder(for: $0) != nil }
    }

    /// The decoder for bytes, chosen by what they are and never by a name.
    ///
    /// - Throws: ``TintypeError/Code/notAnImage`` or ``TintypeError/Code/noCoder``.
    public func decoder(for bytes: Data) throws(TintypeError) -> any ImageDecoder {
        guard let format = FormatSniffer.format(of: bytes) else {
            throw TintypeError(.notAnImage, stage: .decode, "\(FormatSniffer.guess(bytes)), not a picture")
        }
        guard let decoder = decoderOfFormat[format] else {
            throw TintypeError(.noCoder, stage: .decode, "no decoder for \(format) pictures here")
        }
        return decoder
    }

    /// The decoder that the options name, or else the one for bytes.
    func decoder(for bytes: Data, _ options: DecodeOptions) throws(TintypeError) -> any ImageDecoder {
        if let named = options.decoder { return named.decoder }
        return try decoder(for: bytes)
    }

    /// - Throws: ``TintypeError/Code/noCoder``.
    public func encoder(for format: ImageFormat) throws(TintypeError) -> any ImageEncoder {
        guard let encoder = encoderOfFormat[format] else {
            throw TintypeError(.noCoder, stage: .encode, "no encoder for \(format) pictures here")
        }
        return encoder
    }

    /// The encoder for animations of a format, if there is one.
    func animationEncoder(for format: ImageFormat) -> (any AnimatedImageEncoder)? {
        encoders.lazy.compactMap { $0 as? any AnimatedImageEncoder }.last { $0.formats.contains(format) }
    }
}

extension ImageCoderRegistry {
    /// What the header of a picture tells, limits checked.
    ///
    /// - Returns: `nil` when more bytes are needed to tell; never when they are complete.
    public func info(
        of bytes: Data, isComplete: Bool = true, limits: DecodeLimits = DecodeLimits()
    ) throws(TintypeError) -> ImageInfo? {
        guard isComplete || bytes.count >= FormatSniffer.length else { return nil }
        guard let info = try decoder(for: bytes).info(of: bytes, isComplete: isComplete) else { return nil }
        try limits.check(info)
        return info
    }
}
