import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeViews

@Suite(.timeLimited) @MainActor struct ExpectedSizeTests {
    private static let large = ImageInfo(format: .png, size: PixelSize(width: 400, height: 300))
    private let view = ViewFixture(PipelineFixture(info: large, loader: .ofViews()))
    private var fixture: PipelineFixture { view.fixture }
    private var display: FakeDisplay { view.display }

    // MARK: The size of a rendition

    @Test(arguments: [
        (DecodeOptions(), PixelSize(width: 400, height: 300)),
        (DecodeOptions(size: .fit(PixelSize(width: 100, height: 100))), PixelSize(width: 100, height: 75)),
        (DecodeOptions(size: .cover(PixelSize(width: 100, height: 100))), PixelSize(width: 133, height: 100)),
        (
            DecodeOptions(crop: PixelRect(x: 300, y: 0, size: PixelSize(width: 200, height: 50))),
            PixelSize(width: 100, height: 50)
        ),
    ])
    func theHeaderTellsTheSizeOfTheRendition(_ options: DecodeOptions, _ size: PixelSize) {
        let expected = ExpectedSize(Self.large, as: Rendition(decode: options))
        #expect(expected?.size == size && expected?.basis == .header)
    }

    @Test func aVectorImageIsDrawnAtTheRequestedSize() {
        let info = ImageInfo(format: .svg, size: PixelSize(width: 10, height: 10))
        let rendition = Rendition(decode: DecodeOptions(size: .fit(PixelSize(width: 64, height: 64))))
        #expect(ExpectedSize(info, as: rendition)?.size == PixelSize(width: 64, height: 64))
    }

    @Test func transformsThatMayChangeTheSizeLeaveItUnknown() {
        let cropping = Rendition(transforms: [CountingTransformer(identifier: "any")])
        #expect(ExpectedSize(Self.large, as: cropping) == nil)
        let tinting = Rendition(transforms: [TintTransformer(Color(red: 255, green: 0, blue: 0))])
        #expect(ExpectedSize(Self.large, as: tinting)?.size == Self.large.size)
        // Vector images are not transformed unless the request says so.
        let vector = ImageInfo(format: .svg, size: PixelSize(width: 10, height: 10))
        #expect(ExpectedSize(vector, as: cropping)?.size == vector.size)
    }

    @Test func theAspectRatioOfAnEmptySizeIsOne() {
        #expect(ExpectedSize(PixelSize(width: 3, height: 2), basis: .hint).aspectRatio == 1.5)
        #expect(ExpectedSize(PixelSize(width: 3, height: 0), basis: .hint).aspectRatio == 1)
    }

    // MARK: Calls of the display

    @Test func theHintIsKnownAtOnce() throws {
        let hint = PixelSize(width: 40, height: 30)
        _ = view.load(
            "a", Presentation(whileLoading: .placeholder(try .pixel()), start: .deferred, expectedSize: hint))
        #expect(display.expected == [ExpectedSize(hint, basis: .hint)])
        #expect(view.binding.expectedSize?.basis == .hint)
    }

    @Test func thePlaceholderTellsTheShape() throws {
        let placeholder = try Image.white(PixelSize(width: 32, height: 24))
        _ = view.load("a", Presentation(whileLoading: .placeholder(placeholder), start: .deferred))
        #expect(display.expected == [ExpectedSize(placeholder.size, basis: .placeholder)])
        // The next load knows nothing.
        _ = view.load("b", Presentation(start: .deferred))
        #expect(display.expected.count == 2 && display.expected.last == .some(nil))
    }

    @Test func anImageInMemoryNeedsNoExpectation() async throws {
        _ = try await view.storeInMemory()
        _ = view.load("a", Presentation(expectedSize: PixelSize(width: 1, height: 1)))
        #expect(display.expected == [])
    }

    @Test func theFormerImageKeepsItsShape() async throws {
        _ = try await view.storeInMemory()
        _ = view.load("a")
        _ = view.load("b", Presentation(whileLoading: .current, start: .deferred))
        #expect(display.expected == [])
    }

    @Test func theHeaderIsKnownBeforeTheRestHasArrived() async throws {
        let gate = view.gate()
        let receiver = view.load("a") { $0.rendition.decode.size = .fit(PixelSize(width: 100, height: 100)) }
        await gate.waitForArrivals(1)
        try view.receive(80, of: 108)
        while display.expected.isEmpty { try await Task.pause() }
        // A view that takes the size of its image does not change when the pixels have arrived.
        #expect(
            display.expected == [
                ExpectedSize(PixelSize(width: 100, height: 75), basis: .header, unscaled: Self.large.size)
            ])
        #expect(receiver.headers.now == [Self.large.size] && display.shown.isEmpty)
        gate.open()
        await receiver.end()
        #expect(display.expected.count == 1)
    }

    @Test func aHintMakesTheHeaderUnnecessary() async throws {
        let gate = view.gate()
        let receiver = view.load("a", Presentation(expectedSize: PixelSize(width: 4, height: 3)))
        #expect(view.binding.task?.request.policy.delivery.header == .withImage)
        gate.open()
        await receiver.end()
        #expect(receiver.headers.now == [])
    }
}

/// The header as an event of any load.
@Suite(.timeLimited) struct EarlyHeaderTests {
    private static let size = PixelSize(width: 400, height: 300)
    private let fixture = PipelineFixture(info: ImageInfo(format: .png, size: size))
    private let gate = Gate()

    private func start(_ header: LoadPolicy.HeaderDelivery) -> ImageTask {
        fixture.pipeline.start(fixture.request().with { $0.policy.delivery.header = header })
    }

