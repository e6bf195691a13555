import CTintypeSandbox
import Foundation
import TintypeCore

/// The input memory of a worker: blocks that the host has filled with encoded bytes.
final class WorkerInputs: Sendable {
    /// A mapped block.
    private struct Mapping: Sendable {
        let address: UInt
        let capacity: Int
        /// The number of `Data` values over it.
        var useCount = 0
    }

    private struct State: Sendable {
        var mappings: [Int: Mapping] = [:]
        /// The blocks whose bytes nothing refers to any more, until the host is told.
        var released: [Int] = []
    }

    private let state = Locked(State())

    deinit {
        for mapping in state.withLock({ $0.mappings.values }) { Self.unmap(mapping) }
    }

    /// Returns the bytes of a request, without a copy.
    ///
    /// - Parameter descriptor: The memory of a new block, which is closed; -1 for one that is mapped already.
    /// - Returns: `nil` if the request does not match the memory.
    func data(_ bytes: WorkerRequest.Bytes, descriptor: Int32) -> Data? {
        defer { if descriptor >= 0 { close(descriptor) } }
        switch bytes {
        case .none: return Data()
        case .inline(let data): return data
        case .block(let block, let capacity, let count):
            if descriptor >= 0 { map(block, capacity, descriptor) }
            guard let address = use(block, count) else { return nil }
            return Data(bytesNoCopy: address, count: count, deallocator: .custom { [self] _, _ in release(block) })
        }
    }

    /// Maps the memory of a new block, if it is as large as the host says.
    private func map(_ block: Int, _ capacity: Int, _ descriptor: Int32) {
        guard tintype_memory_is_fixed(descriptor, capacity),
            let address = mmap(nil, capacity, PROT_READ, MAP_SHARED, descriptor, 0), address != MAP_FAILED
        else { return }
        let mapping = Mapping(address: UInt(bitPattern: address), capacity: capacity)
        let isNew = state.withLock { state in
            guard state.mappings[block] == nil else { return false }
            state.mappings[block] = mapping
            return true
        }
        if !isNew { Self.unmap(mapping) }
    }

    private func use(_ block: Int, _ count: Int) -> UnsafeMutableRawPointer? {
        let address: UInt? = state.withLock { state in
            guard let mapping = state.mappings[block], count <= mapping.capacity else { return nil }
            state.mappings[block]?.useCount += 1
            return mapping.address
        }
        return address.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
    }

    private func release(_ block: Int) {
        state.withLock { state in
            state.mappings[block]?.useCount -= 1
            if state.mappings[block]?.useCount == 0 { state.released.append(block) }
        }
    }

    /// Unmaps blocks that the host has given up, unless bytes in them are in use.
    func drop(_ blocks: [Int]) {
        for block in blocks {
            let mapping = state.withLock { state in
                state.mappings[block]?.useCount == 0 ? state.mappings.removeValue(forKey: block) : nil
            }
            if let mapping { Self.unmap(mapping) }
        }
    }

    private static func unmap(_ mapping: Mapping) {
        munmap(UnsafeMutableRawPointer(bitPattern: mapping.address), mapping.capacity)
    }

    /// Returns the blocks whose bytes nothing refers to any more, each once.
    func takeReleased() -> [Int] {
        state.withLock { state in
            defer { state.released = [] }
            return state.released
        }
    }
}
