import Foundation
import Testing
import TintypeAVIF
import TintypeCore

/// Clean apertures of AVIF files.
@Suite struct AVIFApertureTests {
    /// A horizontal ramp of 61×47 without chroma, of which 31×21 pixels from (15, 13) on are shown, by avifenc 0.11.1.
    private static let ramp = """
        AAAAHGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZgAAARltZXRhAAAAAAAAAChoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAA\
        bGliYXZpZgAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAE9AAAAZQAAAChpaW5mAAAAAAABAAAAGmlu\
        ZmUCAAAAAAEAAGF2MDFDb2xvcgAAAACRaXBycAAAAHFpcGNvAAAAFGlzcGUAAAAAAAAAPQAAAC8AAAAOcGl4aQAAAAABCAAA\
        AAxhdjFDgQAcAAAAABNjb2xybmNseAABAA0ABgAAAAAoY2xhcAAAAB8AAAABAAAAFQAAAAEAAAAAAAAAAQAAAAAAAAABAAAA\
        GGlwbWEAAAAAAAAAAQABBQECgwSFAAAAbW1kYXQSAAoJGBV8uYYCGgxAMlYQAN1pDzW8lMkKYBpsMGj1TUDOOTZjd3Ixcih/\
        lTEXfqmvxIyZyU9XoPvalAUONxREi3dtvrT2Ht8DnmGFOMV00wbzrnYn3Yr7OAKHVFW/VPhzdVP2QA==
        """

    /// avifdec and ImageMagick show it. Chroma that is halved cannot begin in the middle of a pair, but there is none.
    @Test(arguments: [DecodeOptions.Size.full, .fit(PixelSize(width: 31, height: 10))])
    func aGreyImageIsShownFromAnOddOffset(_ size: DecodeOptions.Size) throws {
        let data = try #require(Data(base64Encoded: Self.ramp))
        let image = try AVIFDecoder().decode(data, context: DecodeContext(options: DecodeOptions(size: size)))
        #expect(image.info.size == PixelSize(width: 31, height: 21))
        guard size == .full else { return }
        // Samples of four times the column, 16 of which is black and 235 white.
        for (x, grey) in [(0, 51), (10, 98), (30, 191)] {
            #expect(abs(Int(image.pixels[x, 20].green) - grey) <= 3, "\(image.pixels[x, 20])")
        }
    }
}
