import Foundation

/// What libFuzzer calls. `TINTYPE_FUZZ` in the environment names the target: a format, or `sniffer`.
private let target = FuzzTarget(name: ProcessInfo.processInfo.environment["TINTYPE_FUZZ"] ?? "")

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else {
        print("TINTYPE_FUZZ names no target: \(FuzzTarget.allNames.joined(separator: " "))")
        exit(2)
    }
    target.run(start.map { Data(bytes: $0, count: count) } ?? Data())
    return 0
}
