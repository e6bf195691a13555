import Foundation
import Testing
import Tintype

@testable import TintypeCommand

@Suite(.timeLimit(.minutes(5))) struct DoctorTests {
    @Test func everyFormatIsTestedAndTheCacheIsFound() async throws {
        let run = try await CommandRun.tintype("doctor", "--json")
        #expect(run.status == 0, "\(run.error)")
        let record = try #require(try run.records.first)
        let formats = try #require(record["formats"] as? [[String: any Sendable]])
        let names = Set(formats.compactMap { $0["format"] as? String })
        let coders = ImageCoderRegistry.standard
        #expect(names == Set((coders.decodableFormats + coders.encodableFormats).map(\.rawValue)))
        #expect(formats.allSatisfy { $0["failure"] == nil }, "\(formats)")
        let png = try #require(formats.first { $0["format"] as? String == "png" })
        #expect((png["library"] as? String)?.hasPrefix("libpng 1.") == true)
        #expect((record["libraries"] as? [String])?.contains { $0.hasPrefix("sqlite 3.") } == true)
        let text = try await CommandRun.tintype("doctor")
        #expect(text.status == 0 && text.output.contains("reads, writes, animates"))
        #expect(text.output.contains("none, so no progress is shown"))
    }

    @Test(arguments: [("LIBTIFF, Version 4.5.0\nCopyright", "4.5.0"), ("1.6.39", "1.6.39"), ("none", "none")])
    func theVersionIsTheFirstNumber(_ text: String, _ version: String) {
        #expect(LibraryVersion.numbers(in: text) == version)
    }
}
