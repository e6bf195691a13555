import Foundation
import HostileDecoders
import TintypeCore
import TintypeSandbox

/// Decodes many images at once, of which one in a hundred ends its worker.
enum Crowd {
    /// - Returns: Whether all others were right, and nothing is left.
    static func run(count: Int) -> Bool {
        // What the first images leave: the timers and threads of Dispatch.
        _ = decode(count: 200)
        let before = descriptorCount
        let wrong = decode(count: count)
        let (left, zombies) = (descriptorCount - before, childCount)
        print("\(count) images, \(wrong) wrong, \(left) descriptors and \(zombies) processes left")
        return wrong == 0 && left <= 0 && zombies == 0
    }

    /// Decodes images in a pool of their own, which is gone afterwards.
    ///
    /// - Returns: The number of images with another result than they should have.
    private static func decode(count: Int) -> Int {
        let wrong = Locked(0)
        let coders = ImageCoderRegistry(decoders: [HostileDecoder()]).sandboxed()
        DispatchQueue.concurrentPerform(iterations: count) { index in
            let behavior = index % 100 == 99 ? HostileDecoder.Behavior.crash : .good
            let image = try? decode(behavior, coders)
            if (image?.pixels[0, 0].red == 255) != (behavior == .good) { wrong.withLock { $0 += 1 } }
        }
        return wrong.withLock { $0 }
    }

    private static func decode(
        _ behavior: HostileDecoder.Behavior, _ coders: ImageCoderRegistry
    ) throws(TintypeError) -> Image {
        let bytes = HostileDecoder.bytes(behavior)
        return try coders.decoder(for: bytes).decode(bytes, context: DecodeContext())
    }

    private static var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    private static var childCount: Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let lists = tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/children", encoding: .utf8) }
        return lists.flatMap { $0.split(separator: " ") }.count
    }
}
