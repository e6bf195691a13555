/// The loads of a pipeline that have begun and not ended; tells observers of both.
final class RunningTasks: Sendable {
    /// A place in the list, and what observers know of the load.
    struct Entry: Sendable {
        fileprivate let place: Int
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

    /// Has to be called before the task can end. Costs O(1), amortised.
    func add(_ task: ImageTask) -> Entry {
        let watched = watch.loadBegan(task.request)
        let place = state.withLock { state in
            guard let place = state.free.popLast() else {
                state.tasks.append(task)
                return state.tasks.count - 1
            }
            state.tasks[place] = task
            return place
        }
        return Entry(place: place, watched: watched)
    }

    func end(_ entry: Entry, _ request: ImageRequest, _ result: ImageTaskState.End) {
        state.withLock { state in
            state.tasks[entry.place] = nil
            state.free.append(entry.place)
        }
        watch.loadEnded(entry.watched, request, result)
    }
}
