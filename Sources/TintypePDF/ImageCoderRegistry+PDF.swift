public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder of PDF.
    public static let pdf = ImageCoderRegistry(decoders: [PDFDecoder()])
}
