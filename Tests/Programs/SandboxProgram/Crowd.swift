import Foundation
import HostileDecoders
import TintypeCore
import TintypeSandbox

/// Decodes many images at once, of which one in a hundred ends its worker and one in ten is in memory that its worker
/// shares.
enum Crowd {
    /// - Returns: Whether all others were right, and nothing is left.
    static func run(count: Int) -> Bool {
        // What the first images leave: the timers and threads of Dispatch.
        _ = decode(count: 200)
        let before = descriptorCount
        let wrong = decode(count: count)
        let (left, zombies, mappings) = (descriptorCount - before, childCount, mappingCount)
        print(
            "\(count) images, \(wrong) wrong; \(left) descriptors, \(mappings) mappings and \(zombies) processes left")
        return wrong == 0 && left <= 0 && mappings == 0 && zombies == 0
    }

    /// Decodes images in a pool of their own, which is gone afterwards.
    ///
    /// - Returns: The number of images with another result than they should have.
    private static func decode(count: Int) -> Int {
        let wrong = Locked(0)
        let coders = ImageCoderRegistry(decoders: [GreedyDecoder(), HostileDecoder()]).sandboxed()
        DispatchQueue.concurrentPerform(iterations: count) { index in
            if !isRight(index, coders) { wrong.withLock { $0 += 1 } }
        }
        return wrong.withLock { $0 }
    }

    /// Decodes an image of the kind that a number stands for.
    private static func isRight(_ index: Int, _ coders: ImageCoderRegistry) -> Bool {
        if index % 100 == 99 { return (try? decode(HostileDecoder.bytes(.crash), coders)) == nil }
        if index % 10 == 9 { return (try? decode(GreedyDecoder.bytes(.plain), coders))?.size.width == 2048 }
        return (try? decode(HostileDecoder.bytes(.good), coders))?.pixels[0, 0].red == 255
    }

    private static func decode(_ bytes: Data, _ coders: ImageCoderRegistry) throws(TintypeError) -> Image {
        try coders.decoder(for: bytes).decode(bytes, context: DecodeContext())
    }

    /// The number of mappings that are shared with workers.
    private static var mappingCount: Int {
        let mappings = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? "memfd:tintype"
        return mappings.components(separatedBy: "memfd:tintype").count - 1
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
