import CTintypeSandbox
import Foundation
import TintypeCore

/// Serves the host until it ends. Called before `main`, by the constructor of `CTintypeSandbox`.
@_cdecl("tintype_worker_main")
func workerMain() {
    let socket = WorkerSocket(descriptor: Int32(TINTYPE_WORKER_SOCKET))
    guard tintype_worker_enter() == 0, let message = socket.receive(acceptsDescriptor: true),
        message.kind == HostMessageKind.start.rawValue, let flag = CancelFlag(mapping: message.descriptor)
    else { return }
    var reader = WireReader(message.body)
    guard let start = try? reader.start() else { return }
    let ready = WorkerWorld.enter(start)
    var writer = WireWriter()
    writer.write(ready)
    guard socket.send(WorkerMessageKind.ready.rawValue, writer.bytes), ready.problem.isEmpty else { return }
    WorkerSession(socket, flag).run()
}

/// The restrictions of a worker.
enum WorkerWorld {
    /// Prepares the decoders of this worker and gives up everything that they do not need.
    static func enter(_ start: WorkerStart) -> WorkerReady {
        // Sanitizers make system calls of their own, at any time.
        let isSanitized = tintype_has_sanitizer()
        let version = isSanitized ? 0 : min(start.landlockVersion, Int(tintype_landlock_version()))
        var ready = WorkerReady(landlockVersion: version, isFiltered: false, dataBytes: 0)
        let fonts = start.readsFonts ? WorkerFonts.paths() : []
        // Before anything that starts threads, which would stay free.
        guard restrict(version, reading: fonts + libraries) else {
            ready.problem = "Landlock could not be applied: \(SystemError.description(errno))"
            return ready
        }
        for name in start.decoders { WorkerDecoders.type(named: name)?.prepareWorker() }
        ready.dataBytes = dataBytes()
        guard ready.dataBytes > 0 || isSanitized else {
            ready.problem = "its memory cannot be measured without /proc"
            return ready
        }
        // The libraries are loaded, so that only the fonts are left to be read.
        guard restrict(version, reading: fonts) else {
            ready.problem = "Landlock could not be applied twice: \(SystemError.description(errno))"
            return ready
        }
        guard !isSanitized, tintype_filter_is_supported() else { return ready }
        ready.isFiltered = tintype_filter_install(start.readsFonts) == 0
        return ready
    }

    private static func restrict(_ version: Int, reading paths: [String]) -> Bool {
        let copies = paths.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { UnsafePointer($0) } + [nil]
        return pointers.withUnsafeBufferPointer { list in
            list.baseAddress.map { tintype_landlock_restrict(Int32(version), $0) == 0 } ?? false
        }
    }

    /// The folders from which libraries and their modules are loaded before the first image.
    private static var libraries: [String] {
        let environment = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? ""
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return [
            "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64", "/opt", "/nix/store",
            "/gnu/store", "/etc/ld.so.cache", "/usr/share/mime", "/usr/share/locale", "/proc/self/status",
            "/sys/devices/system/cpu",
        ] + libraries(nextTo: program) + environment.split(separator: ":").map(String.init)
    }

    /// Returns the libraries in the folder of the program, but not the folder: it may contain files of any kind, and
    /// threads that start now stay able to read it.
    private static func libraries(nextTo program: String) -> [String] {
        let folder = (program as NSString).deletingLastPathComponent
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return [program] + names.filter { $0.hasSuffix(".so") || $0.contains(".so.") }.map { "\(folder)/\($0)" }
    }

    /// Sanitizers reserve terabytes, which is more than a message may state.
    private static func dataBytes() -> Int { min(Int(clamping: tintype_worker_data_bytes()), 1 << 40) }
}

/// The decoders of a worker, found by the names of their types.
enum WorkerDecoders {
    /// Returns the name by which a worker finds a type.
    static func name(of type: any SandboxableImageDecoder.Type) -> String? { _mangledTypeName(type) }

    /// Returns the type with a name, if it is a decoder of this program.
    static func type(named name: String) -> (any SandboxableImageDecoder.Type)? {
        _typeByName(name) as? any SandboxableImageDecoder.Type
    }
}

/// A flag that the host sets to ask its worker to stop decoding.
///
/// `@unchecked Sendable` because the memory is mapped as long as this object lives, and accessed only atomically.
final class CancelFlag: @unchecked Sendable {
    private let page: UnsafeMutableRawPointer
    private static let length = 4096

    /// Maps memory of another process, and closes the descriptor.
    ///
    /// - Returns: `nil` if it cannot be mapped.
    init?(mapping descriptor: Int32, isWritable: Bool = false) {
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard tintype_memory_is_fixed(descriptor, Self.length) else { return nil }
        let access = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
        guard let page = mmap(nil, Self.length, access, MAP_SHARED, descriptor, 0), page != MAP_FAILED else {
            return nil
        }
        self.page = page
    }

    deinit {
        munmap(page, Self.length)
    }

    /// Creates memory for a flag.
    ///
    /// - Returns: Its descriptor, or -1.
    static func makeMemory() -> Int32 { tintype_memory_create(length) }

    var isSet: Bool { tintype_flag_load(page.assumingMemoryBound(to: UInt32.self)) != 0 }

    func set(_ isSet: Bool) {
        tintype_flag_store(page.assumingMemoryBound(to: UInt32.self), isSet ? 1 : 0)
    }
}
