import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// Every fixture, decoded in this process and in a worker: the same pixels, properties and errors.
@Suite(.timeLimited) struct SandboxFixtureTests {
    private static let inProcess = ImageCoderRegistry.standard.sandboxed(SandboxConfiguration(.none))
    private static let inWorkers = ImageCoderRegistry.standard.sandboxed(SandboxConfiguration(.all))

    private func decode(
        _ data: Data, _ coders: ImageCoderRegistry, _ options: DecodeOptions
    ) -> Result<Image, TintypeError> {
        Result { () throws(TintypeError) in
            try coders.decoder(for: data).decodeChecked(data, context: DecodeContext(options: options))
        }
    }

    private func expectEqual(_ data: Data, _ options: DecodeOptions) throws {
        switch (decode(data, Self.inProcess, options), decode(data, Self.inWorkers, options)) {
        case (.success(let own), .success(let other)):
            #expect(own.info == other.info && own.isPartial == other.isPartial && own.scale == other.scale)
            #expect(own.pixels.rows == other.pixels.rows)
            #expect(own.exif?.bytes == other.exif?.bytes && own.metadata == other.metadata)
            #expect(own.highRange?.rows.rows == other.highRange?.rows.rows)
            #expect(own.animation?.durations == other.animation?.durations)
            #expect(own.animation?.loopCount == other.animation?.loopCount)
            for index in 0..<min(own.animation?.frameCount ?? 0, 6) {
                #expect(try own.animation?.frame(at: index).rows == other.animation?.frame(at: index).rows)
            }
        case (.failure(let own), .failure(let other)):
            #expect(own.code == other.code && own.limit == other.limit && own.message == other.message)
        case (let own, let other): Issue.record("\(own) in this process, \(other) in a worker")
        }
    }

    @Test(arguments: FixtureManifest.all.filter(\.valid)) func aFixtureIsTheSameInAWorker(
        _ fixture: FixtureManifest.Fixture
    ) throws {
        let data = try fixture.data
        let part = PixelRect(x: 1, y: 1, size: PixelSize(width: 7, height: 5))
        var strict = DecodeOptions(range: .high, keepsExif: true)
        strict.damageTolerance = .none
        var rich = DecodeOptions(size: .fit(PixelSize(width: 9, height: 9)), embeddedThumbnail: .whereLargeEnough)
        rich.keepsMetadata = true
        for options in [strict, rich, DecodeOptions(crop: part), DecodeOptions(size: .noPixels, frames: .first)] {
            try expectEqual(data, options)
        }
    }

    @Test(arguments: FixtureManifest.all) func whatRemainsOfAFixtureIsTheSameInAWorker(
        _ fixture: FixtureManifest.Fixture
    ) throws {
        let data = try fixture.data
        var options = DecodeOptions()
        options.allowsPartial = true
        for data in [data, data.prefix(data.count / 2)] { try expectEqual(data, options) }
    }

    @Test(arguments: FixtureManifest.all.filter(\.valid)) func previewsAreTheSameInAWorker(
        _ fixture: FixtureManifest.Fixture
    ) throws {
        let data = try fixture.data
        func previews(_ coders: ImageCoderRegistry) throws -> [Data] {
            let decoder = try coders.decoder(for: data).makeIncrementalDecoder(context: DecodeContext())
            let step = max(1, data.count / 5)
            let pieces = stride(from: 0, to: data.count, by: step).map { data.dropFirst($0).prefix(step) }
            return try pieces.compactMap { try decoder?.append($0)?.pixels.rows }
        }
        let (own, other) = (try previews(Self.inProcess), try previews(Self.inWorkers))
        #expect(own.last == other.last)
        // A GIF that turns out to be animated is shown by its frames from then on.
        if fixture.format != "gif" { #expect(own == other) }
    }
}
