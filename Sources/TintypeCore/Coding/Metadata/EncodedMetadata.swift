package import Foundation

/// What an encoder writes beside the pixels, if its library does.
///
/// ``ImageCoderRegistry`` sets it. It adds metadata to files of other formats afterwards (``MetadataWriter``).
package struct EncodedMetadata: Hashable, Sendable {
    /// The Exif data, from their byte order mark on.
    package var exif: Data?
    /// The XMP packet.
    package var xmp: Data?
    /// The colour profile of the pixels.
    package var profile: Data?
    /// The colour space that the pixels have.
    package var colorSpace = EncodeOptions.ColorSpace.sRGB

    package init(
        exif: Data? = nil, xmp: Data? = nil, profile: Data? = nil, colorSpace: EncodeOptions.ColorSpace = .sRGB
    ) {
        (self.exif, self.xmp, self.profile, self.colorSpace) = (exif, xmp, profile, colorSpace)
    }
}

/// A decoder of a format whose library knows where the XMP packet is.
package protocol XMPDecoder: ImageDecoder {
    /// Returns the XMP packet of an image, which has been decoded; `nil` if there is none, or if it is longer than
    /// ``DecodeLimits/exifBytes``.
    ///
    /// - Throws: ``TintypeError/Code/undecodable``, ``TintypeError/Code/limitExceeded``,
    ///   ``TintypeError/Code/outOfMemory``.
    func xmp(of bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> Data?
}
