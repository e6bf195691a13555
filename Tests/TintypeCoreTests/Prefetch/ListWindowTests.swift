import Testing

@testable import TintypeCore

/// The rows that are prefetched while a list is scrolled.
@Suite struct ListWindowTests {
    private typealias Change = ListWindow.Change

    @Test func rowsAfterTheVisibleOnesBegin() {
        var window = ListWindow(ahead: 3)
        #expect(window.show(0..<5, of: 100) == Change(begun: [5, 6, 7]))
        #expect(window.show(2..<7, of: 100) == Change(begun: [8, 9]))
    }

    @Test func anotherDirectionEndsTheRowsOfTheOldOne() {
        var window = ListWindow(ahead: 3)
        _ = window.show(40..<50, of: 100)
        #expect(window.show(38..<48, of: 100) == Change(begun: [37, 36, 35], ended: [50, 51, 52]))
        #expect(window.show(39..<49, of: 100) == Change(begun: [49, 50, 51], ended: [35, 36, 37]))
    }

    @Test func theFirstRowIsPrefetchedToo() {
        var window = ListWindow(ahead: 3)
        _ = window.show(10..<14, of: 100)
        #expect(window.show(2..<6, of: 100).begun == [1, 0])
    }

    @Test(arguments: [0, -1]) func aWindowOfNoRowsPrefetchesNone(_ ahead: Int) {
        var window = ListWindow(ahead: ahead)
        #expect(window.show(10..<14, of: 100) == Change() && window.show(8..<12, of: 100) == Change())
    }

    @Test func aRowThatBecameVisibleStaysUntilItLeavesTheScreen() {
        var window = ListWindow(ahead: 2)
        _ = window.show(0..<4, of: 100)
        #expect(window.show(1..<5, of: 100) == Change(begun: [6]))
        #expect(window.contains(4))
        #expect(window.show(5..<9, of: 100) == Change(begun: [9, 10], ended: [4]))
    }

    @Test func aJumpEndsEverythingElse() {
        var window = ListWindow(ahead: 2)
        _ = window.show(0..<4, of: 1000)
        #expect(window.show(500..<504, of: 1000) == Change(begun: [504, 505], ended: [4, 5]))
    }

    /// A list that is resized at its upper edge, and one that does not move at all.
    @Test func aListThatStandsStillChangesNothing() {
        var window = ListWindow(ahead: 2)
        _ = window.show(10..<14, of: 100)
        _ = window.show(8..<12, of: 100)
        #expect(window.show(8..<12, of: 100) == Change())
        #expect(window.show(8..<12, of: 200) == Change())
    }

    @Test func theWindowEndsWithTheList() {
        var window = ListWindow(ahead: 10)
        #expect(window.show(0..<4, of: 6) == Change(begun: [4, 5]))
        #expect(window.show(0..<4, of: 5) == Change(ended: [5]))
        #expect(window.show(0..<9, of: 0) == Change(ended: [4]))
        #expect(window.show(-5..<Int.max, of: .max) == Change())
        var top = ListWindow(ahead: .max)
        #expect(top.show(0..<1, of: 3) == Change(begun: [1, 2]))
        #expect(top.show(0..<0, of: 3) == Change(ended: [1, 2]))
    }

    @Test func aResetEndsAll() {
        var window = ListWindow(ahead: 2)
        _ = window.show(0..<4, of: 100)
        #expect(window.reset() == [4, 5])
        #expect(window.show(0..<4, of: 100) == Change(begun: [4, 5]))
    }
}
