// MARK: - What is running

extension ImagePipeline {
    /// The loads that have begun and not ended, in no order.
    public var runningTasks: [ImageTask] { running.all }

    /// Whether any load has begun and not ended.
    public var isRunning: Bool { !running.isEmpty }

    /// Gives every running load up: each ends with ``TintypeError/Code/cancelled``. Later ones are not concerned.
    public func cancelAll() {
        for task in running.all { task.cancel() }
    }

    /// Renditions that are being made now, each counted once however many wait for it.
    public var runningLoads: Int { services.renditions.count }

    /// Jobs of every stage that have not ended, for tests that want to see that nothing is left.
    var runningJobs: Int { services.renditions.count + services.decoded.count + services.bytes.count }
}
