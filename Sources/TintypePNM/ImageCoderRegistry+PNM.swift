public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder of PBM, PGM, PPM and PAM.
    public static let pnm = ImageCoderRegistry(decoders: [PNMDecoder()])
}
