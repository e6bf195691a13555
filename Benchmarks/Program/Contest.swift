import Foundation
import TintypeCore

/// The contestants of one row.
struct Contest {
    /// What each side repeats. The argument is the number of repetitions.
    var sides: [String: (Int) async throws -> Void] = [:]
    /// Numbers that are no times.
    var values: [String: () async throws -> Double] = [:]
    /// What writes a result to a file, and returns the size of an image.
    var outputs: [String: (URL) async throws -> PixelSize?] = [:]

    /// Prepares a row.
    static func make(_ row: String, _ arguments: [String]) async throws -> Contest {
        switch row {
        case "animation": try AnimationRows.play(arguments)
        case "bodies": try TransferRows.bodies(arguments)
        case "bombs": try BombRows.refuse(arguments)
        case "coalescing": try LoadRows.coalescing(arguments)
        case "decode": try CodecRows.decode(arguments)
        case "disk": try await DiskRows.entries(arguments)
        case "encode": try CodecRows.encode(arguments)
        case "large": try await TransferRows.large(arguments)
        case "load": try await LoadRows.load(arguments)
        case "memory": try MemoryRows.hits(arguments)
        case "memory-store": try MemoryRows.stores(arguments)
        case "memory-threads": try MemoryRows.threads(arguments)
        case "memory-trace": try MemoryRows.trace(arguments)
        case "pixels": try await DiskRows.pixels(arguments)
        case "thumbnail": try CodecRows.thumbnail(arguments)
        case "transcode": try CodecRows.transcode(arguments)
        case "transform": try TransformRows.transform(arguments)
        case "waiters": try await TransferRows.waiters(arguments)
        case "waiting": try WaitingRows.waiting(arguments)
        case "waterfall": try LoadRows.waterfall(arguments)
        default: throw BenchmarkError("no row \(row)")
        }
    }

    /// Adds a side that repeats synchronous work.
    mutating func add(_ side: String, _ work: @escaping () throws -> Void) {
        sides[side] = { count in
            for _ in 0..<count { try work() }
        }
    }
}

/// What makes a measurement invalid.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws if a condition is false.
func check(_ condition: Bool, _ message: @autoclosure () -> String = "an unexpected result") throws {
    guard condition else { throw BenchmarkError(message()) }
}

extension [String] {
    /// The argument at a position.
    func argument(_ position: Int) throws -> String {
        guard indices.contains(position) else { throw BenchmarkError("an argument is missing: \(self)") }
        return self[position]
    }

    func number(_ position: Int) throws -> Int {
        guard let number = Int(try argument(position)) else { throw BenchmarkError("not a number: \(self)") }
        return number
    }

    func bytes(_ position: Int) throws -> Data { try Data(contentsOf: URL(filePath: try argument(position))) }
}

extension [Double] {
    /// The value that a share of all values (0 to 1) does not exceed; NaN if the array is empty.
    func quantile(_ share: Double) -> Double {
        isEmpty ? .nan : sorted()[Swift.min(count - 1, Int(share * Double(count)))]
    }
}

/// A folder for files. The script that runs the program sets the temporary directory and removes it.
enum Scratch {
    static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rows-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}

extension PixelBuffer {
    /// Writes rows of straight RGBA without padding, and returns the size.
    func writeStraight(to file: URL) throws -> PixelSize {
        let straight = try unpremultiplied()
        var rows = Data()
        for y in 0..<straight.size.height { straight.withUnsafeRow(y) { rows.append(contentsOf: $0) } }
        try rows.write(to: file)
        return straight.size
    }
}
