import Foundation
import TintypeCore

/// A system call that the disk refused.
struct DiskFailure: Error {
    let number: Int32
    let path: String

    init(_ number: Int32, _ path: String) {
        self.number = number
        self.path = path
    }

    /// Whether removing something helps.
    var isFull: Bool { number == ENOSPC || number == EDQUOT }

    var error: TintypeError {
        TintypeError(.unwritable, stage: .store, "cannot write: \(SystemError.description(number))", subject: path)
    }
}
