import Foundation
import TintypeTesting

/// Several processes write to one directory and are killed in the middle, again and again; after each round every key has
/// to give right bytes or nothing, and no file may be damaged.
struct KillRounds {
    let count: Int

    static let entries = 400
    static let sample = SampleEntry(largest: 16_000)
    private static let writers = 3

    func run() async throws {
        let folder = try Store.temporary()
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = Store(directory: folder, entries: Self.entries, sample: Self.sample)
        var random = SeededRandom.printed("kills")
        var found = 0
        for round in 0..<count {
            try killWriters(in: folder, haveStored: round % 2 == 1, &random)
            found += store.checked(mayBeDamaged: false, "round \(round)")
            if round % 100 == 99 { CrashTest.tell("\(round + 1) rounds, \(found) right") }
            if round % 10 == 9 || round == count - 1 { try await store.checkBookkeeping("round \(round)") }
        }
        guard found > 0 else { CrashTest.fail("nothing was ever written") }
        print("kills: \(count) rounds of \(Self.writers) writers, \(found) keys gave right bytes, none wrong ones")
    }

    /// - Parameter haveStored: whether something is stored first: where the machine has much to do, they would else all be
    ///   killed before they have begun.
    private func killWriters(in folder: URL, haveStored: Bool, _ random: inout SeededRandom) throws {
        let progress = Pipe()
        let output = progress.fileHandleForWriting
        let writers = try (0..<Self.writers).map { _ in
            try Child.start(
                "write", folder.path(percentEncoded: false), "\(random.next() >> 2)", output: output.fileDescriptor)
        }
        try output.close()
        if haveStored { _ = try progress.fileHandleForReading.read(upToCount: 1) }
        for writer in writers {
            // At any moment, from before it has begun to long after.
            usleep(UInt32.random(in: 0..<60_000, using: &random))
            kill(writer.processIdentifier, SIGKILL)
        }
        for writer in writers { writer.wait() }
    }
}
