import CTintypeSamples
import Foundation

/// The sample pictures that are embedded in the command.
struct DemoSample: Sendable {
    let name: String
    let mediaType: String
    let data: Data

    static var all: [DemoSample] {
        var count = 0
        guard let samples = tintype_samples(&count) else { return [] }
        return (0..<count).map { DemoSample(samples[$0]) }
    }

    private init(_ sample: tintype_sample) {
        name = String(cString: sample.name)
        mediaType = String(cString: sample.media_type)
        data = Data(bytes: sample.bytes, count: sample.count)
    }
}
