import Dispatch

/// A wait for a load by a thread that may be blocked.
enum BlockingWait {
    /// The load's result; `nil` when it failed.
    static func result(of task: ImageTask) -> ImageResponse? {
        let end = Locked<ImageTaskState.End?>(nil)
        let signal = DispatchSemaphore(value: 0)
        // A detached task runs on the cooperative pool, which the calling thread is not one of.
        Task.detached(priority: .high) {
            let result = await task.result
            end.withLock { $0 = result }
            signal.signal()
        }
        signal.wait()
        return try? end.withLock { $0 }?.get()
    }
}
