import Foundation
import TintypeColor
import TintypeCore

/// The coding parameters of a track (ISO/IEC 14496-12, 12.1.3; ISO/IEC 14496-15, 8.3.2.1).
struct HEIFSampleEntry {
    /// The size of the decoded images in pixels.
    let size: PixelSize
    /// The part of them that is shown.
    let crop: PixelRect
    /// The byte ranges of the parameter sets, one NAL unit each.
    let parameterSets: [Range<Int>]
    /// The size in bytes of the length field before each NAL unit.
    let lengthSize: Int
    /// The range of the boxes that describe the images.
    let properties: Range<Int>

    /// Bytes of a visual sample entry before its boxes.
    private static let headLength = 78
    private static let kinds: Set<String> = ["hvc1", "hev1"]
    /// Parameter sets of all kinds together, many more than a stream needs.
    private static let maxParameterSets = 64

    /// Reads the first sample entry of a sample table.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if it is invalid or not HEVC.
    init(_ file: ISOFile, inTable table: Range<Int>) throws(TintypeError) {
        let body = try file.requiredBox("stsd", in: table).fullBody
        let entries = try file.boxes(in: min(body.lowerBound + 4, body.upperBound)..<body.upperBound)
        guard let entry = entries.first, Self.kinds.contains(entry.kind), entry.body.count > Self.headLength else {
            throw TintypeError(.undecodable, stage: .decode, "the HEIC sequence is not coded with HEVC")
        }
        size = PixelSize(
            width: try file.number(at: entry.body.lowerBound + 24, size: 2, in: entry.body),
            height: try file.number(at: entry.body.lowerBound + 26, size: 2, in: entry.body))
        properties = entry.body.lowerBound + Self.headLength..<entry.body.upperBound
        crop = try file.cleanAperture(in: properties, of: size) ?? PixelRect(x: 0, y: 0, size: size)
        let configuration = try file.requiredBox("hvcC", in: properties).body
        lengthSize = try file.number(at: configuration.lowerBound + 21, size: 1, in: configuration) & 3 + 1
        parameterSets = try Self.parameterSets(file, configuration)
    }

    /// The auxiliary types of alpha tracks (ISO/IEC 23008-12, 7.5.3.2): the MPEG code point and the name of the first
    /// edition.
    static let alphaKinds: Set<String> = [
        "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
    ]

    /// Whether an auxiliary track holds alpha.
    func isAlpha(_ file: ISOFile) throws(TintypeError) -> Bool {
        guard let kind = try file.box("auxi", in: properties)?.fullBody else { return false }
        return Self.alphaKinds.contains(String(decoding: file.bytes[kind].prefix { $0 != 0 }, as: UTF8.self))
    }

    /// Returns the byte ranges of the parameter sets in a decoder configuration (`hvcC`).
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the configuration is truncated or has more than 64 sets.
    static func parameterSets(_ file: ISOFile, _ body: Range<Int>) throws(TintypeError) -> [Range<Int>] {
        var sets: [Range<Int>] = []
        var offset = body.lowerBound + 23
        for _ in 0..<(try file.number(at: body.lowerBound + 22, size: 1, in: body)) {
            let count = try file.number(at: offset + 1, size: 2, in: body)
            offset += 3
            for _ in 0..<count {
                let length = try file.number(at: offset, size: 2, in: body)
                offset += 2
                // libheif skips empty units too.
                guard length > 0 else { continue }
                guard length <= body.upperBound - offset, sets.count < maxParameterSets else { throw .damagedSequence }
                sets.append(offset..<offset + length)
                offset += length
            }
        }
        return sets
    }
}

extension ISOFile {
    fileprivate func cleanAperture(in properties: Range<Int>, of whole: PixelSize) throws(TintypeError) -> PixelRect? {
        guard let body = try box("clap", in: properties)?.body else { return nil }
        return try cleanAperture(body, of: whole)
    }

