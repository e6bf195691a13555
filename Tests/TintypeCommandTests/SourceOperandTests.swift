import ArgumentParser
import Testing

@testable import TintypeCommand

@Suite struct SourceOperandTests {
    private let names = (0..<100).map { "\($0).jpg" }

    /// What the parser makes of the joined arguments must be what it makes of the others.
    private func divided(_ arguments: [String]) -> [String] {
        SourceOperand.joined(arguments).flatMap { SourceOperand(argument: $0).sources.map(\.text) }
    }

    @Test func aLongRunIsJoinedButForItsFirstArgument() {
        let joined = SourceOperand.joined(["convert", "--thumbnail", "9x9"] + names + ["-o", "out"])
        #expect(
            joined.count == 6 && joined[0...2] == ["convert", "--thumbnail", "9x9"] && joined[4...] == ["-o", "out"])
        #expect(SourceOperand(argument: joined[3]).sources.map(\.text) == names)
    }

    @Test func allArgumentsComeBackInTheirOrder() {
        let lines = [
            ["info"] + names, ["info"] + names + ["--json"], ["info", "--json"] + names,
            ["show", "--"] + names + ["-a"] + names, ["fetch", "-o", "-"] + names + [""] + names,
            ["info", "-"] + names + ["-", "-x", "--"], ["prefetch"] + names + ["--from", "-"],
        ]
        for line in lines {
            #expect(divided(line) == line)
            #expect(SourceOperand.joined(line).count < 10)
        }
    }

    /// The values of an option, and operands that are not sources.
    @Test func otherArgumentsStay() {
        let lines = [["info"] + names.prefix(50), ["cache", "remove"] + names, names, ["url", "sign"] + names]
        for line in lines { #expect(SourceOperand.joined(line) == line) }
    }

    @Test func aJoinedArgumentIsNoOption() throws {
        let joined = SourceOperand.joined(["info", "a.jpg", "-"] + names)
        #expect(joined.allSatisfy { !$0.hasPrefix("-") })
        let info = try #require(try TintypeCommand.parseAsRoot(joined) as? Info)
        #expect(info.operands.sources.map(\.text) == ["a.jpg", "-"] + names)
    }
}
