import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct PrefetchTableTests {
    private func items(_ names: String...) -> PrefetchItems {
        .requests(names.map { ImageRequest(source: .bytes(Data(), id: $0)) })
    }

    @Test func anEmptyBatchIsNotAdded() {
        var table = PrefetchTable(concurrency: 3)
        let batch = table.add(items())
        let (workers, cancelled) = (table.workersToStart(), table.cancelAll())
        #expect(batch == nil && workers == 0 && cancelled.isEmpty)
    }

    @Test func noMoreWorkersThanTheConcurrencyOrTheItems() {
        var table = PrefetchTable(concurrency: 3)
        _ = table.add(items("a"))
        let one = table.workersToStart()
        _ = table.add(items("b", "c", "d", "e"))
        let rest = table.workersToStart()
        let none = table.workersToStart()
        #expect(one == 1 && rest == 2 && none == 0)
    }

    @Test func aWorkerIsStartedOnlyForAnItemWithoutAWorker() {
        var table = PrefetchTable(concurrency: 9)
        _ = table.add(items("a", "b", "c"))
        let three = table.workersToStart()
        _ = table.nextItem()
        let none = table.workersToStart()
        _ = table.add(items("d"))
        let one = table.workersToStart()
        #expect(three == 3 && none == 0 && one == 1)
    }

    /// It is about to take the next one.
    @Test func aWorkerWhoseImageHasEndedServesTheNextBatch() throws {
        var table = PrefetchTable(concurrency: 3)
        _ = table.add(items("a"))
        let one = table.workersToStart()
        let next = table.nextItem()
        let (item, _) = try #require(next)
        _ = table.end(item, succeeded: true)
        _ = table.add(items("b"))
        let none = table.workersToStart()
        #expect(one == 1 && none == 0)
    }

    @Test func aURLHasTheSettingsOfItsTemplate() throws {
        let urls = try ["a", "b"].map { try #require(URL(string: "https://a.test/\($0)")) }
        let template = ImageRequest(source: .bytes(Data(), id: "template"), priority: .high)
        let items = PrefetchItems.urls(urls, as: template)
        #expect(items.count == 2 && items.request(at: 1).source.identity == ImageSource.url(urls[1]).identity)
        #expect(items.request(at: 1).priority == .high)
    }

    @Test func batchesAreLoadedInTheirOrder() throws {
        var table = PrefetchTable(concurrency: 1)
        _ = table.add(items("a", "b"))
        _ = table.add(items("c"))
        let workers = table.workersToStart()
        var names: [String] = []
        while let (item, request) = table.nextItem() {
            names.append(request.source.identity)
            _ = table.end(item, succeeded: true)
        }
        #expect(workers == 1 && names == ["bytes:a", "bytes:b", "bytes:c"])
        // Both batches and the worker have ended, so a new batch starts a worker.
        let unfinished = table.cancelAll()
        _ = table.add(items("d"))
        let again = table.workersToStart()
        #expect(unfinished.isEmpty && again == 1)
    }

    @Test func aCancelledBatchCountsTheRestAsSkipped() throws {
        var table = PrefetchTable(concurrency: 1)
        let batch = table.add(items("a", "b", "c"))
        _ = table.workersToStart()
        let first = table.nextItem()
        _ = table.end(try #require(first).item, succeeded: true)
        let progress = table.cancel(try #require(batch))
        #expect(progress?.finishedCount == 1 && progress?.skipped == 2 && progress?.isComplete == true)
        let (next, again) = (table.nextItem(), table.cancel(try #require(batch)))
        #expect(next == nil && again == nil)
    }

    @Test func aCancelledBatchDoesNotBlockTheNext() throws {
        var table = PrefetchTable(concurrency: 1)
        let batch = table.add(items("a", "b"))
        _ = table.add(items("c"))
        _ = table.workersToStart()
        let first = table.nextItem()
        _ = table.cancel(try #require(batch))
        let next = table.nextItem()
        #expect(next?.request.source.identity == "bytes:c")
        #expect(table.isCancelled(try #require(first).item, "bytes:a"))
        #expect(!table.isCancelled(try #require(next).item, "bytes:c"))
    }

    @Test func aPausedTableStartsNoWorkers() {
        var table = PrefetchTable(concurrency: 3)
        _ = table.add(items("a", "b"))
        table.setPaused(true)
        let paused = table.workersToStart()
        table.setPaused(false)
        let resumed = table.workersToStart()
        #expect(paused == 0 && resumed == 2)
    }

    /// Checks the invariants over every sequence of six operations.
    @Test func everySequenceOfSixEventsKeepsTheInvariants() {
        enum Event: CaseIterable { case add, take, succeed, fail, cancel, pause, resume }
        /// `workers` counts the workers that were started and have not ended; `running` are their items.
        func walk(_ table: PrefetchTable, _ workers: Int, _ running: [PrefetchTable.Item], _ depth: Int) {
            guard depth > 0 else { return }
            for event in Event.allCases {
                var table = table
                var (workers, running) = (workers, running)
                switch event {
                case .add: _ = table.add(items("a", "b"))
                case .take:
                    workers += table.workersToStart()
                    guard workers > running.count else {
                        // No item is left that another worker could load.
                        let left = table.nextItem()
                        #expect(workers == 2 || left == nil)
                        continue
                    }
                    if let (item, _) = table.nextItem() { running.append(item) } else { workers -= 1 }
                case .succeed, .fail:
                    guard let item = running.popLast() else { continue }
                    if let progress = table.end(item, succeeded: event == .succeed) {
                        #expect(progress.finishedCount + progress.skipped <= progress.total)
                    }
                case .cancel:
                    let (ended, left) = (table.cancelAll(), table.cancelAll())
                    #expect(ended.values.allSatisfy(\.isComplete) && left.isEmpty)
                case .pause: table.setPaused(true)
                case .resume: table.setPaused(false)
                }
                #expect(workers <= 2)
                #expect(Set(running).count == running.count)
                walk(table, workers, running, depth - 1)
            }
        }
        walk(PrefetchTable(concurrency: 2), 0, [], 6)
    }
}
