import ArgumentParser
import Foundation
import Tintype

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "See it work, without network or display.",
        discussion: """
            An origin inside this process serves sample pictures with the latency and bandwidth of a real network. They \
            are loaded through the pipeline, then again from disk by a new pipeline, and again from memory. Writes a \
            contact sheet to look at.
            """)

    @Option(help: ArgumentHelp("The contact sheet, a PNG.", valueName: "file"))
    var output = "demo-output/contact-sheet.png"

    func run() async throws {
        let folder = URL(filePath: output).deletingLastPathComponent().path(percentEncoded: false)
        try OutputFile.makeFolder(folder)
        let demo = try await DemoRun()
        let result: Result<DemoLoads, any Error>
        do { result = .success(try await demo.run()) } catch { result = .failure(error) }
        await demo.end()
        let loads = try result.get()
        for line in loads.tableLines { StandardOutput.write(line) }
        let sheet = try ContactSheet().drawn(loads.images)
        try await OutputFile.write(try PNGEncoder().encode(sheet, as: .png, options: EncodeOptions()), to: output)
        StandardOutput.write("\ncontact sheet: \(output)")
    }
}

/// One load of one sample.
struct DemoLoad: Sendable {
    let response: ImageResponse
    let duration: Duration
    let previews: Int
}

/// The same samples from three places.
struct DemoLoads: Sendable {
    let names: [String]
    var network: [DemoLoad] = []
    var disk: [DemoLoad] = []
    var memory: [DemoLoad] = []
    var requests = 0

    init(names: [String]) {
        self.names = names
    }

    var images: [Image] { network.map(\.response.image) }

    var tableLines: [String] {
        var table = TextTable([
            ("picture", .left), ("format", .left), ("pixels", .right), ("bytes", .right), ("first", .right),
            ("previews", .right), ("again", .right), ("and again", .right),
        ])
        for index in names.indices { table.rows.append(row(index)) }
        return table.lines + ["", summary]
    }

    private func row(_ index: Int) -> [String] {
        let first = network[index]
        return [
            names[index], "\(first.response.image.info.format)", "\(first.response.image.size)",
            HumanFormat.bytes(first.response.byteCount ?? 0), Self.place(first), "\(first.previews)",
            Self.place(disk[index]), Self.place(memory[index]),
        ]
    }

    private static func place(_ load: DemoLoad) -> String {
        "\(load.response.origin.rawValue) \(HumanFormat.duration(load.duration))"
    }

    private var summary: String {
        "The origin was asked \(requests) times for \(names.count * 3) loads; "
            + "\(network.reduce(0) { $0 + $1.previews }) previews were shown on the way."
    }
}
