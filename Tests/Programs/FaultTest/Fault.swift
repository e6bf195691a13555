import Foundation
import TintypeCore
import TintypeTesting

/// The behaviour of the origin for one URL. A run has about the same number of URLs of each.
enum Fault: Int, CaseIterable, Sendable {
    /// A correct response.
    case none
    /// A correct response that arrives slowly.
    case slow
    /// The connection breaks in the body. A third of these bodies can be resumed.
    case broken
    /// The origin stops sending, or closes the connection without a response.
    case silent
    /// A status that has no image.
    case status
    /// A redirect: to the image, in a cycle, or to an address that must not be reached.
    case redirect
    /// A length or a coding that the body does not have.
    case misframed
    /// A complete transfer of a damaged file.
    case damaged
    /// A complete transfer of something that is not an image.
    case foreign
    /// A small response that declares, or becomes, something huge.
    case bomb
}

/// The result that a load must have.
enum Expectation: Sendable {
    /// The image of the URL's number.
    case image
    /// One of these errors.
    case error(Set<TintypeError.Code>)
    /// The image, or one of these errors.
    case either(Set<TintypeError.Code>)
}

/// One URL of a run. Number and seed determine everything about it, so that the origin and the loads agree.
struct FaultCase: Sendable {
    let number: Int
    let seed: UInt64

    /// The path at the origin.
    var path: String { "/\(number)" }

    /// The fault of this URL.
    var fault: Fault { Fault.allCases[number % Fault.allCases.count] }

    /// The variant of the fault.
    private var variant: Int {
        var random = random(1)
        return Int(random.next() % 1000)
    }

    /// Whether the connection breaks in a body that can be resumed.
    var isResumable: Bool { fault == .broken && variant % 3 == 2 }

    /// Random numbers for one purpose.
    private func random(_ purpose: UInt64) -> SeededRandom {
        SeededRandom(seed: seed &+ UInt64(number) &* 0x9E37_79B9 &+ purpose)
    }
}

// MARK: - The responses of the origin

extension FaultCase {
    /// The response of the origin.
    ///
    /// - Parameter closedPort: A port of the machine at which nothing listens.
    func response(closedPort: Int) throws(TintypeError) -> OriginResponse {
        let image = try FaultImage(number: number).png()
        let right = OriginResponse.image(image, type: "image/png")
        switch fault {
        case .none:
            return right.setting(\.framing, to: [.contentLength, .chunked(size: 100), .untilClose][variant % 3])
        case .slow:
            return right.setting(\.latency, to: .milliseconds(variant % 100)).setting(
                \.bandwidth, to: image.count * 4 + 1)
        case .broken:
            let position = variant % (image.count - 1)
            return right.setting(\.ending, to: variant % 2 == 0 ? .cut(after: position) : .reset(after: position))
        case .silent:
            return right.setting(\.ending, to: [.silence(after: image.count / 2), .never, .dropped][variant % 3])
        case .status: return .status(Self.statuses[variant % Self.statuses.count])
        case .redirect: return redirect(closedPort: closedPort)
        case .misframed: return misframed(right)
        case .damaged: return right.setting(\.body, to: damaged(image))
        case .foreign: return foreign
        case .bomb: return bomb
        }
    }

    /// The response to a request for a resumable body: the part that is asked for, or the beginning of the whole body.
    func resumableResponse(to request: OriginRequest) throws(TintypeError) -> OriginResponse {
        let file = try FaultImage(number: number).largePNG()
        let whole = OriginResponse.image(file, type: "image/png").with(header: "ETag", value: "\"\(number)\"")
        guard let range = request[header: "range"], let start = Int(range.dropFirst("bytes=".count).dropLast()),
            (1..<file.count).contains(start)
        else { return whole.setting(\.ending, to: .cut(after: 70_000 + variant)) }
        return whole.setting(\.status, to: 206).setting(\.body, to: Data(file.dropFirst(start)))
            .with(header: "Content-Range", value: "bytes \(start)-\(file.count - 1)/\(file.count)")
    }

