/// The loads of a pipeline that have begun and not ended.
final class RunningTasks: Sendable {
    private let tasks = Locked<[ObjectIdentifier: ImageTask]>([:])

    var all: [ImageTask] { tasks.withLock { Array($0.values) } }
    var isEmpty: Bool { tasks.withLock { $0.isEmpty } }

    /// Has to be called before the task can end.
    func add(_ task: ImageTask) {
        tasks.withLock { $0[ObjectIdentifier(task)] = task }
    }

    func remove(_ task: ImageTask) {
        tasks.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(task)) }
    }
}
