import Foundation
import Testing
import TintypeCore
import TintypePNG

@testable import TintypeTerminal

/// Inline images of iTerm2. The PNG files are read by libpng.
@Suite struct ITermTests {
    private func commands(_ bytes: [UInt8]) throws -> [String] {
        try SequenceReader.items(bytes).compactMap { item in
            if case .string("]", let content) = item { String(decoding: content, as: UTF8.self) } else { nil }
        }
    }

    @Test(arguments: [false, true])
    func pixelsBecomeAFileThatOthersRead(_ isTranslucent: Bool) throws {
        let image = isTranslucent ? try TestImages.translucentDisc(33) : try TestImages.photo(33, 21)
        let bytes = try ITermImage.show(image, span: CellSpan(columns: 5, rows: 2))
        let command = try #require(try commands(bytes).first)
        let parts = command.split(separator: ":", maxSplits: 1)
        let file = try #require(Data(base64Encoded: String(parts[1])))
        #expect(
            parts[0] == "1337;File=inline=1;size=\(file.count);width=5;height=2;preserveAspectRatio=1")
        let decoded = try PNGDecoder().decode(file, context: DecodeContext()).pixels
        #expect(decoded.size == image.size)
        #expect(decoded.changedRect(from: image) == nil)
    }

    @Test func aFileIsPassedAsItIs() throws {
        let file = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) })
        let command = try #require(
            try commands(ITermImage.show(file: file, span: CellSpan(columns: 1, rows: 1))).first)
        #expect(command.hasSuffix(":" + file.base64EncodedString()))
    }

    @Test(arguments: [10, 150_000, 150_001, 400_000])
    func partsJoinToTheFile(_ count: Int) throws {
        let file = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let list = try commands(
            ITermImage.show(file: file, span: CellSpan(columns: 4, rows: 3), form: .multipart))
        #expect(list.first == "1337;MultipartFile=inline=1;size=\(count);width=4;height=3;preserveAspectRatio=1")
        #expect(list.last == "1337;FileEnd")
        let parts = list.dropFirst().dropLast().map { $0.dropFirst("1337;FilePart=".count) }
        #expect(parts.allSatisfy { $0.count <= ITermImage.partSize })
        #expect(Data(base64Encoded: parts.joined()) == file)
    }
}
