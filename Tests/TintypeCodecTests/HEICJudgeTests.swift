import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// HEIC sequences as FFmpeg reads them. They are skipped where it is not installed, but a machine of CI must have it.
@Suite(.timeLimited) struct HEICJudgeTests {
    private static let isInstalled = ["ffmpeg", "ffprobe"].allSatisfy { program in
        ["/usr/bin", "/usr/local/bin", "/bin"].contains { access("\($0)/\(program)", X_OK) == 0 }
    }
    private static let isRequired = ProcessInfo.processInfo.environment["TINTYPE_CI"] != nil

    @Test(.enabled(if: isRequired)) func ffmpegIsInstalledForCI() {
        #expect(Self.isInstalled)
    }

    /// Runs a program on `sequence.heics` in a directory of its own; returns what it prints.
    private func output(of command: String, _ sequence: Data) async throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-judge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try sequence.write(to: folder.appending(path: "sequence.heics"))
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.currentDirectoryURL = folder
        process.arguments = ["-c", "{ \(command); } > output 2> errors"]
        try await process.runToExit()
        let errors = String(decoding: try Data(contentsOf: folder.appending(path: "errors")), as: UTF8.self)
        #expect(process.terminationStatus == 0 && errors == "", "\(errors)")
        return try Data(contentsOf: folder.appending(path: "output"))
    }

    /// What ffprobe prints.
    private struct Probe: Decodable {
        struct Stream: Decodable {
            let codecName: String
            let profile: String
            let width: Int
            let height: Int
            let nbReadFrames: String
            let colorRange: String?
            let colorSpace: String?
        }
        struct Packet: Decodable {
            let streamIndex: Int
            let ptsTime: String
            let durationTime: String
            let flags: String
        }
        let streams: [Stream]
        let packets: [Packet]
    }

    private func probe(_ sequence: Data) async throws -> Probe {
        let command = "ffprobe -v error -count_frames -show_streams -show_packets -of json sequence.heics"
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Probe.self, from: await output(of: command, sequence))
    }

    /// Returns the pixels of a stream, in the top left corner of its frames.
    private func pixels(
        _ sequence: Data, stream: Int, _ format: String, _ size: PixelSize
    ) async throws -> Data {
        let crop = "format=\(format),crop=\(size.width):\(size.height):0:0"
        let stream = "-map 0:\(stream) -vf \(crop) -fps_mode passthrough"
        let command = "ffmpeg -v error -i sequence.heics \(stream) -f rawvideo -"
        return try await output(of: command, sequence)
    }

    // MARK: Tests

    @Test(
        .enabled(if: isInstalled),
        arguments: [(64, 64), (24, 18), (25, 31), (130, 98), (1, 1)], [0, 1, 3])
    func ffmpegReadsEveryFrame(_ side: (Int, Int), _ plays: Int) async throws {
        let size = PixelSize(width: side.0, height: side.1)
        let original = try SequenceSource.animation(size, count: 5, loopCount: plays)
        let data = try ImageCoderRegistry.standard.encode(original, as: .heic)
        let read = [UInt8](try await pixels(data, stream: 0, "rgb24", size))
        try #require(read.count == 5 * 3 * size.area)
        for frame in 0..<5 {
            let start = 3 * frame * size.area
            let shown = try PixelBuffer.drawn(size) { x, y in
                let index = start + 3 * (y * size.width + x)
                return Pixel(red: read[index], green: read[index + 1], blue: read[index + 2])
            }
            let ratio = try SequenceSource.ratio(shown, original.frame(at: frame))
            #expect(ratio >= 33, "frame \(frame) of \(size): \(ratio) dB")
        }
    }

    @Test(.enabled(if: isInstalled)) func ffprobeReadsTheTracks() async throws {
        let size = PixelSize(width: 25, height: 30)
        let frames = try [0.1, 0.25, 0.25, 1.5].map { duration in
            TimedImage(
                try .drawn(size) { x, y in Pixel(red: UInt8(x), green: UInt8(y), blue: 9, alpha: UInt8(50 + 4 * x)) },
                duration: duration)
        }
        let original = try AnimatedImage(frames, loopCount: 2)
        let data = try ImageCoderRegistry.standard.encode(original, as: .heic)
        let probe = try await probe(data)
        try #require(probe.streams.count == 2)
        for stream in probe.streams {
            #expect(stream.codecName == "hevc" && stream.nbReadFrames == "4")
            // A decoder crops to whole samples of chroma, a later one to the clean aperture.
            #expect((25...26).contains(stream.width) && stream.height == 30)
        }
        let (color, alpha) = (probe.streams[0], probe.streams[1])
        #expect(color.profile == "Main" && alpha.profile == "Rext")
        #expect(color.colorRange == "pc" && color.colorSpace == "smpte170m")
        for stream in 0..<2 {
            let packets = probe.packets.filter { $0.streamIndex == stream }
            #expect(packets.compactMap { Double($0.ptsTime) } == [0, 0.1, 0.35, 0.6])
            #expect(packets.compactMap { Double($0.durationTime) } == [0.1, 0.25, 0.25, 1.5])
            #expect(packets.allSatisfy { $0.flags.hasPrefix("K") })
        }
        let read = try await pixels(data, stream: 1, "gray", size)
        try #require(read.count == 4 * size.area)
        for (index, value) in read.enumerated() {
            #expect(abs(Int(value) - (50 + 4 * (index % 25))) <= 3)
        }
    }
}