    /// Returns the part of an image that is shown (`clap`: ISO/IEC 14496-12, 12.1.4).
    ///
    /// - Parameter body: The body of the box.
    /// - Returns: `nil` if it describes no whole pixels inside of the image.
    func cleanAperture(_ body: Range<Int>, of whole: PixelSize) throws(TintypeError) -> PixelRect? {
        guard body.count >= 32 else { return nil }
        var numbers: [Int] = []
        for index in 0..<8 { numbers.append(try number(at: body.lowerBound + 4 * index, in: body)) }
        let across = Self.side(numbers[0], numbers[1], offset: numbers[4], numbers[5], in: whole.width)
        let down = Self.side(numbers[2], numbers[3], offset: numbers[6], numbers[7], in: whole.height)
        guard let across, let down else { return nil }
        let size = PixelSize(width: across.count, height: down.count)
        return PixelRect(x: across.lowerBound, y: down.lowerBound, size: size)
    }

    /// Returns the pixels of a row or a column between the ends of a clean aperture.
    ///
    /// - Parameters:
    ///   - length: The length of the aperture, as a fraction with a denominator.
    ///   - offset: The distance of its middle from the middle of the image, a signed fraction.
    private static func side(
        _ length: Int, _ denominator: Int, offset: Int, _ offsetDenominator: Int, in whole: Int
    ) -> Range<Int>? {
        guard denominator > 0, offsetDenominator > 0, length % denominator == 0 else { return nil }
        let (count, offset) = (length / denominator, Int(Int32(truncatingIfNeeded: offset)))
        // Before the product below, which could overflow.
        guard count > 0, count <= whole else { return nil }
        let twiceStart = 2 * offset + (whole - count) * offsetDenominator
        guard twiceStart >= 0, twiceStart % (2 * offsetDenominator) == 0 else { return nil }
        let start = twiceStart / (2 * offsetDenominator)
        return start <= whole - count ? start..<start + count : nil
    }
}

/// The colour description of a track (ISO/IEC 14496-12, 12.1.5).
struct HEIFTrackColors {
    /// The meaning of the RGB channels; `nil` if the file does not say.
    var colors: SourceColors?
    /// The matrix coefficients (ITU-T H.273, 8.3); `nil` if only the HEVC stream tells.
    var matrix: Int?
    /// Whether samples use all values instead of the limited video range; `nil` if only the HEVC stream tells.
    var isFullRange: Bool?

    /// Reads the colour boxes in a range.
    ///
    /// - Throws: `TintypeError.Code.undecodable`; `TintypeError.Code.limitExceeded` for a profile that is too
    ///   large.
    init(_ file: ISOFile, _ properties: Range<Int>, _ limits: DecodeLimits) throws(TintypeError) {
        for box in try file.boxes(in: properties) where box.kind == "colr" && box.body.count >= 4 {
            let rest = box.body.lowerBound + 4..<box.body.upperBound
            switch String(decoding: file.bytes[box.body.prefix(4)], as: UTF8.self) {
            case "nclx": try readCodePoints(file, rest)
            case "prof", "rICC":
                try limits.check(profileBytes: rest.count)
                if colors?.isHighRange != true { colors = .profile(Data(file.bytes[rest])) }
            default: break
            }
        }
    }

    private mutating func readCodePoints(_ file: ISOFile, _ codes: Range<Int>) throws(TintypeError) {
        let coded = SourceColors.codePoints(
            primaries: try file.number(at: codes.lowerBound, size: 2, in: codes),
            transfer: try file.number(at: codes.lowerBound + 2, size: 2, in: codes))
        matrix = try file.number(at: codes.lowerBound + 4, size: 2, in: codes)
        isFullRange = try file.number(at: codes.lowerBound + 6, size: 1, in: codes) & 0x80 != 0
        if colors == nil || coded.isHighRange { colors = coded }
    }
}
