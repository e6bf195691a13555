import Foundation
import TintypeCore

/// The first message to a worker: what it prepares before its system calls are restricted.
struct WorkerStart: Equatable {
    /// The types of its decoders, as the runtime finds them by name.
    var decoders: [String]
    /// Whether the worker may read fonts.
    var readsFonts: Bool
    /// The highest version of Landlock to use.
    var landlockVersion: Int
}

/// Work for one image, with news of the memory that the host and the worker share.
struct WorkerRequest {
    var operation: Operation
    /// The type of the decoder.
    var decoder = ""
    /// The encoded bytes, or those that have arrived since.
    var bytes = Bytes.none
    var context = DecodeContext()
    /// The blocks of output memory that the host no longer reads.
    var returnedBlocks: [Int] = []
    /// The blocks of input memory that the host has given up.
    var droppedInputs: [Int] = []
    /// The frame decoders and preview decoders that nothing uses any more.
    var closedHandles: [Int] = []

    /// What to do with the bytes. Each but ``frame(_:index:)``, ``preview(_:)`` and ``openPreviews`` is a function of a
    /// decoder protocol.
    enum Operation: Equatable {
        case info(isComplete: Bool)
        case limitedInfo
        case decode
        case verifiedInfo
        case verifyImages
        case salvage
        case xmp
        /// Opens the frames of a complete animation.
        case openFrames
        /// Opens the frames that have arrived.
        case openArrivedFrames
        /// Decodes a frame of an open animation.
        case frame(Int, index: Int)
        /// Opens a decoder of previews.
        case openPreviews
        /// Decodes the next bytes of a preview.
        case preview(Int)
    }

    /// Where the encoded bytes are.
    enum Bytes: Equatable {
        case none
        /// In the message.
        case inline(Data)
        /// In a block of input memory, of which the worker receives the descriptor if it is new.
        case block(Int, capacity: Int, count: Int)
    }
}

/// The kinds of messages to a worker.
enum HostMessageKind: UInt8 {
    case start = 1
    case request = 2
    /// The output memory that the worker has asked for: its number and size, or a size of 0 if it gets none.
    case grant = 3
}

// MARK: - Coding

extension WireWriter {
    mutating func write(_ start: WorkerStart) {
        write(start.decoders) { $0.write($1) }
        write(start.readsFonts)
        write(start.landlockVersion)
    }

    mutating func write(_ request: WorkerRequest) {
        write(request.operation)
        write(request.decoder)
        switch request.bytes {
        case .none: write(UInt8(0))
        case .inline(let data):
            write(UInt8(1))
            write(data)
        case .block(let block, let capacity, let count):
            write(UInt8(2))
            write(block)
            write(capacity)
            write(count)
        }
        write(request.context)
        write(request.returnedBlocks) { $0.write($1) }
        write(request.droppedInputs) { $0.write($1) }
        write(request.closedHandles) { $0.write($1) }
    }

    private mutating func write(_ operation: WorkerRequest.Operation) {
        let (code, numbers): (UInt8, [Int]) =
            switch operation {
            case .info(let isComplete): (0, [isComplete ? 1 : 0])
            case .limitedInfo: (1, [])
            case .decode: (2, [])
            case .verifiedInfo: (3, [])
            case .verifyImages: (4, [])
            case .salvage: (5, [])
            case .xmp: (6, [])
            case .openFrames: (7, [])
            case .openArrivedFrames: (8, [])
            case .frame(let handle, let index): (9, [handle, index])
            case .openPreviews: (10, [])
            case .preview(let handle): (11, [handle])
            }
        write(code)
        for number in numbers { write(number) }
    }
}

extension WireReader {
    mutating func start() throws(WireError) -> WorkerStart {
        WorkerStart(
            decoders: try array(of: 8) { (reader) throws(WireError) in try reader.string() }, readsFonts: try flag(),
            landlockVersion: try anyInt())
    }

    mutating func request() throws(WireError) -> WorkerRequest {
        var request = WorkerRequest(operation: try operation())
        request.decoder = try string()
        switch try number(UInt8.self) {
        case 0: break
        case 1: request.bytes = .inline(try data())
        case 2:
            request.bytes = .block(try anyInt(), capacity: try int(in: 1...1 << 40), count: try int(in: 0...1 << 40))
        case let kind: throw WireError("\(kind) is no place of bytes")
        }
        request.context = try context()
        request.returnedBlocks = try array(of: 8) { (reader) throws(WireError) in try reader.anyInt() }
        request.droppedInputs = try array(of: 8) { (reader) throws(WireError) in try reader.anyInt() }
        request.closedHandles = try array(of: 8) { (reader) throws(WireError) in try reader.anyInt() }
        return request
    }

    private mutating func operation() throws(WireError) -> WorkerRequest.Operation {
        switch try number(UInt8.self) {
        case 0: .info(isComplete: try int(in: 0...1) == 1)
        case 1: .limitedInfo
        case 2: .decode
        case 3: .verifiedInfo
        case 4: .verifyImages
        case 5: .salvage
        case 6: .xmp
        case 7: .openFrames
        case 8: .openArrivedFrames
        case 9: .frame(try anyInt(), index: try int(in: 0...Int.max))
        case 10: .openPreviews
        case 11: .preview(try anyInt())
        case let code: throw WireError("\(code) is no operation")
        }
    }
}
