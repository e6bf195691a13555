import Foundation

/// The beginning of a file, mapped for reading: nothing is copied, and the pages are those of the page cache.
///
/// The file must not be written or cut while this lives: what is cut off may not be touched any more (`SIGBUS`). Files of
/// a disk cache are not: they get their names when they are whole, are replaced by renaming, and keep their pages after
/// they are removed.
///
/// `@unchecked Sendable` because the memory is mapped for reading only and stays until this is gone.
package final class MappedBytes: @unchecked Sendable {
    package let bytes: UnsafeRawBufferPointer

    /// `nil` where it cannot be mapped: a process may have only so many mappings (`vm.max_map_count`).
    package init?(_ descriptor: Int32, count: Int) {
        // Populated: a fault for each page would cost more than all else.
        guard count > 0,
            let memory = mmap(nil, count, PROT_READ, MAP_PRIVATE | Int32(MAP_POPULATE), descriptor, 0),
            memory != MAP_FAILED
        else { return nil }
        bytes = UnsafeRawBufferPointer(start: memory, count: count)
    }

    deinit {
        munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    }
}
