import Foundation
import Tintype
import TintypeCore
import TintypeTesting

/// Decompression bombs: the cost of their first refusal in the process.
enum BombRows {
    static func refuse(_ arguments: [String]) throws -> Contest {
        var contest = Contest()
        var worst: (milliseconds: Double, kilobytes: Int)?
        func measured() throws -> (milliseconds: Double, kilobytes: Int) {
            if let worst { return worst }
            let costs = try bombs.flatMap { data in [try cost { try decode(data) }, try cost { try readHeader(data) }] }
            let result = (costs.map(\.0).max() ?? .nan, costs.map(\.1).max() ?? 0)
            worst = result
            return result
        }
        contest.values["milliseconds"] = { try measured().milliseconds }
        contest.values["MB"] = { Double(try measured().kilobytes) / 1e3 }
        return contest
    }

    private static let bombs: [Data] = [
        Bomb.png(PixelSize(width: 225_000, height: 225_000)),
        Bomb.gif(PixelSize(width: 65_535, height: 65_535), frames: 50_000),
        Bomb.jpeg(scans: 10_000),
        Bomb.webP(PixelSize(width: 16_383, height: 16_383), frames: 5000),
        Bomb.png(PixelSize(width: 9, height: 9), chunks: [("iCCP", Data(count: 64 << 20))]),
        Bomb.webP([("ICCP", Data(count: 64 << 20))]),
        Bomb.jpeg(segments: segments),
    ]

    /// The maximum number of segments of a profile.
    private static let segments = (1...255).map { number in
        Bomb.segment(0xE2, body: Data("ICC_PROFILE\0".utf8) + Data([UInt8(number), 255]) + Data(count: 65_000))
    }

    private static func cost(_ body: () throws -> Void) throws -> (Double, Int) {
        try ProcessMemory.resetPeak()
        let before = try ProcessMemory.kilobytes("VmRSS")
        let time = try ContinuousClock().measure(body)
        return (time / .milliseconds(1), max(0, try ProcessMemory.kilobytes("VmHWM") - before))
    }

    private static func decode(_ data: Data) throws {
        try refuse { () throws(TintypeError) in
            _ = try CodecRows.coders.decoder(for: data).decode(data, context: DecodeContext())
        }
    }

    private static func readHeader(_ data: Data) throws {
        try refuse { () throws(TintypeError) in _ = try CodecRows.coders.info(of: data) }
    }

    private static func refuse(_ body: () throws(TintypeError) -> Void) throws {
        do throws(TintypeError) {
            try body()
        } catch {
            guard error.code == .limitExceeded else { throw error }
            return
        }
        throw BenchmarkError("the bomb was not refused")
    }
}