    private func receiveFirstBytes() throws {
        try receive(PipelineFixture.png, in: fixture)
    }

    private func receive(_ data: Data, in fixture: PipelineFixture) throws {
        let received = try #require(fixture.loader.lastContext(fixture.identity())).received
        try received.expect(1000)
        try data.withTypedBytes { bytes throws(TintypeError) in try received.append(bytes) }
    }

    private func headers(_ task: ImageTask) async -> [PixelSize] {
        var sizes: [PixelSize] = []
        for await event in task.events {
            guard case .info(let info) = event else { continue }
            sizes.append(info.size)
            gate.open()
        }
        return sizes
    }

    @Test func theHeaderArrivesOnceAndBeforeTheImage() async throws {
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let task = start(.early)
        async let headers = headers(task)
        await gate.waitForArrivals(1)
        try receiveFirstBytes()
        #expect(await headers == [Self.size])
        // It opened the gate, so it came before the image. Later listeners get it as well.
        #expect(await self.headers(task) == [Self.size])
    }

    @Test func onlyRequestsThatAskForTheHeaderGetItAndTheyShareTheirWork() async throws {
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let (asking, other) = (start(.early), start(.withImage))
        async let none = headers(other)
        async let one = headers(asking)
        await gate.waitForArrivals(1)
        try receiveFirstBytes()
        #expect(await one == [Self.size])
        #expect(await none == [])
        #expect(fixture.loader.count(fixture.identity()) == 1 && fixture.decoder.decodeCount == 1)
    }

    /// The limits of decoding apply, because a view reserves space of this size.
    @Test func aHeaderBeyondTheLimitsIsNotDelivered() async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: Self.size)) { $0.decodeLimits.pixels = 100 }
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let task = fixture.pipeline.start(fixture.request().with { $0.policy.delivery.header = .early })
        await gate.waitForArrivals(1)
        try receive(PipelineFixture.png, in: fixture)
        gate.open()
        #expect(await headers(task) == [])
    }

    /// The first bytes of an SVG may end before its root element.
    @Test func theHeaderOfAnSVGWithALongPrologArrives() async throws {
        let info = ImageInfo(format: .svg, size: Self.size)
        let fixture = PipelineFixture {
            $0.coders = ImageCoderRegistry(decoders: [GatedDecoder(formats: [.svg], info: info)])
        }
        let prolog = Data("<?xml version=\"1.0\"?><!-- \(String(repeating: "x", count: 80)) -->".utf8)
        let root = Data("<svg xmlns=\"http://www.w3.org/2000/svg\">\(String(repeating: " ", count: 200))</svg>".utf8)
        fixture.answer("a", .gated(gate, .data(prolog + root)))
        let task = fixture.pipeline.start(fixture.request().with { $0.policy.delivery.header = .early })
        async let headers = headers(task)
        await gate.waitForArrivals(1)
        try receive(prolog, in: fixture)
        try receive(root, in: fixture)
        #expect(await headers == [Self.size])
    }

    @Test func withoutARequestForItNoHeaderIsRead() async throws {
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let task = start(.withImage)
        await gate.waitForArrivals(1)
        try receiveFirstBytes()
        gate.open()
        #expect(await headers(task) == [])
    }

    @Test func aLateSubscriberThatAsksForTheHeaderGetsIt() async throws {
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let first = start(.withImage)
        await gate.waitForArrivals(1)
        try receiveFirstBytes()
        #expect(await headers(start(.early)) == [Self.size])
        _ = try await first.response
    }
}

@Suite struct HeaderAttemptsTests {
    private func progress(_ received: Int, of expected: Int? = nil) -> LoadProgress {
        LoadProgress(received: received, expected: expected)
    }

    @Test func anAttemptNeedsBytesAndMoreToCome() {
        var attempts = HeaderAttempts()
        let tooEarly = attempts.begin(progress(FormatSniffer.length - 1))
        let complete = attempts.begin(progress(1000, of: 1000))
        let due = attempts.begin(progress(500, of: 1000))
        #expect(!tooEarly && !complete && due)
    }

    @Test func theFirstAttemptHasTheBytesThatChooseADecoder() {
        var attempts = HeaderAttempts(headLength: 4096)
        let (tooEarly, due) = (attempts.begin(progress(4095)), attempts.begin(progress(4096)))
        #expect(!tooEarly && due)
    }

    @Test func eachAttemptHasTwiceTheBytesOfTheOneBefore() {
        var attempts = HeaderAttempts()
        var counts: [Int] = []
        for received in stride(from: 1000, through: 4_000_000, by: 1000) where attempts.begin(progress(received)) {
            counts.append(received)
            _ = attempts.end(.success(nil))
        }
        #expect(counts.first == 1000 && counts.count == 12)
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $1 >= 2 * $0 })
    }

    @Test func attemptsDoNotOverlap() {
        var attempts = HeaderAttempts()
        let first = attempts.begin(progress(1000))
        let overlapping = attempts.begin(progress(9000))
        _ = attempts.end(.success(nil))
        let next = attempts.begin(progress(9000))
        #expect(first && !overlapping && next)
    }

    @Test(arguments: [
        Result<ImageInfo?, TintypeError>.success(ImageInfo(format: .png, size: PixelSize(width: 1, height: 1))),
        .failure(.cancelled),
    ])
    func noAttemptFollowsTheHeaderOrAnError(_ result: Result<ImageInfo?, TintypeError>) throws {
        var attempts = HeaderAttempts()
        _ = attempts.begin(progress(1000))
        #expect(attempts.end(result) == (try? result.get()))
        let another = attempts.begin(progress(100_000))
        #expect(!another)
    }
}
