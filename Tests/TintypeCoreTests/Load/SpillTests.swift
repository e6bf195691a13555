import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct SpillTests {
    private let whole = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
    private let job = JobContext(priority: .normal)

    private func append(_ range: Range<Int>, to received: ReceivedBytes) throws {
        try whole[range].withUnsafeBytes { try received.append($0) }
    }

    private func spilled() async throws -> ReceivedBytes {
        let received = ReceivedBytes(limit: 50_000)
        try append(0..<20_000, to: received)
        try await received.spill(for: job)
        try append(20_000..<30_000, to: received)
        try await received.spill(for: job)
        try append(30_000..<50_000, to: received)
        return received
    }

    @Test func bytesInTheFileAndInMemoryAreReadAsOneBody() async throws {
        let received = try await spilled()
        #expect(received.progress.received == 50_000 && received.all == whole)
        #expect(received.head(64) == whole.prefix(64))
        for offset in [0, 1, 19_999, 20_000, 29_999, 30_000, 49_999, 50_000, 60_000] {
            #expect(received.bytes(from: offset) == whole.dropFirst(offset), "from \(offset)")
        }
    }

    @Test func takeAllReturnsAllBytes() async throws {
        let received = try await spilled()
        let taken = try await received.takeAll(for: job).data
        #expect(taken == whole && received.progress.received == 0 && received.all.isEmpty)
    }

    @Test func partsAfterTheFileAreOneBodyWithIt() async throws {
        let received = ReceivedBytes(limit: 50_000)
        try received.append(Data(whole[0..<20_000]))
        try await received.spill(for: job)
        for start in [20_000, 30_000] { try received.append(Data(whole[start..<start + 10_000])) }
        try await received.spill(for: job)
        try received.append(Data(whole[40_000...]))
        #expect(received.progress.received == 50_000 && received.all == whole)
        expectError(.limitExceeded) { try received.append(Data([0])) }
        try await received.spill(for: job)
        expectError(.limitExceeded) { try received.append(Data([0])) }
        #expect(try await received.takeAll(for: job).data == whole)
    }

    @Test(arguments: [0, 19_999, 20_000, 29_999, 30_000, 50_000])
    func atMostSoManyBytesAreRead(_ offset: Int) async throws {
        let received = try await spilled()
        for maximum in [0, 1, 5_000, 25_000, 60_000] {
            let expected = whole.dropFirst(offset).prefix(maximum)
            #expect(received.bytes(from: offset, atMost: maximum) == expected, "\(maximum)")
        }
    }

    /// Collecting a body that broke off must not block, so that bytes behind the file are left out.
    @Test func aBodyThatBrokeOffIsMappedUpToTheEndOfItsFile() async throws {
        let received = try await spilled()
        let resumable = received.resumable
        #expect(resumable == whole.prefix(30_000) && received.all == whole)
        received.restart()
        #expect(resumable == whole.prefix(30_000) && received.resumable.isEmpty)
        try append(0..<20_000, to: received)
        #expect(received.resumable == whole.prefix(20_000))
    }

    @Test func theLimitIncludesBytesInTheFile() async throws {
        let received = try await spilled()
        expectError(.limitExceeded) { try append(0..<1, to: received) }
    }

    @Test func theMappedBytesOutliveTheLoad() async throws {
        let taken = try await spilled().takeAll(for: job).data
        #expect(taken == whole)
    }

    /// The part that is still in memory is not the body.
    @Test func aFileThatCannotBeReadGivesNothing() async throws {
        let received = ReceivedBytes(limit: .max)
        let file = try SpillFile(in: SpillFile.folder)
        try file.write(Data(whole.prefix(20_000)), at: 0)
        received.replaceContents(Spilled(file: file, count: 20_001))
        try append(20_000..<30_000, to: received)
        #expect(received.bytes(from: 0) == nil && received.bytes(from: 10_000) == nil && received.all.isEmpty)
        #expect(received.bytes(from: 20_001) == whole[20_000..<30_000])
        #expect(received.head(64) == whole.prefix(64))
    }

    private final class Follower: SpillFollower {
        let bytes = Locked(Data())

        func didWrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
            self.bytes.withLock { $0.replaceSubrange(offset..., with: bytes) }
        }
    }

    /// A file that cannot be written any more, as on a full disk, after it has 20,000 bytes.
    private func fullFile(_ follower: Follower) throws -> SpillFile {
        let descriptor = open(SpillFile.folder, O_RDWR | SpillFile.withoutName, 0o600)
        let file = SpillFile(descriptor, follower: follower)
        try file.write(whole.prefix(20_000), at: 0)
        let readable = open("/proc/self/fd/\(descriptor)", O_RDONLY)
        defer { close(readable) }
        #expect(readable >= 0 && dup2(readable, descriptor) == descriptor)
        return file
    }

    /// No cache is required: a small body returns to memory, and a large one moves to another file.
    @Test(arguments: [false, true]) func aBodyLeavesTheFullDiskOfACache(_ isLarge: Bool) async throws {
        let (received, follower) = (ReceivedBytes(limit: .max), Follower())
        received.replaceContents(Spilled(file: try fullFile(follower), count: 20_000))
        let rest = whole[20_000...] + Data(repeating: 7, count: isLarge ? 9 << 20 : 0)
        try received.append(rest)
        try await received.spill(for: job)
        #expect(received.spillState.hasFile == isLarge && !received.spillState.usesCache)
        #expect(follower.bytes.withLock { $0 } == whole.prefix(20_000))
        let taken = try await received.takeAll(for: job)
        #expect(taken.data == whole.prefix(20_000) + rest && taken.file?.follower == nil)
    }

    /// Without a file of the cache, a body stays in memory as long as without a cache.
    @Test func aBodyOfACacheWithoutAFileStaysInMemory() async throws {
        let received = ReceivedBytes(limit: .max, for: FakeDataCache())
        let part = Data(repeating: 5, count: 3 << 20)
        try received.append(part)
        #expect(received.isWorthSpilling)
        try await received.spill(for: job)
        #expect(!received.spillState.hasFile && !received.isWorthSpilling && received.all == part)
        for _ in 0..<2 { try received.append(part) }
        #expect(received.isWorthSpilling)
        try await received.spill(for: job)
        #expect(received.spillState.hasFile && received.all == part + part + part)
    }

    @Test func aFileIsClaimedOnce() throws {
        let file = try SpillFile(in: SpillFile.folder)
        #expect(file.claim() != nil && file.claim() == nil)
        file.returnClaim()
        #expect(file.claim() != nil)
    }

    @Test func aFolderThatCannotBeWrittenIsAnError() {
        expectError(.unwritable) { _ = try SpillFile(in: "/dev/null") }
    }
}

extension FakeDataCache: SpillFileMaker {
    package func makeSpillFile(for byteCount: Int) -> SpillFile? { nil }
}
