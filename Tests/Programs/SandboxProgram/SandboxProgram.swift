import Foundation
import HostileDecoders
import TintypeCore

/// Shows what a sandbox contains, and what it costs.
///
///     SandboxProgram check FILE…                        that this system restricts workers, and that they decode files
///     SandboxProgram refuse TEXT [EXECUTABLE]           that no worker starts here, and that the error contains TEXT
///     SandboxProgram contain                            a decoder that misbehaves, in every way
///     SandboxProgram crowd COUNT                        many images, one in a hundred a crasher
///     SandboxProgram decode POLICY PIXELS ROUNDS FILE…  files to a box of PIXELS, 0 for their size
@main
enum SandboxProgram {
    static func main() throws {
        let arguments = arguments[...]
        switch arguments.first {
        case "check": exit(try HostCheck.run(Array(arguments.dropFirst())) ? 0 : 1)
        case "refuse": exit(HostCheck.refuses(Array(arguments.dropFirst())) ? 0 : 1)
        case "contain": exit(Containment.run() ? 0 : 1)
        case "crowd": exit(Crowd.run(count: arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000) ? 0 : 1)
        case "decode": try DecodeTiming.run(Array(arguments.dropFirst()))
        default:
            print(
                "usage: SandboxProgram check FILE… | refuse TEXT [EXECUTABLE] | contain | crowd COUNT | decode POLICY PIXELS ROUNDS FILE…"
            )
            exit(2)
        }
    }

    /// The arguments. Swift reads them from /proc, so where that is missing, the variable `SANDBOX_ARGUMENTS` has them,
    /// a line each.
    private static var arguments: [String] {
        let variable = ProcessInfo.processInfo.environment["SANDBOX_ARGUMENTS"]
        return variable?.split(separator: "\n").map(String.init) ?? Array(CommandLine.arguments.dropFirst())
    }
}
