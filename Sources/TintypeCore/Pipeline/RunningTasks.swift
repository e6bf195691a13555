// MARK: - Running loads

extension ImagePipeline {
    /// The loads that have begun and not ended, in no order.
    public var runningTasks: [ImageTask] { running.all }

    /// Whether any load has begun and not ended.
    package var isRunning: Bool { !running.isEmpty }

    /// Cancels all running loads: each ends with ``TintypeError/Code/cancelled``. Later loads are not affected.
    public func cancelAll() {
        for task in running.all { task.cancel() }
    }

    /// The number of renditions that are being made, however many callers wait for each.
    public var runningLoads: Int { services.renditions.count }

    /// The work of the pipeline at this moment, for gauges. O(number of running jobs).
    package var activity: PipelineActivity {
        PipelineActivity(
            renditions: services.renditions.activity, originals: services.originals.activity,
            loads: services.loads.activity, waitingForPixels: WorkQueue.pixels.waitingCount,
            waitingForDisk: WorkQueue.disk.waitingCount)
    }
}

/// The work of a pipeline at one moment.
package struct PipelineActivity: Hashable, Sendable {
    /// The renditions that are being made. Their subscribers are callers, and other renditions that are made from them.
    package let renditions: JobActivity
    /// The originals that are being loaded and decoded. Their subscribers are renditions.
    package let originals: JobActivity
    /// The loads of original bytes, except those of a downloader, which shares them with other callers and counts them
    /// itself.
    package let loads: JobActivity
    /// The number of work items that wait for a thread for codecs and pixels, in the whole process.
    package let waitingForPixels: Int
    /// The number of work items that wait for a thread for files, in the whole process.
    package let waitingForDisk: Int

    /// Whether no job is running.
    package var isIdle: Bool { renditions.running + originals.running + loads.running == 0 }
}

/// The loads of a pipeline that have begun and not ended. Reports the beginning and the end of each load to observers.
final class RunningTasks: Sendable {
    /// The slot of a load in the list, and its identifier for observers.
    struct Entry: Sendable {
        fileprivate let slot: Int
        fileprivate let watched: (id: Int, at: Duration)?
    }

    private struct State: Sendable {
        var tasks: [ImageTask?] = []
        var free: [Int] = []
    }

    private let state = Locked(State())
    private let watch: StageWatch

    init(watch: StageWatch) {
        self.watch = watch
    }

    var all: [ImageTask] { state.withLock { $0.tasks.compactMap(\.self) } }
    var isEmpty: Bool { state.withLock { $0.tasks.count == $0.free.count } }

    /// Adds a task, before it can end. O(1) amortised.
    func add(_ task: ImageTask) -> Entry {
        let watch = task.request.overrides == nil ? watch : watch.including(task.request)
        let watched = watch.isIdle ? nil : watch.loadBegan(task.request)
        let slot = state.withLock { state in
            guard let slot = state.free.popLast() else {
                state.tasks.append(task)
                return state.tasks.count - 1
            }
            state.tasks[slot] = task
            return slot
        }
        return Entry(slot: slot, watched: watched)
    }

    func end(_ entry: Entry, _ request: ImageRequest, _ result: ImageTaskState.End) {
        state.withLock { state in
            state.tasks[entry.slot] = nil
            state.free.append(entry.slot)
        }
        let watch = request.overrides == nil ? watch : watch.including(request)
        watch.loadEnded(entry.watched, request, result)
    }
}
