import Foundation
import TintypeCore
import TintypeTesting

/// Measures the time and memory to refuse each bomb: the first call in the process, and the best of ten.
enum BombTimings {
    private static let bombs: [(name: String, data: Data)] = [
        ("PNG of 225,000 x 225,000", Bomb.png(PixelSize(width: 225_000, height: 225_000))),
        ("GIF of 65,535 x 65,535, 50,000 frames", Bomb.gif(PixelSize(width: 65_535, height: 65_535), frames: 50_000)),
        ("JPEG of 10,000 scans", Bomb.jpeg(scans: 10_000)),
        ("WebP of 16,383 x 16,383, 5,000 frames", Bomb.webP(PixelSize(width: 16_383, height: 16_383), frames: 5000)),
        ("PNG with 64 MB of ICC", Bomb.png(PixelSize(width: 9, height: 9), chunks: [("iCCP", Data(count: 64 << 20))])),
        ("WebP with 64 MB of ICC", Bomb.webP([("ICCP", Data(count: 64 << 20))])),
        ("JPEG with 16 MB of ICC", Bomb.jpeg(segments: segments)),
    ]

    /// The maximum number of segments of a profile.
    private static let segments = (1...255).map { number in
        Bomb.segment(0xE2, body: Data("ICC_PROFILE\0".utf8) + Data([UInt8(number), 255]) + Data(count: 65_000))
    }

    /// Prints milliseconds and kilobytes, for decoding and for reading the header.
    static func run() throws {
        for (name, data) in bombs {
            for (call, body) in [("decode", refuseDecode), ("header", refuseHeader)] {
                try resetPeak()
                let before = try kilobytes("VmRSS")
                let first = try milliseconds { try body(data) }
                let peak = try kilobytes("VmHWM") - before
                let best = try (0..<10).map { _ in try milliseconds { try body(data) } }.min() ?? first
                print("\(name), \(call): first \(first) ms, best \(best) ms, \(max(peak, 0)) KB")
            }
        }
    }

    private static func refuseDecode(_ data: Data) throws {
        try refuse { () throws(TintypeError) in _ = try DecodeTimings.decode(data, context: DecodeContext()) }
    }

    private static func refuseHeader(_ data: Data) throws {
        try refuse { () throws(TintypeError) in _ = try DecodeTimings.coders.info(of: data) }
    }

    private static func refuse(_ body: () throws(TintypeError) -> Void) throws {
        do throws(TintypeError) {
            try body()
        } catch {
            guard error.code == .limitExceeded else { throw error }
            return
        }
        throw TintypeError(.undecodable, stage: .decode, "the bomb was not refused")
    }

    private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        let time = try ContinuousClock().measure(body)
        return (time / .microseconds(1)).rounded() / 1000
    }

    /// Resets the process's peak memory in Linux.
    private static func resetPeak() throws {
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    }

    private static func kilobytes(_ field: String) throws -> Int {
        let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(field):") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0.trimmingCharacters(in: .whitespaces)) }
            ?? 0
    }
}
