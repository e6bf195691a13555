import Foundation
import HostileDecoders
import TintypeCore
import TintypeSandbox

/// Decodes many images at once, of which one in a hundred ends its worker.
enum Crowd {
    /// - Returns: Whether all others were right, and nothing is left.
    static func run(count: Int) -> Bool {
        // What one image leaves: a timer of Dispatch.
        autoreleased { _ = try? decode(.good, ImageCoderRegistry(decoders: [HostileDecoder()]).sandboxed()) }
        let before = descriptorCount
        let wrong = Locked(0)
        autoreleased {
            let coders = ImageCoderRegistry(decoders: [HostileDecoder()]).sandboxed()
            DispatchQueue.concurrentPerform(iterations: count) { index in
                let behavior = index % 100 == 99 ? HostileDecoder.Behavior.crash : .good
                let image = try? decode(behavior, coders)
                if (image?.pixels[0, 0].red == 255) != (behavior == .good) { wrong.withLock { $0 += 1 } }
            }
        }
        let (left, zombies) = (descriptorCount - before, childCount)
        print("\(count) images, \(wrong.withLock { $0 }) wrong, \(left) descriptors and \(zombies) processes left")
        return wrong.withLock { $0 } == 0 && left <= 0 && zombies == 0
    }

    private static func decode(
        _ behavior: HostileDecoder.Behavior, _ coders: ImageCoderRegistry
    ) throws(TintypeError) -> Image {
        let bytes = HostileDecoder.bytes(behavior)
        return try coders.decoder(for: bytes).decode(bytes, context: DecodeContext())
    }

    /// Runs `body`, after which its objects are released.
    private static func autoreleased(_ body: () -> Void) { body() }

    private static var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    private static var childCount: Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let lists = tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/children", encoding: .utf8) }
        return lists.flatMap { $0.split(separator: " ") }.count
    }
}
