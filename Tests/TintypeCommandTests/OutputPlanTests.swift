import ArgumentParser
import Foundation
import TestSupport
import Testing
import Tintype

@testable import TintypeCommand

/// The paths of a batch's outputs, decided before anything is written.
@Suite(.timeLimited) struct OutputPlanTests {
    private static let writable: Set<ImageFormat> = [.jpeg, .png, .webp]

    private func inputs(_ paths: String...) -> [BatchInput] {
        paths.map { BatchInput(source: SourceArgument(argument: $0)) }
    }

    private func plan(
        _ inputs: [BatchInput], _ output: String, _ format: ImageFormat? = nil, isDirectory: Bool = false
    ) throws -> OutputPlan {
        try OutputPlan(
            inputs, to: OutputTarget(output, isDirectory: isDirectory), as: format, writable: Self.writable,
            directory: "/home/me")
    }

    @Test(arguments: [
        ("out/{stem}.{ext}", "out/a b.png"), ("{name}.webp", "a b.png.webp"), ("{stem}.jpg", "a b.jpg"),
        ("{dir}/{stem}.{ext}", "x/y/a b.png"), ("o/{dir}/{index}.png", "o/x/y/1.png"),
        ("{format}/{stem}.{ext}", "png/a b.png"), ("{{{stem}}}.png", "{a b}.png"), ("out/", "out/x/y/a b.png"),
        ("{stem}-{width}x{height}.jpg", "a b-{width}x{height}.jpg"), ("a.b/{stem}", "a.b/a b"),
        ("plain.jpg", "plain.jpg"),
    ])
    func aTemplateNamesTheOutput(_ template: String, _ path: String) throws {
        let input = BatchInput(source: SourceArgument(argument: "photos/x/y/a b.png"), directory: "x/y")
        #expect(try plan([input], template).entries.first?.path() == path)
    }

    @Test func withoutADirectoryThereIsNoSlashToo() throws {
        let entries = try plan(inputs("a.png"), "{dir}/{stem}.jpg").entries
        #expect(entries.first?.path() == "a.jpg")
        #expect(try plan(inputs("/x/a.png"), "out", isDirectory: true).entries.first?.path() == "out/a.png")
    }

    @Test func theSizeIsFilledInWhenItIsKnown() throws {
        let entry = try #require(try plan(inputs("a.png"), "{stem}-{width}x{height}.jpg").entries.first)
        #expect(!entry.isPathKnown && entry.path(size: PixelSize(width: 3, height: 4)) == "a-3x4.jpg")
        #expect(try plan(inputs("a.png"), "{stem}.jpg").entries.first?.isPathKnown == true)
    }

    @Test func numbersHaveLeadingZeros() throws {
        let many = (1...12).map { BatchInput(source: SourceArgument(argument: "in/\($0).png")) }
        let paths = try plan(many, "{index}.png").entries.map { $0.path() }
        #expect(paths.first == "01.png" && paths.last == "12.png")
    }

    @Test(
        arguments: [
            ("a.png", "o/{stem}.{ext}", nil, "o/a.png", "png"), ("a.PNG", "o/{stem}.{ext}", nil, "o/a.PNG", "png"),
            ("a.jpeg", "o/{stem}.{ext}", .jpeg, "o/a.jpeg", "jpeg"),
            ("a.png", "o/{stem}.{ext}", .jpeg, "o/a.jpg", "jpeg"),
            ("a.svg", "{stem}.{ext}", .webp, "a.webp", "webp"), ("a.svg", "{stem}.JPG", nil, "a.JPG", "jpeg"),
            ("a.png", "{stem}.jpg", .webp, "a.jpg", "webp"), ("-", "{stem}.jpg", nil, "stdin.jpg", "jpeg"),
            ("http://h/x/a%20b.png?c", "{stem}.jpg", nil, "a b.jpg", "jpeg"),
            ("http://h/..%2f..%2fetc%2fpasswd", "o/{stem}.jpg", nil, "o/_.._etc_passwd.jpg", "jpeg"),
        ] as [(String, String, ImageFormat?, String, String)])
    func theFormatIsTheChosenOneOrThatOfAnExtension(
        _ input: String, _ template: String, _ chosen: ImageFormat?, _ path: String, _ format: String
    ) throws {
        let entry = try #require(try plan(inputs(input), template, chosen).entries.first)
        #expect(entry.path() == path && entry.format.rawValue == format)
    }

