import Testing
import Tintype

@testable import TintypeServer

/// The arguments of `tintype-server`.
@Suite struct ServerActionTests {
    @Test func withoutArgumentsItServes() {
        #expect(ServerAction(arguments: []) == .serve(isUnsigned: false))
        #expect(ServerAction(arguments: ["--unsigned"]) == .serve(isUnsigned: true))
    }

    @Test(arguments: [
        ("--help", "usage: tintype-server [--unsigned]"), ("-h", "usage: tintype-server"),
        ("--settings", "| `TINTYPE_KEY`"), ("--version", ProductVersion.current),
    ]) func textsArePrinted(_ argument: String, _ part: String) {
        for arguments in [[argument], ["--unsigned", argument], [argument, "--nonsense"]] {
            guard case .print(let text) = ServerAction(arguments: arguments) else {
                Issue.record("\(arguments) print nothing")
                continue
            }
            #expect(text.contains(part))
        }
    }

    @Test(arguments: ["", "serve", "--port", "--unsigned=true", "-s", "--Help"])
    func otherArgumentsAreRefused(_ argument: String) {
        guard case .refuse(let reason) = ServerAction(arguments: ["--unsigned", argument]) else {
            Issue.record("\(argument) is accepted")
            return
        }
        #expect(reason == "unknown argument \"\(argument)\"; expected --unsigned, --settings, --version or --help")
    }

    /// A terminal does not interpret what it shows.
    @Test func aRefusedArgumentIsPrintable() {
        guard case .refuse(let reason) = ServerAction(arguments: ["\u{1B}[2J"]) else {
            Issue.record("accepted")
            return
        }
        #expect(!reason.contains("\u{1B}"))
    }

    @Test func unsignedIsASettingOfTheEnvironment() {
        let environment = ["TINTYPE_UNSIGNED": "false", "TINTYPE_BIND": ":80"]
        #expect(ServerAction.environment(environment, isUnsigned: false) == environment)
        #expect(
            ServerAction.environment(environment, isUnsigned: true)
                == ["TINTYPE_UNSIGNED": "true", "TINTYPE_BIND": ":80"])
    }
}
