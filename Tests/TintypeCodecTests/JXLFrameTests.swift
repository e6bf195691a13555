import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// JPEG XLs with frames that are not shown by themselves, and other rare features.
@Suite struct JXLFrameTests {
    /// 64×64 pixels in two low-frequency frames and one that is shown: `cjxl --progressive_dc=2 -q 80`.
    private static let lowFrequencies = """
        /wpPQEJxIQoRAABgAAA4AFgAWEooNCJOAzpgABoJZ0m2JwseEuLDBAAAaAWSVZJtknX+/8oCAFChMsq4wcu5ni8/dFhM27jO0Fbb\
        FpYkQikksUYDSDUaKvsy3ELdEt0CGW6hbolugQy3ULdEt0CGW6hbolsgwy3ULdEtkOEW6pboFshwC3VLdAtkuIW6JboFMtxC3RLd\
        AhluoW6JboEMt1C3RLdAhluoW6JbIMMt1C3RLZDhFuqW6BbIcAt1S3QLZLiFuiW6BTLcQt0S3QIppHCrtVYKwPyH7l7/pBspihyf\
        f5ZK/mzruhF/SgCotDO39PsgbA1pnX5zGFmRgWCr0KhEhiLWM3XkDjCOdBUHU3h9AsQBPXnKc3RlCjQbq6k0P2gtEguaWAcrkkc7\
        XRX3BMFq/LpLBpupfbIyqBWAbfOHV2xA4xBPx84K8DCgk24p4CGgG8D8zVh12gYvc8mRt32M1KNrJ4FXwktrM7MAfLoLYDh+yJpT\
        G6UKG8PdYZtGW2LbQQAB4MMEEowBs3gJAIAKlVHGDV7O9Xz5ocNi2sZ1hrbatrAkEUohiTSIuz2QAkoYO8+t0gAAAAAAAACACilw\
        Bqo78mK8eDEeangbwDPgPGDic/o3DFqAEOPfwzGRReMzWUbNtFxx4cLDhVBL
        """

    /// 2304×16 pixels in a low-frequency frame of two groups in another order, and one that is shown:
    /// `cjxl --progressive_dc=1 --group_order=1 -q 10`.
    private static let reordered = """
        /wp4gP4RSCguBAoBACUAbAAAAAAAAAAAOABYAFhKEgkSGDgEQUixTf5/AlIWAADcogbgAwXCgFKo2KD8wGkGiAACIMAAAAAAAAAAAAAA\
        AAAAAACJWQwAgAqVUcYNXs71fPmhw2LaxnWGttq2sCQRSoEUO9g//2cHHjFB2BX/dLw7AQD4AUFJAg==
        """

    /// 16×16 pixels in two frames of an animation, each behind a low-frequency frame: `cjxl --progressive_dc=1 -d 9 -e
    /// 3`.
    private static let animation = """
        /wpDBAHYUFwSCgQAAIQAADgAWABYShLFgoUkVkLcDQAAcICQ+kkpLClSkFEAfu+w4MMEkExgAHQB6WMLAIAKlVHGDV7O9Xz5ocNi\
        2sZ1hrbatrAkkRiZtxIA4IB3ghSeIScTKSh2gMSc+HlrABQsXyOvKDu/2mw2ncPOARw82mECANAzlSQOEG87RC8mdah8LyZ1qDwA\
        CgQAAIgAADgAWABYShLFgoUkVkLcDQAAQMAV+kkpBrt3pWWjADxfEODDRAQw4AECmUiyMABMAeljCwCACpVRxg1ezvV8+aHDYtrG\
        dYa22rawJJGYMa43AADgTgBnksQBqlvcC3iytqoGo21bM7NyweCo6pzzDnxfJYkS4xZ+Q9AO6aG/VCAd0kMB
        """

