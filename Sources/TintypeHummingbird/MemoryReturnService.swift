#if Server
import ServiceLifecycle
import TintypeCore
import TintypeServer

/// Returns memory when the server has nothing to do after a burst.
struct MemoryReturnService: Service {
    let service: ImageService

    func run() async throws {
        var schedule = TrimSchedule()
        var count = service.finishedCount
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: TrimSchedule.interval) }
            let (load, now) = (service.load, service.finishedCount)
            if schedule.look(finishedCount: now - count, isIdle: load.runningCount == 0 && load.waitingCount == 0) {
                WorkQueue.disk.enqueue(at: .low) { MemoryReturn.trim() }
            }
            count = now
        }
    }
}
#endif
