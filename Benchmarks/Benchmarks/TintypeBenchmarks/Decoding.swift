import Benchmark
import CBenchmarkControls
import Foundation
import Tintype

/// Compares decoders with the libraries that they use.
///
/// The controls neither check limits nor premultiply. For the reduced size they stop at 320 × 214, which Tintype
/// resamples to 256 × 171.
func decoding() {
    decoding("Decode.jpeg", Sample.jpeg, JPEGDecoder()) { control_decode_jpeg($0, $1, 8) }
    decoding("Decode.jpeg256", Sample.jpeg, JPEGDecoder(), to: 256) { control_decode_jpeg($0, $1, 2) }
    decoding("Decode.png", Sample.png, PNGDecoder()) { _ = control_decode_png($0, $1) }
}

private func decoding(
    _ name: String, _ sample: @escaping () throws -> Data, _ decoder: any ImageDecoder, to side: Int? = nil,
    control: @escaping (UnsafePointer<UInt8>, Int) -> Void
) {
    Benchmark(name, configuration: .sampling()) { benchmark, bytes in
        var context = DecodeContext()
        if let side { context.options.size = .fit(PixelSize(width: side, height: side)) }
        try benchmark.sample { blackHole(try decoder.decode(bytes, context: context)) }
    } setup: {
        try sample()
    }

    Benchmark("\(name).control", configuration: .sampling()) { benchmark, bytes in
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            benchmark.sample { control(base, bytes.count) }
        }
    } setup: {
        try sample()
    }
}
