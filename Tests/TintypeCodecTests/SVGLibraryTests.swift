import Testing
import TintypeCore

@testable import TintypeSVG

/// Loading librsvg where it is installed and where it is not.
@Suite struct SVGLibraryTests {
    private func error(_ name: String) -> TintypeError? {
        #expect(throws: TintypeError.self) { _ = try SVGLibrary(named: name) }
    }

    @Test func aMissingLibraryIsNoCoder() {
        let error = error("librsvg-of-nowhere.so.2")
        #expect(error?.code == .noCoder && error?.stage == .decode)
        #expect(error?.message.contains("librsvg-of-nowhere.so.2") == true)
    }

    @Test func anotherLibraryIsNoCoder() {
        let error = error("libm.so.6")
        #expect(error?.code == .noCoder && error?.message.contains("it has no rsvg_") == true)
    }

    @Test func concurrentCallersShareOneLibrary() async throws {
        let libraries = await withTaskGroup { group in
            for _ in 0..<16 { group.addTask { SVGLibrary.standard } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(libraries.count == 16)
        #expect(Set(try libraries.map { try $0.get().library }).count == 1)
    }
}
