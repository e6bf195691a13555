import CBenchmarkControls
import Foundation
import Tintype
import TintypeCore

/// Composes every frame of an animation.
enum AnimationRows {
    /// Arguments: the file.
    static func play(_ arguments: [String]) throws -> Contest {
        let bytes = try arguments.bytes(0)
        var contest = Contest()
        contest.add("ours") { _ = try frames(bytes) }
        contest.add("library") { try check(playWithLibrary(bytes) > 0) }
        contest.values["frames"] = { Double(try frames(bytes)) }
        contest.values["library frames"] = { Double(playWithLibrary(bytes)) }
        // All frames, one below the other.
        contest.outputs["ours"] = { file in
            let animation = try animation(bytes)
            var rows = Data()
            for index in 0..<animation.frameCount {
                let frame = try animation.frame(at: index).unpremultiplied()
                for y in 0..<frame.size.height { frame.withUnsafeRow(y) { rows.append(contentsOf: $0) } }
            }
            try rows.write(to: file)
            let size = try animation.frame(at: 0).size
            return PixelSize(width: size.width, height: size.height * animation.frameCount)
        }
        return contest
    }

    private static func animation(_ bytes: Data) throws -> AnimatedImage {
        let image = try CodecRows.coders.decoder(for: bytes).decode(bytes, context: DecodeContext())
        guard let animation = image.animation else { throw BenchmarkError("not an animation") }
        return animation
    }

    static func frames(_ bytes: Data) throws -> Int {
        let animation = try animation(bytes)
        for index in 0..<animation.frameCount { _ = try animation.frame(at: index) }
        return animation.frameCount
    }

    private static func playWithLibrary(_ bytes: Data) -> Int {
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
