import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct PrefetchTableTests {
    private func items(_ names: String...) -> PrefetchItems {
        .requests(names.map { ImageRequest(source: .bytes(Data(), id: $0)) })
    }

    @Test func anEmptyBatchIsNone() {
        var table = PrefetchTable(concurrency: 3)
        let batch = table.add(items())
        #expect(batch == nil && table.batchCount == 0)
    }

    @Test func noMoreWorkersThanTheConcurrencyOrTheItems() {
        var table = PrefetchTable(concurrency: 3)
        _ = table.add(items("a"))
        let one = table.workersToStart()
        _ = table.add(items("b", "c", "d", "e"))
        let rest = table.workersToStart()
        #expect(one == 1 && rest == 2 && table.workers == 3)
    }

    @Test func batchesAreServedInTheirOrder() throws {
        var table = PrefetchTable(concurrency: 1)
        _ = table.add(items("a", "b"))
        _ = table.add(items("c"))
        _ = table.workersToStart()
        var names: [String] = []
        while let (item, request) = table.next() {
            names.append(request.source.identity)
            _ = table.end(item, succeeded: true)
        }
        #expect(names == ["bytes:a", "bytes:b", "bytes:c"] && table.workers == 0 && table.batchCount == 0)
    }

    @Test func aCancelledBatchCountsTheRestAsSkipped() throws {
        var table = PrefetchTable(concurrency: 1)
        let batch = table.add(items("a", "b", "c"))
        _ = table.workersToStart()
        let first = table.next()
        _ = table.end(try #require(first).item, succeeded: true)
        let progress = table.cancel(try #require(batch))
        #expect(progress?.finished == 1 && progress?.skipped == 2 && progress?.isComplete == true)
        let (next, again) = (table.next(), table.cancel(try #require(batch)))
        #expect(next == nil && again == nil)
    }

    /// Every short sequence of operations, against plain sums.
    @Test func everySequenceOfSixEventsKeepsThePromises() {
        enum Event: CaseIterable { case add, take, succeed, fail, cancel, pause, resume }
        func walk(_ table: PrefetchTable, _ running: [PrefetchTable.Item], _ depth: Int) {
            guard depth > 0 else { return }
            for event in Event.allCases {
                var table = table
                var running = running
                switch event {
                case .add: _ = table.add(items("a", "b"))
                case .take:
                    if table.workers == 0, table.workersToStart() == 0 { continue }
                    if table.workers > running.count, let (item, _) = table.next() { running.append(item) }
                case .succeed, .fail:
                    guard let item = running.popLast() else { continue }
                    if let progress = table.end(item, succeeded: event == .succeed) {
                        #expect(progress.finished + progress.skipped <= progress.total)
                    }
                case .cancel:
                    let ended = table.cancelAll()
                    #expect(ended.values.allSatisfy(\.isComplete) && table.batchCount == 0)
                case .pause: table.setPaused(true)
                case .resume: table.setPaused(false)
                }
                #expect(table.workers <= 2)
                #expect(Set(running).count == running.count)
                walk(table, running, depth - 1)
            }
        }
        walk(PrefetchTable(concurrency: 2), [], 6)
    }
}
