import Foundation
import TintypeColor
import TintypeCore

/// What stands before the scans of a JPEG, read where it lies: libjpeg would copy all of it.
struct JPEGSegments {
    /// A piece of a colour profile (ICC.1:2022, B.4): its number, of how many, and its bytes.
    private struct Piece {
        let number: UInt8
        let count: UInt8
        let bytes: Range<Int>
    }

    private let raw: UnsafeRawBufferPointer
    private var pieces: [Piece] = []
    private var exifPlace: Range<Int>?
    private var ownDensity: PixelDensity?

    /// Reads up to the first scan; what comes after a damaged segment reads as absent.
    ///
    /// - Parameter raw: must outlive this.
    init(_ raw: UnsafeRawBufferPointer) {
        self.raw = raw
        var place = 2
        while let (marker, body) = Self.segment(raw, &place), marker != Self.scan { take(marker, body) }
    }

    private static let scan: UInt8 = 0xDA
    private static let app0: UInt8 = 0xE0
    private static let app1: UInt8 = 0xE1
    private static let app2: UInt8 = 0xE2

    /// The next marker and what belongs to it (ITU-T T.81, B.1.1.3); bytes between segments are passed over, as libjpeg
    /// does.
    private static func segment(_ raw: UnsafeRawBufferPointer, _ place: inout Int) -> (UInt8, Range<Int>)? {
        while place + 3 < raw.count {
            guard raw[place] == 0xFF, raw[place + 1] != 0, raw[place + 1] != 0xFF else {
                place += 1
                continue
            }
            let length = Int(raw[place + 2]) << 8 | Int(raw[place + 3])
            let body = place + 4..<max(place + 4, min(place + 2 + length, raw.count))
            defer { place = body.upperBound }
            return (raw[place + 1], body)
        }
        return nil
    }

    private mutating func take(_ marker: UInt8, _ body: Range<Int>) {
        switch marker {
        case Self.app0 where begins(body, "JFIF\0") && body.count >= 12 && ownDensity == nil:
            ownDensity = density(at: body.lowerBound + 7)
        case Self.app1 where begins(body, "Exif\0\0") && exifPlace == nil:
            exifPlace = body
        case Self.app2 where begins(body, "ICC_PROFILE\0") && body.count >= 14:
            let start = body.lowerBound + 14
            pieces.append(Piece(number: raw[start - 2], count: raw[start - 1], bytes: start..<body.upperBound))
        default: break
        }
    }

    private func begins(_ body: Range<Int>, _ word: StaticString) -> Bool {
        body.count >= word.utf8CodeUnitCount
            && raw[body].prefix(word.utf8CodeUnitCount).elementsEqual(
                UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    /// JFIF 1.02: the unit, and two numbers of two bytes.
    private func density(at place: Int) -> PixelDensity? {
        let across = Double(Int(raw[place + 1]) << 8 | Int(raw[place + 2]))
        let down = Double(Int(raw[place + 3]) << 8 | Int(raw[place + 4]))
        switch raw[place] {
        case 1: return PixelDensity(across: across, down: down)
        case 2:
            let inch = PixelDensity.centimetresAnInch
            return PixelDensity(across: across * inch, down: down * inch)
        default: return nil
        }
    }

    // MARK: What it says

    var exif: ExifData? { exifPlace.flatMap { ExifData(Data(raw[$0])) } }

    /// Of JFIF, or else of Exif.
    var density: PixelDensity? { ownDensity ?? exif?.density }

    /// - Throws: ``TintypeError/Code/limitExceeded`` for a profile that is too large, before it is put together.
    func colors(_ limits: DecodeLimits) throws(TintypeError) -> SourceColors {
        guard let first = pieces.first else { return .standard }
        try limits.check(profileBytes: pieces.reduce(0) { $0 + $1.bytes.count })
        let sorted = pieces.sorted { $0.number < $1.number }
        let isWhole = sorted.count == Int(first.count) && sorted.map(\.number).elementsEqual(1...max(first.count, 1))
        return isWhole ? .profile(sorted.reduce(into: Data()) { $0.append(contentsOf: raw[$1.bytes]) }) : .standard
    }
}
