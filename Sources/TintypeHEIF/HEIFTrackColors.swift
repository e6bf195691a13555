import Foundation
import TintypeColor
import TintypeCore

/// What boxes of a track say of its colours (ISO/IEC 14496-12, 12.1.5).
struct HEIFTrackColors {
    /// What the channels mean; `nil` leaves it to the pictures.
    var colors: SourceColors?
    /// How luma and chroma become channels (ITU-T H.273, 8.3); `nil` leaves it to the pictures.
    var matrix: Int?
    var isFullRange: Bool?

    init(_ file: ISOFile, _ properties: Range<Int>, _ limits: DecodeLimits) throws(TintypeError) {
        for box in try file.boxes(in: properties) where box.kind == "colr" && box.body.count >= 4 {
            let rest = box.body.lowerBound + 4..<box.body.upperBound
            switch String(decoding: file.bytes[box.body.prefix(4)], as: UTF8.self) {
            case "nclx": try take(codes: rest, file)
            case "prof", "rICC":
                try limits.check(profileBytes: rest.count)
                if colors?.isHighRange != true { colors = .profile(Data(file.bytes[rest])) }
            default: break
            }
        }
    }

    private mutating func take(codes: Range<Int>, _ file: ISOFile) throws(TintypeError) {
        let coded = SourceColors.coded(
            primaries: try file.number(at: codes.lowerBound, size: 2, in: codes),
            transfer: try file.number(at: codes.lowerBound + 2, size: 2, in: codes))
        matrix = try file.number(at: codes.lowerBound + 4, size: 2, in: codes)
        isFullRange = try file.number(at: codes.lowerBound + 6, size: 1, in: codes) & 0x80 != 0
        if colors == nil || coded.isHighRange { colors = coded }
    }
}
