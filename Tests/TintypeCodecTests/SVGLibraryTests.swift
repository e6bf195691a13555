import TestSupport
import Testing
import TintypeCore

@testable import TintypeSVG

/// Loading librsvg where it is installed and where it is not.
@Suite(.timeLimited) struct SVGLibraryTests {
    private func error(_ name: String) -> TintypeError? {
        expectError(.noCoder) { _ = try SVGLibrary.load([name]) }
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

    /// The error names what was wrong with each name, and how to get the library.
    @Test func theReasonsOfAllNamesAreReported() {
        let error = expectError(.noCoder) {
            _ = try SVGLibrary.load(["libm.so.6", "librsvg-of-nowhere.so.2"])
        }
        for part in ["libm.so.6: it has no rsvg_", "librsvg-of-nowhere.so.2", "install librsvg2-2"] {
            #expect(error?.message.contains(part) == true, "\(part)")
        }
    }

    @Test func aLaterNameIsLoadedIfAnEarlierOneIsMissing() throws {
        _ = try SVGLibrary.load(["librsvg-of-nowhere.so.2", "libm.so.6", "librsvg-2.so.2"])
    }

    @Test func concurrentCallersShareOneLibrary() async throws {
        let libraries = await withTaskGroup { group in
            for _ in 0..<16 { group.addTask { SVGLibrary.standard } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(libraries.count == 16)
        #expect(Set(try libraries.map { try $0.get().functions }).count == 1)
    }
}
