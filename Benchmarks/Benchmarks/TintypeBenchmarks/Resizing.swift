import Benchmark
import CBenchmarkControls
import Foundation
import Tintype

/// Resizes from 1280 × 853 to 320 × 213 with a Lanczos filter. The control makes two passes over floats, as in a
/// textbook.
func resizing() {
    Benchmark("Resize", configuration: .sampling()) { benchmark, pixels in
        let transformer = ResizeTransformer(to: target, mode: .stretch)
        try benchmark.sample { blackHole(try transformer.transform(pixels)) }
    } setup: {
        try source()
    }

    Benchmark("Resize.control", configuration: .sampling()) { benchmark, pixels in
        var result = [UInt8](repeating: 0, count: target.area * PixelBuffer.bytesPerPixel)
        pixels.withUnsafeBytes { bytes in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            benchmark.sample {
                let (from, to) = (pixels.size, target)
                _ = control_resize(base, from.width, from.height, &result, to.width, to.height)
            }
        }
    } setup: {
        try source()
    }
}

private let target = PixelSize(width: 320, height: 213)

private func source() throws -> PixelBuffer {
    try JPEGDecoder().decode(try Sample.jpeg(), context: DecodeContext()).pixels
}
