import Foundation
import Testing
import TintypeCore

@testable import TintypeDisk

/// How the caches of a test store small entries.
enum CacheStorage: Sendable, CaseIterable {
    /// Each in a file of its own, as on file systems that change no block in place.
    case files
    /// Together in segments.
    case segments

    @TaskLocal static var current = CacheStorage.files
}

/// Runs each test of a suite once for each kind of storage.
struct EachStorage: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // The scope of the suite as a whole.
        guard testCase != nil else { return try await function() }
        for storage in CacheStorage.allCases {
            try await CacheStorage.$current.withValue(storage) { try await function() }
        }
    }
}

extension Trait where Self == EachStorage {
    /// Runs each test once for each kind of storage.
    static var eachStorage: Self { Self() }
}

/// Creates a cache with the storage of the current test.
func diskCache(
    directory: URL, limits: DiskLimits = DiskLimits(), inherited: [InheritedDirectory] = [],
    inheritedUse: InheritedUse = .read, time: TimeSource = .system
) -> DiskCache {
    DiskCache(
        CacheLayout(directory), limits, inherited, inheritedUse, time, StagingBudget(memory: 256 << 20),
        usesSegments: CacheStorage.current == .segments)
}
