import CXXHash
import TintypeCore

/// The XXH3 checksum with 64 bits, as in the disk cache.
///
/// It detects accidents: values that were cut off, mixed up or damaged. It does not detect a change by someone who can
/// write to the store, who could compute any digest as well: restrict who can. SHA-256 would protect no more, and libmd
/// takes more than 10 ms a megabyte for it, which is longer than the transfer in a data centre; this takes about 0.2
/// ms.
enum EntryChecksum {
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        XXH3_64bits(bytes.baseAddress, bytes.count)
    }
}