    @Test(
        arguments: [
            (["a.svg"], "o/", nil, .unknownFormat("a.svg")), (["a"], "o/{stem}.{ext}", nil, .unknownFormat("a")),
            (["a.png"], "{stem}.txt", nil, .unknownFormat("a.png")),
            (["a.png"], "{stem}.ico", nil, .unwritableFormat("ico")),
            (["a.png"], "o/", .gif, .unwritableFormat("gif")),
            (["x/a.png", "y/a.png"], "o/{stem}.jpg", nil, .collision("x/a.png", "y/a.png", output: "o/a.jpg")),
            (["a.png", "b.png"], "one.jpg", nil, .collision("a.png", "b.png", output: "one.jpg")),
            (
                ["x/a.png", "y/a.png"], "{stem}-{width}.jpg", nil,
                .collision("x/a.png", "y/a.png", output: "a-{width}.jpg")
            ),
            (["x/a.png", "a.png"], "{stem}.{ext}", nil, .replacesInput("x/a.png", output: "a.png")),
            (["y/b.png", "x/./b.png"], "x/y/../{stem}.{ext}", nil, .replacesInput("y/b.png", output: "x/y/../b.png")),
            (["b/a.png", "/home/me/a.png"], "./{stem}.{ext}", nil, .replacesInput("b/a.png", output: "./a.png")),
            (["a.png", "b.png"], "-", .jpeg, .severalForStandardOutput),
        ] as [([String], String, ImageFormat?, OutputPlan.Problem)])
    func aBatchThatWouldLoseImagesDoesNotRun(
        _ paths: [String], _ output: String, _ format: ImageFormat?, _ problem: OutputPlan.Problem
    ) throws {
        #expect(throws: problem) {
            try plan(paths.map { BatchInput(source: SourceArgument(argument: $0)) }, output, format)
        }
    }

    @Test func severalImagesMayReplaceThemselves() throws {
        let plan = try plan(inputs("a.png", "b.jpg"), "{dir}/{stem}.{ext}")
        #expect(plan.entries.count == 2 && plan.failures.isEmpty)
    }

    /// The finder returns drawings and icons too, which cannot be written.
    @Test func aFormatThatCannotBeWrittenFailsAlone() throws {
        let plan = try plan(inputs("a.png", "b.svg", "c.jpg", "d.txt"), "o/")
        #expect(plan.entries.map { $0.path() } == ["o/a.png", "o/c.jpg"] && plan.count == 4)
        #expect(plan.failures.map(\.input.name) == ["b.svg", "d.txt"])
        #expect(plan.failures.allSatisfy { $0.error.code == .noCoder && $0.error.message.contains("--format") })
    }

    @Test func aFormatThatIsRefusedFailsAlone() throws {
        let plan = try plan(inputs("a.png", "b.svg", "c.jpg", "d.webp"), "o/")
        let refusing = plan.refusing { $0 == .jpeg || $0 == .webp ? "no \($0)" : nil }
        #expect(refusing.entries.map { $0.path() } == ["o/a.png"] && refusing.count == plan.count)
        #expect(refusing.failures.map(\.input.name) == ["b.svg", "c.jpg", "d.webp"])
        #expect(refusing.failures.dropFirst().map(\.error.message) == ["no jpeg", "no webp"])
        #expect(plan.refusing { _ in nil }.entries == plan.entries)
    }

    @Test(
        arguments: [
            (["--hdr"], ["a.avif", "b.jxl"], ["c.png", "d.gif"]),
            (["--color-space", "display-p3"], ["a.avif", "b.jxl", "c.png"], ["d.gif"]),
            (["--gain-map"], ["a.avif"], ["b.jxl", "c.png", "d.gif"]),
            (["--hdr", "--color-space", "display-p3"], ["a.avif", "b.jxl"], ["c.png", "d.gif"]),
            ([], ["a.avif", "b.jxl", "c.png", "d.gif"], []),
        ] as [([String], [String], [String])])
    func colorsThatAFormatCannotHaveFailAlone(
        _ options: [String], _ written: [String], _ failed: [String]
    ) throws {
        let coders = ImageCoderRegistry.standard
        let colors = try OutputColors.parse(options)
        let plan = try OutputPlan(
            inputs("a.avif", "b.jxl", "c.png", "d.gif"), to: OutputTarget("o/", isDirectory: true), as: nil,
            writable: Set(coders.encodableFormats), directory: "/home/me")
        let applied = try plan.validated { colors.problem(of: $0, coders) }
        #expect(applied.entries.map(\.input.name) == written && applied.failures.map(\.input.name) == failed)
        #expect(applied.failures.allSatisfy { $0.error.message.contains(options[0]) })
    }

    @Test func aDirectoryThatCannotBeListedFailsAlone() throws {
        let locked = BatchInput(source: SourceArgument(argument: "lost+found"), problem: .unlistable(EACCES))
        let plan = try plan(inputs("a.png") + [locked], "o/", .webp)
        #expect(plan.entries.map { $0.path() } == ["o/a.webp"])
        #expect(plan.failures.map(\.error.code) == [.unreadable])
        #expect(try self.plan([locked], "o/").entries.isEmpty)
    }

    /// Names that are not UTF-8 can have one escaped form, which may be the name of an image too.
    @Test func inputsWithAProblemHideNoOther() throws {
        let image = inputs("\\xFF.png")
        let unnamed = BatchInput(source: image[0].source, problem: .notUTF8)
        let plan = try plan([unnamed, unnamed] + image + image, "o/")
        #expect(plan.entries.map(\.input) == image && plan.failures.count == 2 && plan.count == 3)
        // The escaped form is the path of no input, so that outputs may have it.
        let (one, several) = (inputs("\\xFF.jpg"), inputs("\\xFF.jpg", "b.jpg"))
        #expect(try self.plan([unnamed] + one, "{stem}.png").entries.map { $0.path() } == ["\\xFF.png"])
        #expect(try self.plan([unnamed] + several, "{stem}.png").entries.count == 2)
    }

    /// The paths of `{width}` are known only when images are loaded.
    @Test func anOutputThatIsKnownLateReplacesNoOtherInput() throws {
        let plan = try plan(inputs("a.jpg", "a-256.jpg"), "{stem}-{width}.jpg")
        let claims = SharedClaims(plan.claims)
        let size = PixelSize(width: 256, height: 100)
        let path = try #require(plan.entries[0].path(size: size))
        #expect(path == "a-256.jpg")
        expectError(.unwritable) { try claims.claim(path, for: plan.entries[0].input) }
        try claims.claim("a-256-256.jpg", for: plan.entries[1].input)
        expectError(.unwritable) { try claims.claim("./a-256-256.jpg", for: plan.entries[0].input) }
    }

    @Test func anImageThatIsNamedTwiceIsConvertedOnce() throws {
        #expect(try plan(inputs("a.png", "b.png", "a.png"), "o/").entries.map { $0.path() } == ["o/a.png", "o/b.png"])
    }

    @Test func anImageMayReplaceItself() throws {
        #expect(try plan(inputs("a.png"), "{stem}.{ext}").entries.first?.path() == "a.png")
    }

    @Test(
        arguments: [
            ("{widht}", .unknownField("widht")), ("{stem", .unbalancedBrace), ("stem}", .unbalancedBrace),
            ("{}", .unknownField("")), ("{{stem}", .unbalancedBrace),
        ] as [(String, OutputTemplate.ParsingError)])
    func aWrongTemplateIsAnError(_ text: String, _ error: OutputTemplate.ParsingError) {
        #expect(throws: error) { try OutputTemplate(parsing: text) }
    }

    @Test(
        arguments: [
            ([:], 0, "nothing to do"), ([.written: 3], 0, "3 written"),
            ([.written: 1, .skipped: 2, .failed: 3], 3, "1 written, 2 skipped, 3 failed"),
            ([.failed: 125], 125, "125 failed"), ([.failed: 1000], 125, "1000 failed"), ([.planned: 2], 0, "2 planned"),
        ] as [([BatchOutcome: Int], Int32, String)])
    func theExitStatusIsTheNumberOfFailures(_ counts: [BatchOutcome: Int], _ status: Int32, _ summary: String) {
        let total = counts.values.reduce(0, +)
        var tally = BatchTally(total: total)
        for (outcome, count) in counts { tally.add(outcome, times: count) }
        #expect(tally.exitStatus == status && tally.summary == summary)
        #expect(tally.interruptionLine(.written, "written") == nil)
        var interrupted = BatchTally(total: total + 1)
        for (outcome, count) in counts { interrupted.add(outcome, times: count) }
        let written = counts[.written] ?? 0
        #expect(interrupted.exitStatus == 130 && interrupted.remaining == 1)
        #expect(
            interrupted.interruptionLine(.written, "written")
                == "tintype: interrupted: \(written) of \(total + 1) written")
    }

    /// An interruption leaves gaps.
    @Test func resultsAfterAMissingOneAreNotLost() {
        var ordered = InOrder<Int>()
        #expect([0, 3, 2].flatMap { ordered.add($0, number: $0) } == [0])
        #expect(ordered.drain() == [2, 3] && ordered.drain() == [])
    }

    @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 0, 1, 3]])
    func resultsComeInOrder(_ arrivals: [Int]) {
        var ordered = InOrder<Int>()
        #expect(arrivals.flatMap { ordered.add($0, number: $0) } == [0, 1, 2, 3])
    }

    @Test(arguments: [(0, []), (1, [1]), (4, [4]), (5, [4, 1]), (8, [4, 4])])
    func chunksHaveEveryElementOnce(_ count: Int, _ sizes: [Int]) {
        let chunks = Array(0..<count).chunks(ofCount: 4)
        #expect(chunks.map(\.items.count) == sizes && chunks.flatMap(\.items) == Array(0..<count))
        #expect(chunks.map(\.number) == Array(0..<sizes.count))
    }
}
