import ArgumentParser
import Foundation
import Tintype

/// `tintype demo`: loads sample images from an origin server in this process.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Demonstrate the pipeline, without a network or a display.",
        discussion: """
            An origin server in this process serves sample images with the latency and bandwidth of a mobile network. \
            The command loads them from there, then from the disk cache through a new pipeline, then from memory. It \
            prints how long each load took and writes a contact sheet.
            """)

    @Option(help: ArgumentHelp("Write the contact sheet, a PNG, to this file.", valueName: "file"))
    var output = "demo-output/contact-sheet.png"

    @OptionGroup var terminal: TerminalOptions

    func validate() throws {
        guard !output.isEmpty else { throw ValidationError("--output: expected a path, got an empty one") }
    }

    func run() async throws {
        let directory = URL(filePath: output).deletingLastPathComponent().path(percentEncoded: false)
        try OutputFile.createDirectory(directory)
        let demo = try DemoRun()
        let result: Result<DemoLoads, any Error>
        do { result = .success(try await demo.run()) } catch { result = .failure(error) }
        demo.end()
        let loads = try result.get()
        for line in loads.tableLines { try StandardOutput.write(line) }
        let sheet = try ContactSheet().draw(loads.images)
        try await OutputFile.write(try PNGEncoder().encode(sheet, as: .png, options: EncodeOptions()), to: output)
        try StandardOutput.write("")
        try StandardOutput.write("contact sheet: \(output)")
    }
}

/// One timed load of one sample.
struct DemoLoad: Sendable {
    let response: ImageResponse
    let duration: Duration
    let previews: Int
}

/// The loads of all samples from the network, from disk and from memory.
struct DemoLoads: Sendable {
    let names: [String]
    var network: [DemoLoad] = []
    var disk: [DemoLoad] = []
    var memory: [DemoLoad] = []
    /// The number of requests that the origin received.
    var requests = 0

    init(names: [String]) {
        self.names = names
    }

    var images: [Image] { network.map(\.response.image) }

    /// A table with a row for each sample, then a summary.
    var tableLines: [String] {
        var table = TextTable([
            ("image", .left), ("format", .left), ("pixels", .right), ("bytes", .right), ("first load", .right),
            ("previews", .right), ("second load", .right), ("third load", .right),
        ])
        for index in names.indices { table.rows.append(row(index)) }
        return table.lines + ["", summary]
    }

    private func row(_ index: Int) -> [String] {
        let first = network[index]
        return [
            names[index], "\(first.response.image.info.format)", "\(first.response.image.size)",
            HumanFormat.bytes(first.response.byteCount ?? 0), Self.cell(first), "\(first.previews)",
            Self.cell(disk[index]), Self.cell(memory[index]),
        ]
    }

    private static func cell(_ load: DemoLoad) -> String {
        "\(load.response.origin.rawValue) \(HumanFormat.duration(load.duration))"
    }

    private var summary: String {
        "\(names.count * 3) loads sent \(requests) requests to the origin and showed "
            + "\(network.reduce(0) { $0 + $1.previews }) previews."
    }
}
