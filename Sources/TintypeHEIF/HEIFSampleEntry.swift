import Foundation
import TintypeColor
import TintypeCore

/// How the samples of a track are to be decoded (ISO/IEC 14496-12, 12.1.3; ISO/IEC 14496-15, 8.3.2.1).
struct HEIFSampleEntry {
    let size: PixelSize
    let parameterSets: [Range<Int>]
    let lengthSize: Int
    /// Where boxes about the pictures stand.
    let properties: Range<Int>

    /// Bytes of a visual sample entry before its boxes.
    private static let headLength = 78
    private static let kinds: Set<String> = ["hvc1", "hev1"]
    /// Parameter sets of all kinds together, many more than are needed.
    private static let mostSets = 64

    init(_ file: ISOFile, inTable table: Range<Int>) throws(TintypeError) {
        let body = try file.needed("stsd", in: table).fullBody
        let entries = try file.boxes(in: min(body.lowerBound + 4, body.upperBound)..<body.upperBound)
        guard let entry = entries.first, Self.kinds.contains(entry.kind), entry.body.count > Self.headLength else {
            throw TintypeError(.undecodable, stage: .decode, "a HEIC sequence of an unsupported kind")
        }
        size = PixelSize(
            width: try file.number(at: entry.body.lowerBound + 24, size: 2, in: entry.body),
            height: try file.number(at: entry.body.lowerBound + 26, size: 2, in: entry.body))
        properties = entry.body.lowerBound + Self.headLength..<entry.body.upperBound
        let configuration = try file.needed("hvcC", in: properties).body
        lengthSize = try file.number(at: configuration.lowerBound + 21, size: 1, in: configuration) & 3 + 1
        parameterSets = try Self.parameterSets(file, configuration)
    }

    /// What a track of alpha calls itself (ISO/IEC 23008-12, 7.5.3.2): by the code points of MPEG, and as the first edition
    /// had it.
    static let alphaKinds: Set<String> = [
        "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
    ]

    /// Whether the pictures of an auxiliary track are the alpha of others.
    func isAlpha(_ file: ISOFile) throws(TintypeError) -> Bool {
        guard let kind = try file.box("auxi", in: properties)?.fullBody else { return false }
        return Self.alphaKinds.contains(String(decoding: file.bytes[kind].prefix { $0 != 0 }, as: UTF8.self))
    }

    /// The places of the parameter sets in a configuration of a decoder.
    static func parameterSets(_ file: ISOFile, _ body: Range<Int>) throws(TintypeError) -> [Range<Int>] {
        var sets: [Range<Int>] = []
        var place = body.lowerBound + 23
        for _ in 0..<(try file.number(at: body.lowerBound + 22, size: 1, in: body)) {
            let count = try file.number(at: place + 1, size: 2, in: body)
            place += 3
            for _ in 0..<count {
                let length = try file.number(at: place, size: 2, in: body)
                place += 2
                // Empty ones say nothing: libheif passes them over too.
                guard length > 0 else { continue }
                guard length <= body.upperBound - place, sets.count < mostSets else { throw .damagedSequence }
                sets.append(place..<place + length)
                place += length
            }
        }
        return sets
    }
}

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
        let coded = SourceColors.codePoints(
            primaries: try file.number(at: codes.lowerBound, size: 2, in: codes),
            transfer: try file.number(at: codes.lowerBound + 2, size: 2, in: codes))
        matrix = try file.number(at: codes.lowerBound + 4, size: 2, in: codes)
        isFullRange = try file.number(at: codes.lowerBound + 6, size: 1, in: codes) & 0x80 != 0
        if colors == nil || coded.isHighRange { colors = coded }
    }
}
