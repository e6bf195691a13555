import Tintype

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
