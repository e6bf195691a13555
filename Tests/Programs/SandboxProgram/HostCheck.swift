import Foundation
import HostileDecoders
import TintypeAVIF
import TintypeCore
import TintypeHEIF
import TintypeJPEG
import TintypeJXL
import TintypeSVG
import TintypeSandbox

/// Checks that workers are fully restricted and decode on this system: as this user, under its filters of system calls,
/// and with every version of Landlock.
enum HostCheck {
    private static let plain = ImageCoderRegistry(decoders: [
        AVIFDecoder(), HEIFDecoder(), HostileDecoder(), JPEGDecoder(), JXLDecoder(), SVGDecoder(),
    ])

    /// - Returns: Whether everything was as expected.
    static func run(_ paths: [String]) throws -> Bool {
        let files = try paths.map { (path: $0, data: try Data(contentsOf: URL(filePath: $0))) }
        let status = try SandboxStatus.probe()
        print("user \(getuid()), Landlock \(status.landlockVersion), filter \(status.isFiltered)", status.missing)
        var problems = status.missing
        for version in [nil] + (0...7).map(Optional.some) {
            var configuration = SandboxConfiguration(.all)
            (configuration.landlockVersion, configuration.isStrict) = (version, version != 0)
            let name = version.map { "Landlock \($0)" } ?? "Landlock of the kernel"
            problems += check(files, plain.sandboxed(configuration)).map { "\(name): \($0)" }
        }
        for problem in problems { print("FAILED", problem) }
        return problems.isEmpty
    }

    /// Decodes an image where no worker may start.
    ///
    /// - Parameter arguments: The reason, and the executable of the workers if it is not this program.
    /// - Returns: Whether the error says why, and nothing is left of the attempt.
    static func refuses(_ arguments: [String]) -> Bool {
        let (reason, executable) = (arguments.first ?? "", arguments.dropFirst().first)
        do throws(TintypeError) {
            let coders = plain.sandboxed(SandboxConfiguration(.all, executable: executable))
            _ = try decode(HostileDecoder.bytes(.good), coders)
            print("FAILED: a worker started")
            return false
        } catch {
            let hasChildren = waitpid(-1, nil, WNOHANG) != -1 || errno != ECHILD
            print(error, hasChildren ? "FAILED: a process is left" : "")
            return error.code == .noWorker && error.message.contains(reason) && !hasChildren
        }
    }

    private static func check(_ files: [(path: String, data: Data)], _ coders: ImageCoderRegistry) -> [String] {
        var problems: [String] = []
        for (path, data) in files {
            do throws(TintypeError) {
                let (own, other) = (try decode(data, plain), try decode(data, coders))
                guard isEqual(own.pixels, other.pixels), other.info.warnings == own.info.warnings else {
                    throw TintypeError(.undecodable, stage: .decode, "other pixels, or \(other.info.warnings)")
                }
            } catch {
                problems.append("\(path): \(error)")
            }
        }
        for (behavior, code) in expected {
            let found: TintypeError.Code?
            do throws(TintypeError) {
                let time = behavior == .loop ? Duration.milliseconds(300) : .seconds(20)
                _ = try decode(HostileDecoder.bytes(behavior), coders, time: time)
                found = nil
            } catch {
                found = error.code
            }
            if found != code { problems.append("\(behavior): \(String(describing: found))") }
        }
        return problems
    }

    /// What decoders that misbehave end with. An ordinary image follows each.
    private static let expected: KeyValuePairs<HostileDecoder.Behavior, TintypeError.Code?> = [
        .crash: .decoderCrashed, .good: nil, .overflowStack: .decoderCrashed, .execute: .decoderCrashed,
        .createFile: .decoderCrashed, .connect: .decoderCrashed, .readFile: .undecodable, .loop: .limitExceeded,
        .hoard: .limitExceeded, .startThread: nil, .good: nil,
    ]

    private static func decode(
        _ data: Data, _ coders: ImageCoderRegistry, time: Duration = .seconds(20)
    ) throws(TintypeError) -> Image {
        var context = DecodeContext()
        (context.limits.time, context.limits.memoryBytes) = (time, 256 << 20)
        return try coders.decoder(for: data).decode(data, context: context)
    }

    private static func isEqual(_ first: PixelBuffer, _ second: PixelBuffer) -> Bool {
        first.size == second.size
            && (0..<first.size.height).allSatisfy { y in
                (0..<first.size.width).allSatisfy { x in first[x, y] == second[x, y] }
            }
    }
}
