import Foundation
import Testing
import TintypeAVIF
import TintypeCore
import TintypeTesting

/// The chroma of AVIF 4:2:0, which is interpolated between its samples, whatever the depth.
@Suite struct AVIFChromaTests {
    /// 32×24 pixels of red and blue squares of 6 pixels, by `avifenc -y 420 --min 0 --max 0` with 10 bits.
    private static let tenBits = """
        AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2aW
        YAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAADUAAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29s
        b3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAACAAAAAYAAAAEHBpeGkAAAAAAwoKCgAAAAxhdjFDgQBMAAAAABNjb2xybmNseAABAA
        0ABoAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAAD1tZGF0EgAKCRgRP35oCGg0IDImRAAAqLsKqLjpewbiqPEfcW2GD0/avtDDGueFMCWL2/Qa
        fSuoHXg=
        """
    /// The same with 12 bits.
    private static let twelveBits = """
        AAAAHGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZgAAAPJtZXRhAAAAAAAAAChoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAbGliYXZpZgAAAA
        AOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAEWAAAANwAAAChpaW5mAAAAAAABAAAAGmluZmUCAAAAAAEAAGF2MDFDb2xvcgAA
        AABqaXBycAAAAEtpcGNvAAAAFGlzcGUAAAAAAAAAIAAAABgAAAAQcGl4aQAAAAADDAwMAAAADGF2MUOBQGwAAAAAE2NvbHJuY2x4AAEADQAGgA
        AAABdpcG1hAAAAAAAAAAEAAQQBAoMEAAAAP21kYXQSAAoJWBE/fnQENBuEMihEAACouwthMXeE1ZTeIa079xbYYPT9q+0MMa54UvGBqRv0Gn0r
        qB14
        """

    private func pixels(_ base64: String) throws -> PixelBuffer {
        let data = try #require(Data(base64Encoded: base64, options: .ignoreUnknownCharacters))
        return try AVIFDecoder().decode(data, context: DecodeContext()).pixels
    }

    @Test func twelveBitsAreInterpolatedLikeTen() throws {
        let (ten, twelve) = (try pixels(Self.tenBits), try pixels(Self.twelveBits))
        let difference = try #require(PixelDifference(between: twelve, and: ten))
        #expect(difference.maximum <= 3, "\(difference)")
    }

    /// The values are those of ffmpeg (swscale with `-sws_flags bilinear`), where the nearest chroma would be that of
    /// the squares: 40 and 220.
    @Test func chromaChangesGraduallyBetweenSquares() throws {
        let pixels = try pixels(Self.twelveBits)
        for (x, red) in [(4, 40), (5, 80), (6, 181), (7, 221)] {
            #expect(abs(Int(pixels[x, 3].red) - red) <= 3)
        }
    }
}
