#if GTK
import Synchronization
package import Tintype

/// Counts what a pipeline does.
package final class Figures: PipelineObserver {
    package struct Counts {
        package var memoryHits = 0
        package var loads = 0
        package var running = 0
        package var failures = 0
        package var bytes = 0
    }

    private let state = Mutex(Counts())

    package var counts: Counts { state.withLock { $0 } }

    package init() {}

    package func observe(_ event: PipelineEvent) {
        state.withLock { counts in
            switch event {
            case .lookedUp(_, in: .memory, let found): if found { counts.memoryHits += 1 }
            case .loadBegan:
                counts.loads += 1
                counts.running += 1
            case .loadEnded(_, _, let result, _):
                counts.running -= 1
                if case .failure(let error) = result, error.code != .cancelled { counts.failures += 1 }
            case .stageEnded(let run, let outcome) where run.stage == .load: counts.bytes += outcome.byteCount ?? 0
            default: break
            }
        }
    }
}
#endif
