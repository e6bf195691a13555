import Foundation
import TintypeCore

/// The decoder configuration of a track (`hvcC`: ISO/IEC 14496-15, 8.3.2.1), made from that of a still image.
///
/// The profiles of still images allow one image in a stream, and libheif encodes more pixels than a small image has:
/// both are changed in the parameter sets, which the coded pixels do not depend on.
struct HEVCTrackConfiguration {
    /// The body of the box.
    let data: Data

    /// The bytes before the parameter sets, of which the last is the number of lists.
    private static let headLength = 23
    /// The offset of the profile.
    private static let profileOffset = 1

    /// Creates the configuration of a track. Other fields, such as the size of the length field before each unit of a
    /// sample, are copied.
    ///
    /// - Parameters:
    ///   - still: The configuration of an image.
    ///   - size: The size of the images as decoded, in pixels.
    ///   - target: The size to which a decoder crops them; an even number of pixels fewer in each direction.
    /// - Throws: `TintypeError.Code.encodeFailed` if the configuration is not built as expected.
    init(_ still: HEIFCodedStill.Parameters, croppedTo target: PixelSize) throws(TintypeError) {
        var head = Array(still.configuration.prefix(Self.headLength))
        guard head.count == Self.headLength else {
            throw .unexpectedStill("the decoder configuration is truncated")
        }
        HEVCUnit.allowSeveralImages(in: &head, at: Self.profileOffset)
        let units = try Self.units(still.configuration)
        head[Self.headLength - 1] = UInt8(clamping: units.count)
        var data = Data(head)
        for stored in units {
            var unit = HEVCUnit(stored)
            try unit.allowSeveralImages()
            try unit.crop(
                by: PixelSize(width: still.size.width - target.width, height: still.size.height - target.height))
            let bytes = unit.stored
            // The list is complete, so the samples contain no unit of its type.
            data += Data([0x80 | unit.type]) + Data.numbers(1, bytes.count, size: 2)
            data += bytes
        }
        self.data = data
    }

    /// Returns the parameter sets of a configuration.
    private static func units(_ configuration: [UInt8]) throws(TintypeError) -> [[UInt8]] {
        do throws(TintypeError) {
            return try Data(configuration).withTypedBytes { raw throws(TintypeError) in
                let sets = try HEIFSampleEntry.parameterSets(ISOFile(bytes: raw), 0..<raw.count)
                return sets.map { [UInt8](raw[$0]) }
            }
        } catch {
            throw .unexpectedStill("the parameter sets cannot be read", underlying: error)
        }
    }
}
