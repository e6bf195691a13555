import CBenchmarkControls
import Foundation
import TintypeCore
import TintypeGIF
import TintypePNG
import TintypeWebP

/// Times how long it takes to compose every frame of an animation, for `scripts/bench/compare-animations`. One request
/// at a time, so that the script can alternate between programs.
///
/// Each line of standard input is `tintype FILE`, or `control FILE` for the library of its format. The program prints
/// the time in milliseconds and the number of frames.
@main
struct AnimationTimings {
    private static let coders = ImageCoderRegistry(decoders: [GIFDecoder(), PNGDecoder(), WebPDecoder()])

    static func main() throws {
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2 else {
                throw TintypeError(
                    .invalidSource, stage: .request, "expected tintype FILE or control FILE, got: \(line)")
            }
            print(try answer(words[0], Data(contentsOf: URL(filePath: words[1]))))
            fflush(nil)
        }
    }

    private static func answer(_ name: String, _ bytes: Data) throws -> String {
        var count = 0
        let time = try ContinuousClock().measure { count = name == "tintype" ? try play(bytes) : control(bytes) }
        return "\(time / .milliseconds(1)) \(count)"
    }

    private static func play(_ bytes: Data) throws -> Int {
        guard let animation = try coders.decoder(for: bytes).decode(bytes, context: DecodeContext()).animation else {
            return 0
        }
        for index in 0..<animation.frameCount { _ = try animation.frame(at: index) }
        return animation.frameCount
    }

    private static func control(_ bytes: Data) -> Int {
        bytes.withUnsafeBytes { raw in
            guard let base = raw.bindMemory(to: UInt8.self).baseAddress else { return 0 }
            switch FormatSniffer.format(of: bytes) {
            case .gif: return control_play_gif(base, raw.count)
            case .webp: return control_play_webp(base, raw.count)
            default: return 0
            }
        }
    }
}
