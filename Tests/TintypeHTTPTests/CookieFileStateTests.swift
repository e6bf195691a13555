import Testing
import TintypeCore

@testable import TintypeHTTP

/// When the file of a cookie store is written: every short sequence of events against a model.
@Suite struct CookieFileStateTests {
    private enum Event: CaseIterable {
        case change, flush
        /// The writer begins a write, or ends it.
        case write, fail
    }

    /// A store whose cookies are numbered by its changes, and a writer that runs step by step.
    private struct Model {
        var state = CookieFileState()
        var newest = 0
        /// The last change that is in the file.
        var written = 0
        /// The last change that the running write contains.
        var writing: Int?
        var hasWriter = false
        var flushes: [(promise: SharedPromise<Void>, change: Int, isEnded: Bool)] = []

        mutating func perform(_ event: Event) {
            switch event {
            case .change:
                newest += 1
                start(state.recordChange())
            case .flush:
                let promise = SharedPromise<Void>()
                let step = state.addFlush(promise)
                guard step != .end else {
                    #expect(written == newest && !hasWriter)
                    return
                }
                start(step == .write)
                flushes.append((promise, newest, false))
            case .write: advance(nil)
            case .fail: advance(TintypeError(.unwritable, stage: .store, "test"))
            }
        }

        private mutating func start(_ isNew: Bool) {
            #expect(isNew == !hasWriter, "exactly one writer runs")
            hasWriter = true
        }

        private mutating func advance(_ problem: TintypeError?) {
            guard hasWriter else { return }
            guard let change = writing else {
                _ = state.beginWrite()
                return writing = newest
            }
            if problem == nil { written = change }
            let end = state.endWrite([], problem)
            for index in flushes.indices where end.flushes.contains(where: { $0 === flushes[index].promise }) {
                #expect(!flushes[index].isEnded && flushes[index].change <= change, "ended once, with its changes")
                flushes[index].isEnded = true
            }
            (writing, hasWriter) = (nil, !end.isLast)
            #expect(end.isLast == (change == newest))
        }
    }

    @Test func everyChangeIsWrittenAndEveryFlushEnds() {
        var sequences: [[Event]] = [[]]
        for _ in 0..<5 {
            sequences = sequences.flatMap { sequence in Event.allCases.map { sequence + [$0] } }
        }
        for sequence in sequences {
            var model = Model()
            for event in sequence { model.perform(event) }
            while model.hasWriter { model.perform(.write) }
            let waiting = model.flushes.count { !$0.isEnded }
            #expect(waiting == 0, "\(sequence)")
            #expect(model.written == model.newest || model.state.problem != nil, "\(sequence)")
        }
    }
}
