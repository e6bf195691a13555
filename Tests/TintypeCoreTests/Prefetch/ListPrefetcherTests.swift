import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// The images that are loaded while a list is scrolled.
@Suite(.timeLimited) struct ListPrefetcherTests {
    private let fixture = PipelineFixture()
    private let gate = Gate()

    private var serial: ImagePrefetcher {
        ImagePrefetcher(fixture.pipeline, settings: PrefetchSettings(concurrency: 1))
    }

    private func count(_ name: String) -> Int { fixture.loader.count(fixture.identity(name)) }

    @Test func theRowsAheadAreLoadedOnce() async {
        for row in 0..<6 { fixture.answer("row\(row)") }
        let prefetcher = serial
        let list = ListPrefetcher(prefetcher, ahead: 2) { [fixture] in [fixture.request("row\($0)")] }
        list.show(0..<1, of: 6)
        list.show(1..<2, of: 6)
        // The only worker takes one batch after the other.
        fixture.answer("last")
        _ = await prefetcher.prefetch([fixture.request("last")]).wait()
        #expect((0..<6).map { count("row\($0)") } == [0, 1, 1, 1, 0, 0])
    }

    /// All rows together: no worker of a cancelled row begins with the next one.
    @Test(arguments: 0..<20) func rowsThatAreNoLongerAheadAreCancelled(_: Int) async {
        for row in 0..<6 { fixture.answer("row\(row)", .gated(gate, .data(PipelineFixture.png))) }
        let prefetcher = serial
        let list = ListPrefetcher(prefetcher, ahead: 2) { [fixture] in [fixture.request("row\($0)")] }
        list.show(3..<4, of: 6)
        list.show(2..<3, of: 6)
        list.reset()
        gate.open()
        fixture.answer("last")
        _ = await prefetcher.prefetch([fixture.request("last")]).wait()
        // The nearest row on each side may have begun before it was cancelled.
        #expect(count("row5") == 0 && count("row0") == 0 && count("last") == 1)
    }
}
