import Foundation
import TestSupport
import Testing
import Tintype

@Suite(.timeLimited) struct DemoTests {
    @Test func runsWithoutNetworkOrDisplayAndWritesTheContactSheet() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype("demo", "--output", fixture.path("sheet/contact.png"))
            #expect(run.status == 0, "\(run.error)")
            #expect(run.output.contains("24 loads sent 8 requests to the origin"))
            let sheet = try PNGDecoder().decode(
                Data(contentsOf: URL(filePath: fixture.path("sheet/contact.png"))), context: DecodeContext())
            #expect(sheet.size.width > 1000)
        }
    }
}
