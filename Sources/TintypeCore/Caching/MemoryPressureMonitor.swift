import Foundation

/// Listens to the kernel's word that memory is short, and makes caches shrink: pressure-stall triggers of the whole
/// machine and of this process's cgroup (`Documentation/accounting/psi.rst` of Linux), and the pressure levels of its
/// cgroup of version 1.
///
/// Linux sends programs no other warning. Where the kernel has no such files, or does not let this user listen, nothing is
/// heard; ``isListening`` tells. One thread waits for all of them, as long as the process lives.
public final class MemoryPressureMonitor: Sendable {
    /// The one that the standard configuration uses.
    public static let shared = MemoryPressureMonitor(sources: PressureSource.standard())

    /// Whether there is anything to hear.
    public let isListening: Bool

    private let listeners = Locked<[Listener]>([])
    private let pool: PixelPool

    private struct Listener: Sendable {
        weak let cache: MemoryCache?
    }

    /// - Parameters:
    ///   - sources: closed by no one.
    ///   - pool: gives back what lies idle.
    init(sources: [PressureSource], pool: PixelPool = .shared, time: TimeSource = .system) {
        self.pool = pool
        isListening = !sources.isEmpty
        guard isListening else { return }
        Thread.detachNewThread { [weak self] in
            ThreadName.set("tintype.memory")
            var watch = PressureWatch(sources)
            while !watch.isOver {
                let (asked, timeout) = watch.asked(at: time.uptime())
                let (urgent, gone) = PressureSource.wait(for: asked, timeout)
                guard let self else { return }
                if let pressure = watch.heard(urgent, gone: gone, at: time.uptime()) { self.signal(pressure) }
            }
        }
    }

    /// Lets a cache shrink when memory is short, as long as it lives.
    public func add(_ cache: MemoryCache) {
        listeners.withLock { listeners in
            listeners.removeAll { $0.cache == nil }
            listeners.append(Listener(cache: cache))
        }
    }

    /// Makes every cache shrink, and idle memory of bitmaps go back: what is called on the kernel's word, and may be on a
    /// toolkit's.
    public func signal(_ pressure: MemoryPressure) {
        FrameMemory.shared.shrink(for: pressure)
        pool.trim()
        let caches = listeners.withLock { $0.compactMap(\.cache) }
        for cache in caches { cache.shrink(for: pressure) }
    }
}

/// How short of memory the machine, or this process's part of it, is.
public enum MemoryPressure: Hashable, Sendable, CaseIterable {
    /// Someone had to wait for memory.
    case some
    /// Nothing went on for want of memory.
    case critical

    /// What a cache of `cost` bytes keeps: half, or nothing. A pressure that stays is told again, and halves again.
    public func remainder(of cost: Int) -> Int {
        self == .some ? cost / 2 : 0
    }
}

/// What is heard of several sources that memory is short: it knows no descriptors' meaning, threads or time.
///
/// A counter that has spoken rests for a while, as triggers do by themselves: each word halves the caches, and some are said
/// a hundred times a second.
struct PressureWatch: Sendable {
    private var sources: [PressureSource]
    /// Until when some are not asked.
    private var rests: [PressureSource: Duration] = [:]

    static let rest = Duration.seconds(2)

    init(_ sources: [PressureSource]) {
        self.sources = sources
    }

    /// Whether nothing will ever be heard again.
    var isOver: Bool { sources.isEmpty }

    /// Those to ask, and how long until there are more.
    mutating func asked(at now: Duration) -> (sources: [PressureSource], timeout: Duration?) {
        rests = rests.filter { $0.value > now }
        return (sources.filter { rests[$0] == nil }, rests.values.min().map { $0 - now })
    }

    /// Returns the worst of what was said.
    mutating func heard(
        _ urgent: [PressureSource], gone: [PressureSource], at now: Duration
    ) -> MemoryPressure? {
        sources.removeAll { gone.contains($0) }
        for source in urgent where source.kind == .counter { rests[source] = now + Self.rest }
        return urgent.contains { $0.pressure == .critical } ? .critical : urgent.first?.pressure
    }
}
