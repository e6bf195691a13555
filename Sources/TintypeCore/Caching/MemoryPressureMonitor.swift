import Foundation

/// Listens for the kernel's memory pressure notifications and makes memory caches shrink.
///
/// It uses the pressure-stall triggers of the machine and of this process's v2 cgroup
/// (`Documentation/accounting/psi.rst` in the Linux source), and the pressure levels of its v1 cgroup. Linux has no
/// other low-memory notification. If the kernel lacks these files, or this user may not write them, ``isListening``
/// stays `false` and only ``signal(_:)`` has an effect.
///
/// A monitor opens nothing until an added cache holds its first image: registering a trigger makes the kernel take
/// about 12 ms longer to end the process. From then on, one thread waits for all notifications, until no source is
/// left.
package final class MemoryPressureMonitor: Sendable {
    /// The process-wide monitor, which the standard configuration uses.
    package static let shared = MemoryPressureMonitor(sources: { PressureSource.standard() })

    /// Whether the monitor waits for notifications: an added cache has held an image, and the kernel provides at least
    /// one notification.
    package var isListening: Bool { state.withLock { $0.phase == .listening } }

    private let state = Locked(State())
    private let pool: PixelPool
    private let frames: FrameMemory
    private let time: TimeSource
    private let openSources: @Sendable () -> [PressureSource]

    private struct State: Sendable {
        var listeners: [Listener] = []
        var handlers: [@Sendable (MemoryPressure) -> Void] = []
        var phase = Phase.idle
    }

    private enum Phase: Sendable {
        /// No added cache has held an image.
        case idle
        /// The thread opens the sources, or there are none.
        case started
        case listening
    }

    private struct Listener: Sendable {
        weak let cache: MemoryCache?
    }

    /// - Parameters:
    ///   - sources: Opens the notifications to wait for, once. The monitor does not close their descriptors.
    ///   - pool: A pool that frees its idle memory under pressure.
    ///   - frames: The memory of animations, which shrinks under pressure.
    ///   - time: The clock for the pauses between polls of a source.
    init(
        sources: @escaping @Sendable () -> [PressureSource], pool: PixelPool = .shared,
        frames: FrameMemory = .shared, time: TimeSource = .system
    ) {
        (openSources, self.pool, self.frames, self.time) = (sources, pool, frames, time)
    }

    /// Makes a cache shrink under memory pressure. The monitor holds a weak reference to the cache.
    package func add(_ cache: MemoryCache) {
        state.withLock { state in
            state.listeners.removeAll { $0.cache == nil }
            state.listeners.append(Listener(cache: cache))
        }
        cache.whenUsed { [weak self] in self?.start() }
    }

    /// Calls `handler` under memory pressure, on any thread, for as long as the monitor lives. Does not make the
    /// monitor listen to the kernel.
    package func addHandler(_ handler: @escaping @Sendable (MemoryPressure) -> Void) {
        state.withLock { $0.handlers.append(handler) }
    }

    /// Starts the thread, unless it was started before. The thread opens the sources, so the caller does not wait.
    private func start() {
        let isFirst = state.withLock { state in
            defer { if state.phase == .idle { state.phase = .started } }
            return state.phase == .idle
        }
        guard isFirst else { return }
        Thread.detachNewThread { [weak self] in
            guard let watch = self?.open() else { return }
            Self.listen(watch) { self }
        }
    }

    /// Opens the sources; `nil` if the kernel provides none.
    private func open() -> PressureWatch? {
        let sources = openSources()
        guard !sources.isEmpty else { return nil }
        state.withLock { $0.phase = .listening }
        return PressureWatch(sources)
    }

    /// Waits for notifications until all sources are gone or the monitor is released.
    private static func listen(_ watch: PressureWatch, for monitor: () -> MemoryPressureMonitor?) {
        ThreadName.set("tintype.memory")
        var watch = watch
        while !watch.isFinished, let time = monitor()?.time {
            let (polled, timeout) = watch.sourcesToPoll(at: time.uptime())
            let (urgent, gone) = PressureSource.wait(for: polled, timeout)
            if let pressure = watch.record(urgent, gone: gone, at: time.uptime()) { monitor()?.signal(pressure) }
        }
    }

    /// Shrinks every added cache and the memory of animation frames, and frees idle pixel memory.
    ///
    /// The monitor calls it on a kernel notification. A program may call it on a warning of its toolkit, on any thread.
    package func signal(_ pressure: MemoryPressure) {
        frames.shrink(for: pressure)
        let (caches, handlers) = state.withLock { ($0.listeners.compactMap(\.cache), $0.handlers) }
        for cache in caches { cache.shrink(for: pressure) }
        for handler in handlers { handler(pressure) }
        // Last: the images released above have returned their memory to the pool.
        pool.trim()
    }
}

/// The state of waiting for several pressure sources. It has no descriptors, threads or clocks.
///
/// A source is not polled for ``rest`` after each notification, because each notification halves the caches. The kernel
/// may send a hundred a second through a counter, but a trigger's notifications are at least that far apart.
struct PressureWatch: Sendable {
    private var sources: [PressureSource]
    /// The uptime at which each resting source is polled again.
    private var rests: [PressureSource: Duration] = [:]

    /// The time for which a source is not polled after a notification: the window of ``PressureTrigger``.
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
        for source in urgent { rests[source] = now + Self.rest }
        return urgent.contains { $0.pressure == .critical } ? .critical : urgent.first?.pressure
    }
}
