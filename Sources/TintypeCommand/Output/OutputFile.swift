import Foundation
import Tintype

/// Writes whole files: under a temporary name beside the target, then renamed, so that a failure leaves nothing behind.
enum OutputFile {
    /// - Throws: ``TintypeError/Code/unwritable``.
    static func write(_ data: Data, to path: String) async throws(TintypeError) {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            let temporary = "\(path).\(UUID().uuidString.prefix(8)).part"
            do {
                try data.write(to: URL(filePath: temporary))
                guard rename(temporary, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            } catch {
                let number = errno
                unlink(temporary)
                throw failure(error, number, path)
            }
        }
    }

    /// - Throws: ``TintypeError/Code/unwritable``.
    static func makeFolder(_ path: String) throws(TintypeError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw failure(error, errno, path)
        }
    }

    private static func failure(_ error: any Error, _ number: Int32, _ path: String) -> TintypeError {
        let posix = (error as? CocoaError)?.underlying as? POSIXError
        let reason = SystemError.description(posix?.code.rawValue ?? number)
        return TintypeError(.unwritable, stage: .store, "cannot write: \(reason)", subject: path, underlying: error)
    }
}
