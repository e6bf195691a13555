import Foundation
import TintypeAVIF
import TintypeCore
import TintypeHEIF
import TintypeJPEG
import TintypeJXL
import TintypePDF
import TintypeSVG
import TintypeSandbox

/// Decodes files, and prints the wall time and the processor time of this process and its workers.
enum DecodeTiming {
    private static let plain = ImageCoderRegistry(decoders: [
        AVIFDecoder(), HEIFDecoder(), JPEGDecoder(), JXLDecoder(), PDFDecoder(), SVGDecoder(),
    ])

    static func run(_ arguments: [String]) throws {
        guard arguments.count > 3, let policy = SandboxPolicy(rawValue: arguments[0]), let pixels = Int(arguments[1]),
            let rounds = Int(arguments[2])
        else { exit(2) }
        let files = try arguments.dropFirst(3).map { try Data(contentsOf: URL(filePath: $0)) }
        let options = DecodeOptions(size: pixels > 0 ? .fit(PixelSize(width: pixels, height: pixels)) : .full)
        let context = DecodeContext(options: options)
        var wall: [Double] = []
        do {
            let coders = plain.sandboxed(SandboxConfiguration(policy))
            for _ in 0..<rounds {
                let start = ContinuousClock.now
                let failures = Locked(0)
                DispatchQueue.concurrentPerform(iterations: files.count) { index in
                    do {
                        let image = try coders.decoder(for: files[index]).decode(files[index], context: context)
                        for frame in 0..<(image.animation?.frameCount ?? 0) {
                            _ = try image.animation?.frame(at: frame)
                        }
                    } catch {
                        failures.withLock { $0 += 1 }
                    }
                }
                wall.append((ContinuousClock.now - start) / .milliseconds(1))
                if failures.withLock({ $0 }) > 0 { print("\(failures.withLock { $0 }) failures") }
            }
        }
        let (own, children) = (seconds(RUSAGE_SELF.rawValue), seconds(RUSAGE_CHILDREN.rawValue))
        let sorted = wall.sorted()
        print(
            "\(policy) first \(wall[0]) ms, median \(sorted[wall.count / 2]) ms, least \(sorted[0]) ms,",
            "processor \(own + children) s of which workers \(children) s")
    }

    private static func seconds(_ who: __rusage_who_t) -> Double {
        var usage = rusage()
        getrusage(who, &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}
