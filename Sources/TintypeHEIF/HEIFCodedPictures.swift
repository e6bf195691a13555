import Foundation
import TintypeCore

/// The coded pictures of a file of still ones. libheif asks what decodes them nothing about size: a few bytes may say that
/// a picture is small, and hold one of gigabytes.
struct HEIFCodedPictures {
    private let file: ISOFile
    /// Units that may still be looked at: more than any picture has, and few enough for files whose pictures lie on top of
    /// each other.
    private var unitsLeft = 100_000
    /// Bytes of pictures in several pieces that may still be put together: no more than there are.
    private var bytesLeft: Int
    /// Pixels of the largest one that says how large it is beside its configuration.
    private var largest = 0

    private init(_ file: ISOFile) {
        self.file = file
        bytesLeft = file.bytes.count
    }

    /// - Returns: what is decoded for each item; of pictures beside the one that is shown, it has still to be asked.
    /// - Throws: ``TintypeError/Code/limitExceeded`` where one has more pixels than are allowed;
    ///   ``TintypeError/Code/undecodable`` where what is shown is not coded with HEVC alone, and for a file that hides what
    ///   it has.
    @discardableResult
    static func check(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) -> HEIFParts {
        let file = ISOFile(bytes: bytes)
        let meta = try file.itemBox()
        var pictures = HEIFCodedPictures(file)
        try pictures.checkConfigurations(meta, limits)
        let items = try HEIFItems(file, meta)
        for item in items.all where item.kind == "hvc1" { try pictures.check(item.pieces, limits) }
        let parts = try HEIFParts(file, meta, items.kinds, limits, least: pictures.largest)
        try parts.check(file.primaryItem(meta))
        return parts
    }

    // MARK: Parameter sets

    /// Those that stand beside the pictures.
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

    /// Those among the units of a picture, where no writer puts any.
    private mutating func check(_ pieces: [Range<Int>], _ limits: DecodeLimits) throws(TintypeError) {
        guard pieces.count != 1 else {
            return try checkUnits(UnsafeRawBufferPointer(rebasing: file.bytes[pieces[0]]), limits)
        }
        var whole = Data()
        for piece in pieces {
            bytesLeft -= piece.count
            guard bytesLeft >= 0 else { throw .hiddenPictures }
            whole.append(contentsOf: file.bytes[piece])
        }
        try whole.withTypedBytes { raw throws(TintypeError) in try checkUnits(raw, limits) }
    }

    /// Each comes after its length.
    private mutating func checkUnits(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) {
        let (units, all) = (ISOFile(bytes: bytes), 0..<bytes.count)
        var place = 0
        while let length = try? units.number(at: place, in: all) {
            guard unitsLeft > 0 else { throw .hiddenPictures }
            unitsLeft -= 1
            let unit = place + 4..<min(place + 4 + length, bytes.count)
            largest = max(largest, try checkUnit(UnsafeRawBufferPointer(rebasing: bytes[unit]), limits))
            place = unit.upperBound
        }
    }

    /// - Returns: the pixels that a unit says are coded.
    private func checkUnit(_ unit: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) -> Int {
        guard let set = HEVCParameterSet(unit) else { return 0 }
        // Pictures are coded in whole blocks.
        let least = PixelSize(
            width: max(1, set.size.width - Self.padding), height: max(1, set.size.height - Self.padding))
        try limits.check(ImageInfo(format: .heic, size: least), byteCount: file.bytes.count)
        return set.pixels
    }

    /// The largest block less a pixel (ITU-T H.265, 7.4.3.2.1).
    private static let padding = 63
}
