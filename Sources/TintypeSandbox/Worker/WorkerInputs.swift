import Foundation
import TintypeCore

/// The input memory of a worker: blocks that the host has filled with encoded bytes.
final class WorkerInputs: Sendable {
    /// A mapped block.
    private struct Mapping: Sendable {
        let address: UInt
        let capacity: Int
    }

    private let mappings = Locked<[Int: Mapping]>([:])
    private let released = ReturnedBlocks()

    /// Returns the bytes of a request, without a copy.
    ///
    /// - Parameter descriptor: The memory of a new block, which is closed; -1 for one that is mapped already.
    /// - Returns: `nil` if the request does not match the memory.
    func data(_ bytes: WorkerRequest.Bytes, descriptor: Int32) -> Data? {
        switch bytes {
        case .none: return Data()
        case .inline(let data): return data
        case .block(let block, let capacity, let count):
            if descriptor >= 0 { map(block, capacity, descriptor) }
            guard let mapping = mappings.withLock({ $0[block] }), count <= mapping.capacity,
                let address = UnsafeMutableRawPointer(bitPattern: mapping.address)
            else { return nil }
            return Data(
                bytesNoCopy: address, count: count,
                deallocator: .custom { [released] _, _ in released.add(block) })
        }
    }

    private func map(_ block: Int, _ capacity: Int, _ descriptor: Int32) {
        let address = mmap(nil, capacity, PROT_READ, MAP_SHARED, descriptor, 0)
        close(descriptor)
        guard let address, address != MAP_FAILED else { return }
        mappings.withLock { $0[block] = Mapping(address: UInt(bitPattern: address), capacity: capacity) }
    }

    /// Unmaps blocks that the host has given up. It gives up only blocks that were released.
    func drop(_ blocks: [Int]) {
        for block in blocks {
            guard let mapping = mappings.withLock({ $0.removeValue(forKey: block) }) else { continue }
            munmap(UnsafeMutableRawPointer(bitPattern: mapping.address), mapping.capacity)
        }
    }

    /// Returns the blocks whose bytes nothing refers to any more, each once.
    func takeReleased() -> [Int] { released.take() }
}
