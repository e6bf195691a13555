import Foundation
import HostileDecoders
import TintypeCore
import TintypeSandbox

/// Shows what contains a decoder that misbehaves: the time until each image has failed, and the largest memory of its worker.
///
/// The limits are 1 second and 256 MB. Exits with 1 if a decoder is not stopped within both, plus 100 ms and 64 MB.
@main
enum SandboxProgram {
    static func main() {
        print(try! SandboxStatus.probe())
        let coders = ImageCoderRegistry(decoders: [HostileDecoder()]).sandboxed()
        for behavior in HostileDecoder.Behavior.allCases {
            var context = DecodeContext()
            context.limits.time = .seconds(1)
            context.limits.memoryBytes = 256 << 20
            let bytes = HostileDecoder.bytes(behavior)
            let start = ContinuousClock.now
            let result = Result { () throws(TintypeError) in
                try coders.decoder(for: bytes).decode(bytes, context: context)
            }
            let took = ContinuousClock.now - start
            switch result {
            case .success(let image): print(behavior, "image", image.size, took)
            case .failure(let error): print(behavior, error, took)
            }
        }
    }
}
