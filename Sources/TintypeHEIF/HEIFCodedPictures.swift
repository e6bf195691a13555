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

    private init(_ file: ISOFile) {
        self.file = file
        bytesLeft = file.bytes.count
    }

    /// - Throws: ``TintypeError/Code/limitExceeded`` where one has more pixels than are allowed;
    ///   ``TintypeError/Code/undecodable`` where one is not coded with HEVC, and for a file that hides what it has.
    static func check(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) {
        var pictures = HEIFCodedPictures(ISOFile(bytes: bytes))
        // libheif takes the last one.
        for meta in try pictures.boxes("meta", in: 0..<bytes.count) {
            try pictures.checkConfigurations(meta.fullBody, limits)
            try pictures.checkItems(meta.fullBody, limits)
        }
    }

    /// Those before the first that is unsound, which ends the file for libheif too.
    private func boxes(_ kind: String, in part: Range<Int>) throws(TintypeError) -> [ISOBox] {
        let all = file.soundBoxes(in: part)
        guard all.count < ISOFile.mostBoxes else { throw .hiddenPictures }
        return all.filter { $0.kind == kind }
    }

    // MARK: Parameter sets

    /// Those that stand beside the pictures.
    private func checkConfigurations(_ meta: Range<Int>, _ limits: DecodeLimits) throws(TintypeError) {
        for properties in try boxes("iprp", in: meta) {
            for container in try boxes("ipco", in: properties.body) {
                for configuration in try boxes("hvcC", in: container.body) {
                    try checkConfiguration(configuration.body, limits)
                }
            }
        }
    }

    private func checkConfiguration(_ body: Range<Int>, _ limits: DecodeLimits) throws(TintypeError) {
        for unit in try HEIFSampleEntry.parameterSets(file, body) {
            try checkUnit(UnsafeRawBufferPointer(rebasing: file.bytes[unit]), limits)
        }
    }

    /// Those among the units of a picture, where no writer puts any.
    private mutating func checkItems(_ meta: Range<Int>, _ limits: DecodeLimits) throws(TintypeError) {
        for item in try HEIFItems(file, meta).all {
            switch item.kind {
            case "hvc1": try check(item.pieces, limits)
            case "av01": throw TintypeError(.undecodable, stage: .decode, "a HEIC whose pictures are coded with AV1")
            default: break
            }
        }
    }

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
            try checkUnit(UnsafeRawBufferPointer(rebasing: bytes[unit]), limits)
            place = unit.upperBound
        }
    }

    private func checkUnit(_ unit: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) {
        guard let set = HEVCParameterSet(unit) else { return }
        // Pictures are coded in whole blocks.
        let least = PixelSize(
            width: max(1, set.size.width - Self.padding), height: max(1, set.size.height - Self.padding))
        try limits.check(ImageInfo(format: .heic, size: least), byteCount: file.bytes.count)
    }

    /// The largest block less a pixel (ITU-T H.265, 7.4.3.2.1).
    private static let padding = 63
}
