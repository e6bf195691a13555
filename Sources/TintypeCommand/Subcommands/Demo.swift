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
        try await OutputFile.write(try PNGEncoder().encode(sheet, as: .png, EncodeOptions()), to: output)
        StandardOutput.write("\ncontact sheet: \(output)")
    }
}
