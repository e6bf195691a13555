import Foundation

/// Compares the caches with plain controls in the same run, and prints the ratios for `scripts/bench/measure-caches`.
///
/// The first argument is `memory`, `disk`, `thumbnails` or `million`. The second is the number of entries for `disk`
/// and `million`.
@main
struct CacheTimings {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let count = arguments.dropFirst().first.flatMap { Int($0) }
        switch arguments.first {
        case "memory": try await MemoryTimings().measure()
        case "disk": try await DiskTimings(count: count ?? 100_000).measure()
        case "thumbnails": try await ThumbnailTimings().measure()
        case "million": try await ManyEntries(count: count ?? 1_000_000).measure()
        default: print("usage: CacheTimings memory | disk [ENTRIES] | thumbnails | million [ENTRIES]")
        }
    }
}
