package import Foundation

/// The functions of a C library that is loaded when it is first needed, and never unloaded. A program that decodes no
/// image of its format does not need the library or its dependencies.
///
/// `@unchecked Sendable` because the addresses are never changed or freed.
package struct RuntimeLibrary: @unchecked Sendable {
    /// The addresses, in the order of the names: for C, a struct of function pointers. Those of optional functions that
    /// are missing are null.
    package let functions: OpaquePointer

    /// The names of functions, as a C target lists them.
    package struct FunctionNames: Sendable {
        let required: [String]
        let optional: [String]

        /// - Parameters:
        ///   - required: C strings, up to a null pointer.
        ///   - optional: The names that follow. A library may lack these functions.
        package init(
            _ required: UnsafePointer<UnsafePointer<CChar>?>, optional: UnsafePointer<UnsafePointer<CChar>?>? = nil
        ) {
            (self.required, self.optional) = (Self.names(required), optional.map(Self.names) ?? [])
        }

        private static func names(_ list: UnsafePointer<UnsafePointer<CChar>?>) -> [String] {
            var (names, next) = ([String](), list)
            while let name = next.pointee {
                names.append(String(cString: name))
                next += 1
            }
            return names
        }
    }

    /// The description of a library in errors.
    package struct Description: Sendable {
        let purpose: String
        let packages: String

        /// - Parameters:
        ///   - purpose: The name, with what it does: "LibRaw, which decodes raw images".
        ///   - packages: The packages that contain it: "libraw20 on Debian 12, LibRaw on Fedora".
        package init(_ purpose: String, packages: String) {
            (self.purpose, self.packages) = (purpose, packages)
        }
    }

    /// Loads the first library that is installed and has all functions.
    ///
    /// - Parameters:
    ///   - files: File names, as dlopen(3) takes them, the preferred one first.
    ///   - names: The functions to look up. dlsym(3) also searches the libraries that a library links.
    ///   - isIsolated: Whether the library calls its own functions, and those of the libraries that it links, even if
    ///     the program links others with these names. Not with a sanitizer, which does not allow that.
    /// - Throws: ``TintypeError/Code/noCoder`` with the reasons for all names.
    package init(
        _ files: [String], functions names: FunctionNames, _ description: Description, isIsolated: Bool = false
    ) throws(TintypeError) {
        var reasons: [String] = []
        for file in files {
            switch Self.load(file, names, isIsolated: isIsolated) {
            case .success(let functions):
                self.functions = functions
                return
            case .failure(let reason): reasons.append(reason.text)
            }
        }
        throw TintypeError(
            .noCoder, stage: .decode,
            "\(description.purpose), cannot be loaded; install \(description.packages): "
                + reasons.joined(separator: "; "))
    }

    /// The flag of dlopen(3) for an isolated library.
    private static let isolation: Int32 = {
        let program = dlopen(nil, RTLD_NOW)
        let hasSanitizer = dlsym(program, "__asan_init") != nil || dlsym(program, "__tsan_init") != nil
        return hasSanitizer ? 0 : RTLD_DEEPBIND
    }()

    /// The reason for which a library cannot be used.
    private struct Reason: Error {
        let text: String
    }

    private static func load(
        _ file: String, _ names: FunctionNames, isIsolated: Bool
    ) -> Result<OpaquePointer, Reason> {
        // Never closed, because the types of some libraries cannot be unregistered.
        guard let handle = dlopen(file, RTLD_NOW | RTLD_LOCAL | (isIsolated ? isolation : 0)) else {
            return .failure(Reason(text: dlerror().map { String(cString: $0) } ?? "\(file): unknown error"))
        }
        let required = names.required.map { dlsym(handle, $0) }
        if let missing = required.firstIndex(of: nil) {
            return .failure(Reason(text: "\(file): it has no \(names.required[missing])"))
        }
        let addresses = required + names.optional.map { dlsym(handle, $0) }
        let functions = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: max(addresses.count, 1))
        functions.initialize(from: addresses, count: addresses.count)
        return .success(OpaquePointer(functions))
    }
}

/// A C library whose functions are called as if it were linked. On Linux it is loaded before the first image of its
/// format is decoded or encoded, and `CTintypeLibraries.h` defines the calls. On other systems it is linked.
package protocol OnDemandLibrary {
    /// The names of the library, as dlopen(3) takes them.
    static var files: [String] { get }
    /// Whether it is loaded isolated; see ``RuntimeLibrary``. `false` by default.
    static var isIsolated: Bool { get }
    /// The result of loading the library. Implement it as a static constant, so that the library is loaded once, when
    /// it is first needed.
    static var loaded: Result<Void, TintypeError> { get }
}

extension OnDemandLibrary {
    package static var isIsolated: Bool { false }

    /// Loads the library, unless it is loaded. Call it before any other function of the library.
    ///
    /// - Parameter stage: The stage that needs the library.
    /// - Throws: ``TintypeError/Code/noCoder``.
    package static func load(for stage: TintypeError.Stage = .decode) throws(TintypeError) {
        try loaded.mapError { $0.at(stage) }.get()
    }

    #if os(Linux)
    /// Loads the library and passes the addresses of its functions to `connect`.
    ///
    /// - Parameters:
    ///   - names: The names that `TINTYPE_CALLS` lists.
    ///   - connect: The function of `TINTYPE_CALLS` that sets the addresses.
    /// - Returns: ``TintypeError/Code/noCoder`` if the library is missing or lacks functions.
    package static func connected(
        _ names: UnsafePointer<UnsafePointer<CChar>?>, _ connect: (UnsafeRawPointer?) -> Void,
        _ description: RuntimeLibrary.Description
    ) -> Result<Void, TintypeError> {
        Result { () throws(TintypeError) in
            let library = try RuntimeLibrary(files, functions: .init(names), description, isIsolated: isIsolated)
            connect(UnsafeRawPointer(library.functions))
        }
    }
    #else
    package static var loaded: Result<Void, TintypeError> { .success(()) }
    #endif
}

extension String {
    /// Creates a string from a message that C has written into a buffer, up to its null byte.
    package init(cText buffer: [CChar]) {
        self.init(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension Data {
    /// Takes over bytes that C has allocated, without a copy.
    package init(
        takingOver bytes: UnsafeMutablePointer<UInt8>, count: Int,
        freedBy free: @escaping @Sendable (UnsafeMutablePointer<UInt8>) -> Void
    ) {
        self.init(
            bytesNoCopy: bytes, count: count,
            deallocator: .custom { pointer, _ in free(pointer.assumingMemoryBound(to: UInt8.self)) })
    }
}
