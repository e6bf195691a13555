import CLibJXL
import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCore
@testable import TintypeJXL

/// Libraries that decode and encode with several threads.
@Suite(.timeLimited) struct CodecThreadTests {
    private static func decoded(_ bytes: Data, threads: Int) throws -> Result<Image, TintypeError> {
        var context = DecodeContext(options: DecodeOptions(frames: .first))
        context.threads = threads
        let decoder = try ImageCoderRegistry.standard.decoder(for: bytes)
        return Result { () throws(TintypeError) in try decoder.decode(bytes, context: context) }
    }

    private static func expectEqualPixels(_ bytes: Data, _ name: String) throws {
        let one = try decoded(bytes, threads: 1)
        for threads in [2, 5] {
            switch (one, try decoded(bytes, threads: threads)) {
            case (.success(let one), .success(let several)):
                #expect(PixelDifference(between: one.pixels, and: several.pixels)?.maximum == 0, "\(name)")
            case (.failure(let one), .failure(let several)): #expect(one.code == several.code, "\(name)")
            case (_, .failure(let error)), (.failure(let error), _):
                Issue.record("\(name) with \(threads) threads: \(error)")
            }
        }
    }

    @Test(arguments: FixtureManifest.all.filter { ["avif", "heic", "jxl"].contains($0.format) })
    func thePixelsDoNotDependOnTheNumberOfThreads(_ fixture: FixtureManifest.Fixture) throws {
        try Self.expectEqualPixels(fixture.data, fixture.name)
    }

    /// An image of several groups of JPEG XL and several superblocks of AV1 and HEVC.
    private static func noise() throws -> PixelBuffer {
        var random = SeededRandom(seed: 5)
        return try .drawn(PixelSize(width: 700, height: 520)) { x, y in
            Pixel(red: UInt8(x & 255), green: UInt8.random(in: 0...99, using: &random), blue: UInt8(y & 255))
        }
    }

    @Test(arguments: [ImageFormat.avif, .heic, .jxl]) func aLargeImageIsTheSame(_ format: ImageFormat) throws {
        let options = EncodeOptions(quality: 0.8)
        let bytes = try ImageCoderRegistry.standard.encode(Self.noise(), as: format, options: options)
        try Self.expectEqualPixels(bytes, format.rawValue)
    }

    /// Long pieces have several groups, which threads decode at once. Elsewhere libjxl gets short ones, so that every
    /// piece is followed by a check.
    @Test(arguments: [false, true]) func libjxlGetsLongPiecesWhereAHostEndsTheProcess(_ isEndedByHost: Bool) throws {
        let noise = try Self.noise()
        let bytes = try JXLEncoder().encode(noise, as: .jxl, options: EncodeOptions(quality: 1))
        let checks = Locked(0)
        var context = DecodeContext(isCancelled: {
            checks.withLock { $0 += 1 }
            return false
        })
        (context.threads, context.isEndedByHost) = (4, isEndedByHost)
        let pixels = try JXLDecoder().decode(bytes, context: context).pixels
        #expect(PixelDifference(between: pixels, and: noise)?.maximum == 0)
        #expect((checks.withLock { $0 } < bytes.count / JXLReader.pixelStep) == isEndedByHost)
    }

    /// With no thread to borrow, and with those that idle.
    @Test func aWrittenFileDoesNotDependOnTheNumberOfThreads() throws {
        let noise = try Self.noise()
        func encoded() throws -> Data {
            try JXLEncoder().encode(noise, as: .jxl, options: EncodeOptions(quality: 0.8))
        }
        let several = try encoded()
        let lent = WorkQueue.pixels.lend(atMost: .max)
        defer { WorkQueue.pixels.takeBack(lent) }
        #expect(try encoded() == several)
    }

    // MARK: The runner of libjxl

    /// What a run calls.
    private final class Calls: Sendable {
        let threadCount = Locked(0)
        let numbers = Locked<[UInt32]>([])
        let threads = Locked<Set<Int>>([])
    }

    private func run(_ threads: Int, _ range: Range<UInt32>, failure: Int32 = 0) -> (Calls, Int32) {
        let calls = Calls()
        var answer = failure
        let result = withUnsafeMutablePointer(to: &answer) { answer in
            withExtendedLifetime(calls) {
                var both = (Unmanaged.passUnretained(calls).toOpaque(), answer)
                return withUnsafeMutablePointer(to: &both) { both in
                    JXLThreads.run(
                        JXLThreads.context(threads), both,
                        { both, count in
                            let both = both?.load(as: (UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>).self)
                            guard let both else { return -1 }
                            let calls = Unmanaged<Calls>.fromOpaque(both.0).takeUnretainedValue()
                            calls.threadCount.withLock { $0 = count }
                            return both.1.pointee
                        },
                        { both, number, thread in
                            guard let calls = both?.load(as: UnsafeMutableRawPointer.self) else { return }
                            let list = Unmanaged<Calls>.fromOpaque(calls).takeUnretainedValue()
                            list.numbers.withLock { $0.append(number) }
                            list.threads.withLock { _ = $0.insert(thread) }
                        }, range.lowerBound, range.upperBound)
                }
            }
        }
        return (calls, result)
    }

    @Test(arguments: [(1, 10), (4, 10), (4, 2), (3, 1000)]) func eachPartIsDoneOnce(_ threads: Int, _ count: Int) {
        let (calls, result) = run(threads, 5..<UInt32(5 + count))
        #expect(result == 0 && calls.threadCount.withLock { $0 } == min(threads, count))
        #expect(calls.numbers.withLock { $0.sorted() } == Array(5..<UInt32(5 + count)))
        #expect(calls.threads.withLock { $0.allSatisfy { (0..<min(threads, count)).contains($0) } })
    }

    @Test func anEmptyRangeHasNoParts() {
        let (calls, result) = run(4, 5..<5)
        #expect(result == 0 && calls.numbers.withLock { $0.isEmpty } && calls.threadCount.withLock { $0 } == 1)
    }

    @Test func nothingIsDoneAfterAFailure() {
        let (calls, result) = run(2, 0..<10, failure: 7)
        #expect(result == 7 && calls.numbers.withLock { $0.isEmpty })
    }
}
