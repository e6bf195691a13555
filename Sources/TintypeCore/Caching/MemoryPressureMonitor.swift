import Foundation

/// Listens for the kernel's memory pressure notifications and makes memory caches shrink.
///
/// It uses the pressure-stall triggers of the machine and of this process's v2 cgroup
/// (`Documentation/accounting/psi.rst` in the Linux source), and the pressure levels of its v1 cgroup. Linux has no other
/// low-memory notification. If the kernel lacks these files, or this user may not write them, ``isListening`` is `false` and
/// only ``signal(_:)`` has an effect. One thread waits for all notifications, for the lifetime of the process.
public final class MemoryPressureMonitor: Sendable {
    /// The process-wide monitor, which the standard configuration uses.
    public static let shared = MemoryPressureMonitor(sources: PressureSource.standard())

    /// Whether the kernel provides at least one notification.
    public let isListening: Bool

    private let listeners = Locked<[Listener]>([])
    private let pool: PixelPool

    private struct Listener: Sendable {
        weak let cache: MemoryCache?
    }

    /// - Parameters:
    ///   - sources: The notifications to wait for. The monitor does not close their descriptors.
    ///   - pool: A pool that frees its idle memory under pressure.
    ///   - time: The clock for the pauses between polls of counters.
    init(sources: [PressureSource], pool: PixelPool = .shared, time: TimeSource = .system) {
        self.pool = pool
        isListening = !sources.isEmpty
        guard isListening else { return }
        Thread.detachNewThread { [weak self] in
            ThreadName.set("tintype.memory")
            var watch = PressureWatch(sources)
            while !watch.isFinished {
                let (polled, timeout) = watch.sourcesToPoll(at: time.uptime())
                let (urgent, gone) = PressureSource.wait(for: polled, timeout)
                guard let self else { return }
                if let pressure = watch.record(urgent, gone: gone, at: time.uptime()) { self.signal(pressure) }
            }
        }
    }

    /// Makes a cache shrink under memory pressure. The monitor holds a weak reference to the cache.
    public func add(_ cache: MemoryCache) {
        listeners.withLock { listeners in
            listeners.removeAll { $0.cache == nil }
            listeners.append(Listener(cache: cache))
        }
    }

    /// Makes every added cache shrink and frees idle pixel and frame memory.
    ///
    /// The monitor calls it on a kernel notification. A program may call it on a warning of its toolkit, on any thread.
    public func signal(_ pressure: MemoryPressure) {
        FrameMemory.shared.shrink(for: pressure)
        pool.trim()
        let caches = listeners.withLock { $0.compactMap(\.cache) }
        for cache in caches { cache.shrink(for: pressure) }
    }
}

/// A level of memory shortage, of the machine or of this process's cgroup.
public enum MemoryPressure: Hashable, Sendable, CaseIterable {
    /// At least one task stalled while it waited for memory.
    case some
    /// All tasks stalled while they waited for memory.
    case critical

    /// Returns the number of bytes that a cache of `cost` bytes retains: half for ``some``, 0 for ``critical``.
    ///
    /// Lasting pressure is signalled again and halves the cache again.
    public func remainder(of cost: Int) -> Int {
        self == .some ? cost / 2 : 0
    }
}

/// The state of waiting for several pressure sources. It has no descriptors, threads or clocks.
///
/// A counter is not polled for ``rest`` after each notification, because each notification halves the caches and the
/// kernel may send a hundred a second. Triggers limit their rate themselves.
struct PressureWatch: Sendable {
    private var sources: [PressureSource]
    /// The uptime at which each resting source is polled again.
    private var rests: [PressureSource: Duration] = [:]

    /// The time for which a counter is not polled after a notification.
    static let rest = Duration.seconds(2)

    init(_ sources: [PressureSource]) {
        self.sources = sources
    }

    /// Whether all sources are gone.
    var isFinished: Bool { sources.isEmpty }

    /// Returns the sources to poll now, and the time until the next rest ends; `nil` if none rests.
    mutating func sourcesToPoll(at now: Duration) -> (sources: [PressureSource], timeout: Duration?) {
        rests = rests.filter { $0.value > now }
        return (sources.filter { rests[$0] == nil }, rests.values.min().map { $0 - now })
    }

    /// Records the result of a poll.
    ///
    /// - Parameters:
    ///   - urgent: The sources that sent a notification.
    ///   - gone: The sources that will never send one again.
    /// - Returns: The highest pressure of the notifications; `nil` if there was none.
    mutating func record(
        _ urgent: [PressureSource], gone: [PressureSource], at now: Duration
    ) -> MemoryPressure? {
        sources.removeAll { gone.contains($0) }
        for source in urgent where source.kind == .counter { rests[source] = now + Self.rest }
        return urgent.contains { $0.pressure == .critical } ? .critical : urgent.first?.pressure
    }
}
