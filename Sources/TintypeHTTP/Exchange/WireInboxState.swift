import NIOCore
import NIOHTTP1

/// The head of an answer, and how it came.
struct WireHead: Sendable {
    let status: Int
    let version: HTTPVersion
    let headers: HTTPHeaders
    let arrived: Duration
    /// `nil` when it is not known.
    let connection: ConnectionUse?
}

/// What has arrived of one answer and has not been taken. It knows no threads and no time.
struct WireInboxState: Sendable {
    /// Who is sent more than this has to be waited for: 256 KB.
    static let capacity = 256 << 10

    /// What one waits for.
    enum Part: Sendable {
        case head
        case body
    }

    private(set) var head: WireHead?
    private var pieces: [ByteBuffer] = []
    private var byteCount = 0
    private var end: Result<Void, any Error>?
    /// Over what it failed before its head came.
    private(set) var failedConnection: ConnectionUse?

    var isFull: Bool { byteCount >= Self.capacity }

    /// Whether one who waits for a part need wait no longer.
    func has(_ part: Part) -> Bool {
        if end != nil { return true }
        return part == .head ? head != nil : !pieces.isEmpty
    }

    mutating func receive(_ head: WireHead) {
        self.head = head
    }

    mutating func receive(_ piece: ByteBuffer) {
        pieces.append(piece)
        byteCount += piece.readableBytes
    }

    /// Only the first end counts.
    mutating func finish(_ result: Result<Void, any Error>, over connection: ConnectionUse? = nil) {
        guard end == nil else { return }
        end = result
        if head == nil { failedConnection = connection }
    }

    /// The head, if it is there.
    ///
    /// - Throws: what the request failed with.
    func takeHead() throws -> WireHead? {
        if let head { return head }
        try end?.get()
        return nil
    }

    /// What has arrived of the body, even if it broke off behind it; empty at its end.
    mutating func takePieces() throws -> [ByteBuffer] {
        guard pieces.isEmpty else {
            defer { pieces = [] }
            byteCount = 0
            return pieces
        }
        try end?.get()
        return []
    }
}
