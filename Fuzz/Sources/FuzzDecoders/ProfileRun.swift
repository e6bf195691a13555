import Foundation
import TintypeCore
import TintypeJPEG
import TintypePNG

/// A colour profile of any bytes, in good pictures of three inks, of grey, of four inks, and of 16 bits whose whole range is
/// wanted.
struct ProfileRun: Sendable {
    // No `Data`: where it keeps its bytes the leak check does not see.
    private let jpegs: [[UInt8]]
    private let deep: [UInt8]

    /// Reads the pictures from the fixtures of the checkout that this was built of.
    init() throws {
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Tests/TintypeCodecTests/Fixtures")
        func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: fixtures.appending(path: name))) }
        jpegs = try ["odd-33x7.jpg", "grey.jpg", "cmyk.jpg"].map(bytes)
        deep = try bytes("rgb-16.png")
    }

    func run(_ profile: Data) {
        for picture in jpegs { decode(JPEGDecoder(), ProfileCarrier.jpeg(Data(picture), profile), .standard) }
        decode(PNGDecoder(), ProfileCarrier.png(Data(deep), profile), .high)
    }

    /// A profile that says nothing of use is none; the picture is good in any case.
    private func decode(_ decoder: any ImageDecoder, _ file: Data, _ range: DecodeOptions.DynamicRange) {
        let context = DecodeContext(options: DecodeOptions(size: .fit(PixelSize(width: 8, height: 8)), range: range))
        do throws(TintypeError) {
            _ = try decoder.decode(file, context)
        } catch {
            preconditionFailure("a good picture with another profile fails: \(error)")
        }
    }
}