    /// A line of 96×48 pixels of text, each letter of which is a part of an earlier frame: `cjxl -d 2 -e 7`.
    private static let text = """
        /wrLQUJxIQwlAggCAIQCwGOAfoB+Sig0Fh6FawoKSgJAUDnGyGijQoE6xGj/+wu8sO9p76tYxoPUfszHrppQZsF34gSUS1B0GVDIrVET\
        EyR/bSArwQI1AS2EKOYJwdennKCIBsGQWE9AESRYmikTCsX1pMj0Y3QoslktKlSJ4YW+tsOMx9GTGP35Z+EETKqUS1mzthMTZCBOLeO4\
        BsolGxQRc+4g6xxrnzKhABlKigxQMIEEFA4SyjBuNyNgO8+HJEIRilAH/hChCEUoWGxmPyIRilCEWpVLAABUqIwybvByrufLDx0W0zau\
        M7TVtoUljM32wiBhAsCACuBg6lpL8RqCUiqA4hekD2dBwRTCl/NhoUkAQI8vg6wL9YPyEUITRBRjqBAQwg8okRSPWh5J4Mf7zw7MmYRV\
        KEoI5fwY50VHAVnwaYCrYykpaE177UbhiRysBMPYfPyOhAE4OyqkwAYAditRJPN4R+bHGGP8j/Fj/DACC6w30Ec83BowCCeUpmMfvkJi\
        guzdpjnnjxJMD3QIMx5Rs4pvJkCknFvml/Wg9pWH75oIE2bbk0RmfMuQAF1oR4ndxGf9W0yWBvX6cQ311BORSKRof5LxnrutX2jact0t\
        eokaoEhwoUf0PSOl+5k9qJN+Ta+W0tHJF3hQXjXTA4d8RwKT5wYWuvihM2ps8PaaWF/QHuWp0FLNeT09Shbu89BNYOjdIUwv/REO+M44\
        sUo35wsQNJS6D8QgHTbsdOEdtFoxFIx61C1ovtEJUQ6c8CsW/aklN1RR2aNUni1c5cUfmEWU/923YEECOHX/przYB6EOqALaJD0KRZwZ\
        q5tvOQFkm+VTVyJlKJPI8JdAh2ifr46KaH+2cyl0QwwEuNlLVRQhikne9NUg/RDidTFy1kmdeQaJTiYDBt0pjEycyRKgOyMBLwvd8cXY\
        iXYtdtSLDXjO36YBtRplSTHdmPbtZDezLHAfP17I/NAAHp6GIbEWNm/OrQZhOk5C/aJsp8jHY4Va/vuDtAUSNuyOuJXrOWca/CsP19Af\
        xWChHq+yW6puByj+3N92ckFyqptTg6fPUOXET/eIA40iTuOqxRcxOc21+2B5c1XDO9QomTyB46FZEeFf/i0hzZ/3MZEAGSTE2HEx5dOw\
        DKf9BLOG4dTH4fMdlQk5TcIDRVq3KW5ON9W+cSH7fev7dYIjBiMBrCEF/fa00PeF9a+lLpD388UD4eMGEsly5BlzYCEi+FZ6Kk2F0r+7\
        s2XE6vaCQC5E/0cyu6kGxuuQFZ6Oc10m9jiCU0T+s4jT5cGbtNUKsMU4b0gzPWpQXKTTeon58K5bTABcZuYjAH0G2D7dB4JTtAmNIN/M\
        aSimIIQreu2j2kKxkBjJ9Oqnc+8YGpC615mkIz+pqsz5TcVQwmKo0IHac8PCq4ODt6xG70MnXvUKjNHntfhMOwYt9V4F
        """

    /// 8×8 pixels with 12 extra channels of depth. Red rises from left to right, green from top to bottom.
    private static let channels = """
        AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAAD1anhsY/8KQUBVAAEEEEAAAQQQQAABBBBAAggAAAACAAA\
        AAQAwA0sSCRIYOATBJAWFyVig011qNHkcpXImxqgYJ8Y4McY5AEBzoADDgQTwOwJysAEADMRAFIkkARIEQgAGABERDEEYQQwEMAREGD\
        GQQDAAYcRAAsFAhBHIyATjERZE+bz/K1L+n2SqLz0coLCwtYj97+AP5Mk7wrBn3D8PW0hMfrrhO3ESSjwi6nzARKpd/d/82PGorqjml\
        gcS38hfjKQdmsLRy04QlBeAYaAMuGGACD5Jn8pKRgD8b+rMLLHxDJRRDLTwYpNUIqN8K0TYmA==
        """

    /// 8×8 black pixels behind a preview frame of the same size.
    private static let preview = "/wpBhAWBnAiDBAwASyAYCIMEDABLIBg="