    private static let statuses = [
        204, 304, 400, 401, 403, 404, 407, 408, 410, 418, 421, 429, 500, 501, 502, 503, 504, 599,
    ]

    private func redirect(closedPort: Int) -> OriginResponse {
        switch variant % 5 {
        case 0: .redirect(to: "/image/\(number)")
        case 1: .redirect(to: "/hop/\(number)", status: 308)
        case 2: .redirect(to: path)
        case 3: .redirect(to: "file:///etc/passwd", status: 301)
        default: .redirect(to: "http://127.0.0.1:\(closedPort)/", status: 307)
        }
    }

    private func misframed(_ right: OriginResponse) -> OriginResponse {
        switch variant % 4 {
        case 0: right.setting(\.framing, to: .declared(right.body.count + 1 + variant))
        case 1: right.setting(\.framing, to: .declared(Int.max))
        case 2: right.with(header: "Content-Encoding", value: "gzip")
        default: right.setting(\.framing, to: .declared(right.body.count / 2))
        }
    }

    private func damaged(_ image: Data) -> Data {
        var random = random(2)
        var damaged = image
        guard variant % 3 > 0 else { return image.prefix(Int.random(in: 8..<image.count, using: &random)) }
        for _ in 0...variant % 4 {
            damaged[Int.random(in: 0..<damaged.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        }
        return damaged
    }

    private var foreign: OriginResponse {
        var random = random(3)
        return switch variant % 3 {
        case 0: .html("<html><body>\(number)</body></html>")
        case 1: .image(Data(), type: "image/png")
        default:
            .image(Data((0..<2000).map { _ in UInt8.random(in: .min ... .max, using: &random) }), type: "image/png")
        }
    }

    private var bomb: OriginResponse { Self.bombs[variant % Self.bombs.count] }

    /// One of each for all URLs: a thousand of them would need gigabytes.
    private static let bombs: [OriginResponse] = [
        .image(Bomb.png(PixelSize(width: 100_000, height: 100_000)), type: "image/png"),
        .image(Bomb.gif(PixelSize(width: 65_000, height: 65_000), frames: 2), type: "image/gif"),
        .image(Bomb.jpeg(scans: 100_000), type: "image/jpeg"),
        .status(200).with(header: "X-Padding", value: String(repeating: "a", count: 1 << 20)),
        .image(Data(count: 12 << 20), type: "image/png").setting(\.framing, to: .chunked(size: 1 << 16)),
        // Moved to a file while it arrives.
        .image(Data(count: 9 << 20), type: "image/png"),
    ]
}

// MARK: - What the load must return

extension FaultCase {
    /// The result that a load must have.
    var expectation: Expectation {
        switch fault {
        case .none, .slow: .image
        case .broken where isResumable:
            // The next round requests the rest.
            .either([.truncatedBody, .transport])
        case .broken: .error([.truncatedBody, .transport])
        case .silent: .error([.timedOut, .truncatedBody, .transport])
        case .status: .error([.badStatus, .emptyBody])
        case .redirect:
            switch variant % 5 {
            case 0, 1: .image
            case 2: .error([.tooManyRedirects])
            case 3: .error([.invalidSource, .transport, .refusedRequest, .forbidden])
            default: .error([.unreachable, .transport])
            }
        case .misframed:
            // The first half of a file may be all that a reader asks for, but it is never the image.
            .error([.truncatedBody, .transport, .limitExceeded, .undecipherable, .undecodable])
        // A changed byte may be one that does not count.
        case .damaged: .either([.undecodable, .notAnImage, .limitExceeded, .noCoder])
        case .foreign: .error([.notAnImage, .emptyBody, .noCoder, .undecodable])
        case .bomb: .error([.limitExceeded, .undecodable, .notAnImage, .transport, .emptyBody])
        }
    }
}
