import Foundation

/// Times the caches beside bare controls in the same run, and prints the ratios that `scripts/bench/measure-caches` is about.
///
/// Arguments: what to measure, `memory`, `disk`, `thumbnails` or `million`; then how many entries, where that is asked.
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