    private func file(_ encoded: String) throws -> Data { try #require(Data(base64Encoded: encoded)) }

    private func decode(_ data: Data) throws -> Image { try JXLDecoder().decode(data, context: DecodeContext()) }

    /// Returns a container whose boxes have `count` bytes of the codestream each.
    private func boxed(_ codestream: Data, each count: Int) -> Data {
        func box(_ type: String, _ contents: Data) -> Data {
            PNGBuilder.bigEndian(UInt32(8 + contents.count)) + Data(type.utf8) + contents
        }
        var file = box("JXL ", Data([0x0D, 0x0A, 0x87, 0x0A]))
        file += box("ftyp", Data("jxl \0\0\0\0jxl ".utf8))
        for start in stride(from: 0, to: codestream.count, by: count) {
            let isLast = start + count >= codestream.count
            let index = UInt32(start / count) | (isLast ? 0x8000_0000 : 0)
            file += box("jxlp", PNGBuilder.bigEndian(index) + codestream.dropFirst(start).prefix(count))
        }
        return file
    }

    // MARK: Hidden frames

    @Test(arguments: [1, 3, 7, 8, 40, 200]) func boxesMayDivideAnyFrame(_ boxLength: Int) throws {
        for encoded in [Self.lowFrequencies, Self.reordered, Self.text] {
            let whole = try decode(file(encoded))
            let image = try decode(boxed(file(encoded), each: boxLength))
            #expect(PixelDifference(between: image.pixels, and: whole.pixels)?.maximum == 0)
        }
        let animation = try decode(boxed(file(Self.animation), each: boxLength))
        #expect(animation.info.frameCount == 2)
        #expect(try #require(animation.animation).frame(at: 1).size == PixelSize(width: 16, height: 16))
    }

    @Test func anImageInAnotherOrderIsDecoded() throws {
        #expect(try decode(file(Self.reordered)).size == PixelSize(width: 2304, height: 16))
    }

    /// The low frequencies of the shown frame arrive first.
    @Test func anImageWithHiddenFramesHasPreviews() throws {
        let data = try file(Self.lowFrequencies)
        let all = try JXLDecoder().previews(data, piece: 50)
        let last = try #require(all.last)
        #expect(try PixelDifference(between: last.pixels, and: decode(data).pixels)?.maximum == 0)
    }

    @Test func anImageWithHiddenFramesCutAnywhereIsAnError() throws {
        let data = try file(Self.lowFrequencies)
        for count in 0..<data.count { expectError(.undecodable) { _ = try decode(data.prefix(count)) } }
    }

    /// A file may have millions of frames of which libjxl reports none.
    @Test func countingTheFramesIsCancelled() throws {
        let data = try FixtureManifest.named("rects.jxl").data
        expectError(.cancelled) {
            _ = try JXLDecoder().decode(data, context: DecodeContext(isCancelled: { true }))
        }
    }

    // MARK: Layers

    /// libjxl decodes all layers of which it has the bytes in one call, so it receives few bytes at a time.
    @Test func cancellationIsCheckedBetweenLayers() throws {
        let data = try FixtureManifest.named("layers.jxl").data
        let checks = CancellationChecks(passing: 5)
        expectError(.cancelled) {
            _ = try JXLDecoder().decode(data, context: DecodeContext(isCancelled: checks.isCancelled))
        }
        let all = CancellationChecks()
        _ = try JXLDecoder().decode(data, context: DecodeContext(isCancelled: all.isCancelled))
        #expect(all.count > data.count / 256)
    }

    @Test(arguments: ["layers.jxl", "layers-alpha.jxl"])
    func theLastPreviewOfLayersIsTheWholeImage(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let whole = try decode(data)
        for piece in [100, 1_000_000] {
            let last = try #require(try JXLDecoder().previews(data, piece: piece).last)
            #expect(PixelDifference(between: last.pixels, and: whole.pixels)?.maximum == 0)
        }
    }

    // MARK: Features

    @Test func patchesThatAnEncoderWritesAreDrawn() throws {
        let pixels = try decode(file(Self.text)).pixels
        #expect(pixels.size == PixelSize(width: 96, height: 48))
        // Without patches, hardly any pixel would be dark.
        let all = (0..<48).flatMap { y in (0..<96).map { x in pixels[x, y] } }
        #expect(all.count { $0.red < 128 } > 800)
    }

    @Test func extraChannelsAreIgnored() throws {
        let pixels = try decode(file(Self.channels)).pixels
        #expect(pixels[3, 5] == Pixel(red: 90, green: 150, blue: 200))
        #expect(pixels.size == PixelSize(width: 8, height: 8) && pixels.isOpaque)
    }

    @Test func theFrameBehindAPreviewFrameIsShown() throws {
        let image = try decode(file(Self.preview))
        #expect(image.size == PixelSize(width: 8, height: 8) && image.info.frameCount == 1)
        #expect(image.pixels[3, 3] == Pixel(red: 0, green: 0, blue: 0))
    }
}
