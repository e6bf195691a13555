import CMalloc
import Foundation

/// Has memory returned to the system after a burst of requests. glibc keeps what is freed in one of up to eight arenas
/// for each core, and gives back only the end of an arena.
enum MemoryReturn {
    /// Sets the allocator up. Call it before threads start, because an arena is never given up. A setting of the
    /// operator, such as `MALLOC_ARENA_MAX`, stays.
    ///
    /// - Parameter cores: The number of processor cores.
    static func prepare(cores: Int) {
        let environment = ProcessInfo.processInfo.environment
        if environment["MALLOC_ARENA_MAX"] == nil { tintype_set_arena_count(Int32(clamping: max(2, cores))) }
        // Without these, glibc raises its thresholds with each large block that is freed, up to 32 MB: pixels and
        // bodies would then come from the arenas.
        if environment["MALLOC_MMAP_THRESHOLD_"] == nil { tintype_set_mapping_threshold(256 << 10) }
        if environment["MALLOC_TRIM_THRESHOLD_"] == nil { tintype_set_trim_threshold(1 << 20) }
    }

    /// Returns free memory to the system. Takes some milliseconds, in which threads that allocate may wait.
    static func trim() { tintype_trim() }
}

/// Decides when to return memory: once after work has ended. A pure value.
struct TrimSchedule: Hashable, Sendable {
    /// How often the load is looked at.
    static let interval = Duration.seconds(5)

    private var isDue = false

    /// Looks at the load, and returns whether memory should be returned now.
    ///
    /// - Parameters:
    ///   - finishedCount: The number of images that were finished since the last look.
    ///   - isIdle: Whether no image is in work or waits.
    mutating func look(finishedCount: Int, isIdle: Bool) -> Bool {
        if finishedCount > 0 { isDue = true }
        guard isDue, isIdle else { return false }
        isDue = false
        return true
    }
}
