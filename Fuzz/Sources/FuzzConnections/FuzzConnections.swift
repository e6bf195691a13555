import Foundation
import FuzzSupport

@testable import TintypeTesting

/// The target that `TINTYPE_FUZZ` in the environment names: `http1` or `http2`.
private let target = wait { await ConnectionTarget(environment: ProcessInfo.processInfo.environment) }

/// The function that libFuzzer calls for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else {
        print(
            "TINTYPE_FUZZ must be http1 or http2 (if libcurl is new enough), and TINTYPE_FUZZ_IDENTITY a file")
        exit(2)
    }
    let input = FuzzInput(UnsafeBufferPointer(start: start, count: count))
    wait { await target.run(input) }
    return 0
}

/// Blocks the fuzzer's thread until `body` has returned.
private func wait<Value: Sendable>(for body: @escaping @Sendable () async -> Value) -> Value {
    let (done, result) = (DispatchSemaphore(value: 0), Shared<Value?>(nil))
    Task.detached {
        let value = await body()
        result.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    guard let value = result.now else { preconditionFailure("the semaphore is signalled after the result is set") }
    return value
}
