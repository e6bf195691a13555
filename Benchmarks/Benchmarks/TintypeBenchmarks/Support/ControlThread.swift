import Dispatch
import Foundation
import Tintype

/// Blocking work off the cooperative threads, as the controls do it.
enum ControlThread {
    private static let queue = DispatchQueue(label: "control", attributes: .concurrent)

    static func decode(_ bytes: @escaping @Sendable () throws -> Data) async throws -> Image {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Result { try JPEGDecoder().decode(try bytes(), DecodeContext()) })
            }
        }
    }
}
