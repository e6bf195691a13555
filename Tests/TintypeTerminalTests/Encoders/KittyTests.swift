import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeTerminal

/// The kitty graphics protocol, read by a decoder of the tests.
@Suite struct KittyTests {
    @Test func anOpaqueImageIsSentWithoutAlpha() throws {
        let image = try TestImages.photo(61, 40)
        let placement = KittyCommand.Placement(image: 77, span: CellSpan(columns: 8, rows: 3))
        let commands = try KittyDecoder.commands(KittyCommand.show(try KittyPixels(image), placement))
        let command = try #require(commands.first)
        #expect(commands.count == 1)
        #expect(command.payload.count == 61 * 40 * 3)
        #expect(
            command.keys == [
                "a": "T", "i": "77", "p": "1", "C": "1", "c": "8", "r": "3", "f": "24", "s": "61", "v": "40", "q": "1",
                "m": "1",
            ])
        #expect(try KittyDecoder.colors(command) == image.colors(in: PixelRect(x: 0, y: 0, size: image.size)))
    }

    /// kitty blends straight alpha; premultiplied pixels would be too dark.
    @Test func aTranslucentImageIsSentWithStraightAlpha() throws {
        let image = try PixelBuffer.filled(
            Color(red: 255, green: 0, blue: 0, alpha: 128).pixel, size: PixelSize(width: 2, height: 2))
        let command = try #require(
            try KittyDecoder.commands(KittyCommand.show(try KittyPixels(image), .init(image: 1))).first)
        #expect(command.keys["f"] == "32")
        #expect(
            try KittyDecoder.colors(command)
                == Array(repeating: Color(red: 255, green: 0, blue: 0, alpha: 128), count: 4))
    }

    @Test func compressedPixelsAreTheSame() throws {
        let image = try TestImages.photo(50, 30)
        let pixels = try KittyPixels(image, compression: .zlib)
        #expect(pixels.bytes.count < 50 * 30 * 3)
        let command = try #require(try KittyDecoder.commands(KittyCommand.show(pixels, .init(image: 1))).first)
        #expect(command.keys["o"] == "z")
        #expect(try KittyDecoder.colors(command) == image.colors(in: PixelRect(x: 0, y: 0, size: image.size)))
    }

    @Test(arguments: [0, 1, 3071, 3072, 3073, 6144, 6145])
    func chunksJoinToThePayload(_ count: Int) throws {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let commands = try KittyDecoder.commands(KittyCommand.chunks("a=T,i=1", payload))
        #expect(commands.count == 1)
        #expect(commands.first?.payload == payload)
        let chunks = try SequenceReader.items(KittyCommand.chunks("a=T,i=1", payload)).count
        #expect(chunks == max(1, (count + 3071) / 3072))
    }

    @Test func everyChunkOfAFrameNamesItsAction() throws {
        let image = try TestImages.photo(64, 64)
        let bytes = KittyCommand.addFrame(
            try KittyPixels(image), image: 5, at: PixelRect(x: 3, y: 4, size: image.size), over: 1, gap: 40)
        let command = try #require(try KittyDecoder.commands(bytes).first)
        for (key, value) in ["a": "f", "i": "5", "x": "3", "y": "4", "c": "1", "z": "40", "X": "1"] {
            #expect(command.keys[key] == value)
        }
    }

    /// 0 plays forever, which the protocol writes as 1.
    @Test(arguments: [(0, "1"), (1, "2"), (3, "4")])
    func loopsAreCountedAsTheProtocolDoes(_ loops: Int, _ value: String) throws {
        let commands = try KittyDecoder.commands(KittyCommand.run(image: 9, firstGap: 120, loopCount: loops))
        #expect(commands.map { $0.keys["a"] } == ["a", "a"])
        #expect(commands.first?.keys["z"] == "120")
        #expect(commands.last?.keys["s"] == "3" && commands.last?.keys["v"] == value)
    }

    @Test func sharedMemoryHoldsThePixelsUntilItIsRemoved() throws {
        let image = try TestImages.photo(20, 10)
        let pixels = try KittyPixels(image)
        let shared = try SharedPixels(pixels.bytes)
        defer { shared.remove() }
        let bytes = KittyCommand.show(pixels, .init(image: 3), by: .sharedMemory(name: shared.name))
        #expect(bytes.count < 120)
        let command = try #require(try KittyDecoder.commands(bytes).first)
        #expect(command.keys["t"] == "s" && command.keys["S"] == "600")
        let file = "/dev/shm" + String(decoding: command.payload, as: UTF8.self)
        let stored = Array(try Data(contentsOf: URL(filePath: file)))
        #expect(
            try KittyDecoder.colors(command, shared: stored)
                == image.colors(in: PixelRect(x: 0, y: 0, size: image.size)))
        shared.remove()
        #expect(!FileManager.default.fileExists(atPath: file))
    }
}
