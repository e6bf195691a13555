import Foundation
import HostileDecoders
import TintypeCore
import TintypeSandbox

/// Runs a decoder that misbehaves in every way, with limits of 1 second and 256 MB, and prints how each image ends and
/// the largest memory of its worker.
enum Containment {
    private static let time = Duration.seconds(1)
    private static let memory = 256 << 20
    /// What the end may cost in addition: the time to kill a worker, and the memory of the program itself.
    private static let (moreTime, moreMemory) = (Duration.milliseconds(100), 64 << 20)

    /// - Returns: Whether all decoders stayed within the limits.
    static func run() -> Bool {
        let coders = ImageCoderRegistry(decoders: [HostileDecoder()]).sandboxed()
        _ = decode(.good, coders)
        var isContained = true
        for behavior in HostileDecoder.Behavior.allCases {
            let meter = MemoryMeter()
            let start = ContinuousClock.now
            let result = decode(behavior, coders)
            let (took, peak) = (ContinuousClock.now - start, meter.stop())
            let isWithin = took <= time + moreTime && peak <= memory + moreMemory
            isContained = isContained && isWithin
            let end = if let image = try? result.get() { "an image of \(image.size)" } else { "\(result)" }
            print(isWithin ? "ok" : "OVER", behavior, "\(took / .milliseconds(1)) ms", "\(peak >> 20) MB", end)
        }
        return isContained
    }

    private static func decode(
        _ behavior: HostileDecoder.Behavior, _ coders: ImageCoderRegistry
    ) -> Result<Image, TintypeError> {
        var context = DecodeContext()
        (context.limits.time, context.limits.memoryBytes) = (time, memory)
        let bytes = HostileDecoder.bytes(behavior)
        return Result { () throws(TintypeError) in
            try coders.decoder(for: bytes).decode(bytes, context: context)
        }
    }
}

/// Samples the resident memory of all child processes.
final class MemoryMeter: Sendable {
    private let state = Locked((peak: 0, isStopped: false))

    init() {
        Thread.detachNewThread { [weak self] in
            while self?.sample() == true { usleep(2000) }
        }
    }

    /// - Returns: Whether sampling goes on.
    private func sample() -> Bool {
        let now = Self.residentBytes
        return state.withLock { state in
            state.peak = max(state.peak, now)
            return !state.isStopped
        }
    }

    /// Returns the largest sum so far.
    func stop() -> Int {
        state.withLock { state in
            state.isStopped = true
            return state.peak
        }
    }

    private static var residentBytes: Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let lists = tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/children", encoding: .utf8) }
        let children = lists.flatMap { $0.split(separator: " ") }
        return children.reduce(0) { sum, child in
            let memory = try? String(contentsOfFile: "/proc/\(child)/statm", encoding: .utf8)
            return sum + (memory?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
        }
    }
}
