import Foundation
import TintypeCore

/// Checks the coded images of a still HEIC before libheif sees them.
///
/// libheif allocates for the size in the HEVC parameter sets, not for the size that the file declares: a few bytes can
/// declare a small image and hold one of gigabytes.
struct HEIFCodedImages {
    private let file: ISOFile
    /// NAL units that may still be read. No image has this many; the bound stops files whose images overlap.
    private var unitsLeft = 100_000
    /// Bytes of multi-extent images that may still be joined: at most as many as the file has.
    private var bytesLeft: Int
    /// The pixel count of the largest parameter set among the units of an image.
    private var maxPixels = 0

    private init(_ file: ISOFile) {
        self.file = file
        bytesLeft = file.bytes.count
    }

    /// Checks every HEVC image of a file against the limits, and the primary image and all that it is made of.
    ///
    /// - Returns: The dependencies of the items. The caller uses them to check the images other than the primary one.
    /// - Throws: ``TintypeError/Code/limitExceeded`` if an image has more pixels than allowed;
    ///   ``TintypeError/Code/undecodable`` if the primary image is not coded with HEVC alone, or if the structure of the
    ///   file is too large or ambiguous.
    @discardableResult
    static func check(
        _ bytes: UnsafeRawBufferPointer, limits: DecodeLimits
    ) throws(TintypeError) -> HEIFDependencies {
        let file = ISOFile(bytes: bytes)
        let meta = try file.itemMetaBox()
        var images = HEIFCodedImages(file)
        try images.checkConfigurations(meta, limits)
        let items = try ISOItems(file, meta)
        for item in items.all where item.kind == "hvc1" { try images.checkUnits(of: item.extents, limits) }
        let dependencies = try HEIFDependencies(
            file, meta, items.kinds, limits, minimumPixels: images.maxPixels, canvasPixels: items.canvasPixels(file))
        try dependencies.check(file.primaryItem(meta))
        return dependencies
    }

    // MARK: Parameter sets

    /// Checks the parameter sets in the decoder configurations (`hvcC`).
    private func checkConfigurations(_ meta: Range<Int>, _ limits: DecodeLimits) throws(TintypeError) {
        for properties in try file.boxes("iprp", in: meta) {
            for container in try file.boxes("ipco", in: properties.body) {
                for configuration in try file.boxes("hvcC", in: container.body) {
                    try checkConfiguration(configuration.body, limits)
                }
            }
        }
    }

    private func checkConfiguration(_ body: Range<Int>, _ limits: DecodeLimits) throws(TintypeError) {
        for unit in try HEIFSampleEntry.parameterSets(file, body) {
            _ = try checkUnit(UnsafeRawBufferPointer(rebasing: file.bytes[unit]), limits)
        }
    }

    /// Checks the parameter sets among the units of an image. Writers put none there, but libheif would use them.
    private mutating func checkUnits(of extents: [Range<Int>], _ limits: DecodeLimits) throws(TintypeError) {
        guard extents.count != 1 else {
            return try checkUnits(UnsafeRawBufferPointer(rebasing: file.bytes[extents[0]]), limits)
        }
        var joined = Data()
        for extent in extents {
            bytesLeft -= extent.count
            guard bytesLeft >= 0 else { throw .suspectStructure }
            joined.append(contentsOf: file.bytes[extent])
        }
        try joined.withTypedBytes { raw throws(TintypeError) in try checkUnits(raw, limits) }
    }

    /// Checks units that are each preceded by their length in four bytes.
    private mutating func checkUnits(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) {
        let (units, all) = (ISOFile(bytes: bytes), 0..<bytes.count)
        var (offset, imageCount) = (0, 0)
        while let length = try? units.number(at: offset, in: all) {
            guard unitsLeft > 0 else { throw .suspectStructure }
            unitsLeft -= 1
            let unit = offset + 4..<min(offset + 4 + length, bytes.count)
            if Self.beginsImage(bytes[unit]) { imageCount += 1 }
            // An item is one access unit (ISO/IEC 23008-12, B.2.3.1). libde265 would keep the images of others.
            guard imageCount <= 1 else { throw .suspectStructure }
            maxPixels = max(maxPixels, try checkUnit(UnsafeRawBufferPointer(rebasing: bytes[unit]), limits))
            offset = unit.upperBound
        }
    }

    /// Whether a unit is the first slice of a coded image (ITU-T H.265, 7.3.1.2 and 7.3.6.1). Decoders of one layer skip
    /// images of other layers.
    private static func beginsImage(_ unit: Slice<UnsafeRawBufferPointer>) -> Bool {
        let head = [UInt8](unit.prefix(3))
        guard head.count == 3, head[0] & 1 == 0, head[1] >> 3 == 0 else { return false }
        return head[0] >> 1 & 63 < 32 && head[2] & 0x80 != 0
    }

    /// Checks one unit; returns the number of coded pixels if it is a sequence parameter set, otherwise 0.
    private func checkUnit(_ unit: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) -> Int {
        guard let set = HEVCSequenceParameterSet(unit) else { return 0 }
        try limits.check(ImageInfo(format: .heic, size: set.minimumSize), byteCount: file.bytes.count)
        return set.pixels
    }
}
