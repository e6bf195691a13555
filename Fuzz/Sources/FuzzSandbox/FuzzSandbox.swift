import Foundation
import FuzzSupport

/// The target that `TINTYPE_FUZZ` in the environment names: `worker` or `host`, whichever is hostile.
private let target = ProcessInfo.processInfo.environment["TINTYPE_FUZZ"] ?? ""
private let descriptors = DescriptorCheck()

/// The function that libFuzzer calls for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = FuzzInput(UnsafeBufferPointer(start: start, count: count))
    switch target {
    case "worker": WorkerTarget(input).run()
    case "host": HostTarget(input).run()
    default:
        print("TINTYPE_FUZZ must be worker or host")
        exit(2)
    }
    descriptors.check()
    return 0
}
