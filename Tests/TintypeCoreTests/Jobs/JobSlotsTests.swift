import Testing

@testable import TintypeCore

@Suite struct JobSlotsTests {
    @Test func anEndedJobFindsNothingInItsReusedSlot() {
        var (table, slots) = (JobTable<String>(), JobSlots<String>())
        let first = table.attach("a", at: .normal).0.job
        slots.put("first", at: first)
        #expect(slots.remove(first) == "first")
        _ = table.finish(first)

        let second = table.attach("b", at: .normal).0.job
        slots.put("second", at: second)
        #expect(second.slot == first.slot)
        #expect(slots[first] == nil && slots.remove(first) == nil && slots.change(first) { $0 += "!" } == nil)
        #expect(slots[second] == "second")
    }

    @Test func aJobThatWasNotPutHasNoValue() {
        var (table, slots) = (JobTable<String>(), JobSlots<String>())
        let job = table.attach("a", at: .normal).0.job
        #expect(slots[job] == nil && slots.remove(job) == nil && slots.change(job) { $0 += "!" } == nil)
    }

    @Test func valuesAreChangedInPlace() {
        var (table, slots) = (JobTable<String>(), JobSlots<[Int]>())
        let jobs = (0..<5).map { table.attach("\($0)", at: .normal).0.job }
        for job in jobs.reversed() { slots.put([], at: job) }
        for (number, job) in jobs.enumerated() { slots.change(job) { $0.append(number) } }
        #expect(slots.all.map(\.job) == jobs)
        #expect(slots.all.map(\.value) == [[0], [1], [2], [3], [4]])
        #expect(table.count == 5)
    }

    /// There are as many slots as there were concurrent jobs at most.
    @Test func slotsAreReused() {
        var table = JobTable<Int>()
        for round in 0..<100 {
            let jobs = (0..<3).map { table.attach(3 * round + $0, at: .normal).0.job }
            #expect(Set(jobs.map(\.slot)) == [0, 1, 2])
            for job in jobs { _ = table.finish(job) }
        }
    }
}
