// swift-tools-version:6.2
import PackageDescription

/// The settings of every Swift target: the language of the next release, today.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

extension Target.Dependency {
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let gtk = withGTK("CGTK")
    static let heap = product(name: "HeapModule", package: "swift-collections")
    static let grdb = product(name: "GRDB", package: "GRDB.swift")
    static let sqlite = product(name: "GRDBSQLite", package: "GRDB.swift")
    static let metrics = product(name: "CoreMetrics", package: "swift-metrics")
    static let metricsTesting = product(name: "MetricsTestKit", package: "swift-metrics")
    static let hummingbird = product(
        name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"]))
    static let hummingbirdCore = product(
        name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Server"]))
    static let hummingbirdHTTP2 = product(
        name: "HummingbirdHTTP2", package: "hummingbird", condition: .when(traits: ["Server"]))
    static let logging = product(name: "Logging", package: "swift-log")
    static let serviceLifecycle = product(
        name: "ServiceLifecycle", package: "swift-service-lifecycle",
        condition: .when(traits: ["Server", "ServiceLifecycle"]))
    static let serviceLifecycleTesting = product(
        name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle",
        condition: .when(traits: ["ServiceLifecycle"]))
    static let tracing = product(
        name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"]))
    static let tracingTesting = product(
        name: "InMemoryTracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"]))
}

extension Target.Dependency {
    /// A target that is needed only with the trait GTK.
    static func withGTK(_ name: String) -> Target.Dependency {
        .target(name: name, condition: .when(traits: ["GTK"]))
    }
}

let package = Package(
    name: "Tintype",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Tintype", targets: ["Tintype"]),
        .library(name: "TintypeAVIF", targets: ["TintypeAVIF"]),
        .library(name: "TintypeBMP", targets: ["TintypeBMP"]),
        .library(name: "TintypeCore", targets: ["TintypeCore"]),
        .library(name: "TintypeDisk", targets: ["TintypeDisk"]),
        .library(name: "TintypeGIF", targets: ["TintypeGIF"]),
        .library(name: "TintypeGTK", targets: ["TintypeGTK"]),
        .library(name: "TintypeHEIF", targets: ["TintypeHEIF"]),
        .library(name: "TintypeHTTP", targets: ["TintypeHTTP"]),
        .library(name: "TintypeHummingbird", targets: ["TintypeHummingbird"]),
        .library(name: "TintypeICO", targets: ["TintypeICO"]),
        .library(name: "TintypeJPEG", targets: ["TintypeJPEG"]),
        .library(name: "TintypeJXL", targets: ["TintypeJXL"]),
        .library(name: "TintypeLifecycle", targets: ["TintypeLifecycle"]),
        .library(name: "TintypePDF", targets: ["TintypePDF"]),
        .library(name: "TintypePNG", targets: ["TintypePNG"]),
        .library(name: "TintypeRAW", targets: ["TintypeRAW"]),
        .library(name: "TintypeEXR", targets: ["TintypeEXR"]),
        .library(name: "TintypeJPEG2000", targets: ["TintypeJPEG2000"]),
        .library(name: "TintypePNM", targets: ["TintypePNM"]),
        .library(name: "TintypeTGA", targets: ["TintypeTGA"]),
        .library(name: "TintypeVideo", targets: ["TintypeVideo"]),
        .library(name: "TintypeCairo", targets: ["TintypeCairo"]),
        .library(name: "TintypeRedis", targets: ["TintypeRedis"]),
        .library(name: "TintypeSandbox", targets: ["TintypeSandbox"]),
        .library(name: "TintypeSDWebImage", targets: ["TintypeSDWebImage"]),
        .library(name: "TintypeS3", targets: ["TintypeS3"]),
        .library(name: "TintypeShared", targets: ["TintypeShared"]),
        .library(name: "TintypeServer", targets: ["TintypeServer"]),
        .library(name: "TintypeSVG", targets: ["TintypeSVG"]),
        .library(name: "TintypeTerminal", targets: ["TintypeTerminal"]),
        .library(name: "TintypeTIFF", targets: ["TintypeTIFF"]),
        .library(name: "TintypeTracing", targets: ["TintypeTracing"]),
        .library(name: "TintypeViews", targets: ["TintypeViews"]),
        .library(name: "TintypeWebP", targets: ["TintypeWebP"]),
        .library(name: "TintypeTesting", targets: ["TintypeTesting"]),
        .executable(name: "tintype-server", targets: ["TintypeServerProgram"]),
        .executable(name: "tintype", targets: ["TintypeCommand"]),
    ],
    traits: [
        .trait(name: "GTK", description: "The views of TintypeGTK. Needs the development files of GTK 4.8 or later."),
        .trait(name: "Server", description: "The image server, on Hummingbird."),
        .trait(name: "ServiceLifecycle", description: "A pipeline as a service of swift-service-lifecycle."),
        .trait(name: "Tracing", description: "Loads and stages as spans of swift-distributed-tracing."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.8.0"),
    ],
    targets: [
        // C: pixel loops, and fences around codecs that report errors by longjmp.
        .target(name: "CTintypeKernels"),
        .target(name: "CTintypeExif"),
        .target(name: "CTintypeLibraries"),
        .systemLibrary(name: "CEventFD"),
        .systemLibrary(name: "CFileSystem"),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(
            name: "CGTK", pkgConfig: "gtk4",
            providers: [.apt(["libgtk-4-dev"]), .yum(["gtk4-devel"]), .brew(["gtk4"])]),
        .systemLibrary(
            name: "CLibGIF", pkgConfig: "libgif",
            providers: [.apt(["libgif-dev"]), .yum(["giflib-devel"]), .brew(["giflib"])]),
        .systemLibrary(
            name: "CLibJPEG", pkgConfig: "libjpeg",
            providers: [.apt(["libjpeg62-turbo-dev"]), .yum(["libjpeg-turbo-devel"]), .brew(["jpeg-turbo"])]),
        .systemLibrary(
            name: "CLibDeflate", pkgConfig: "libdeflate",
            providers: [.apt(["libdeflate-dev"]), .yum(["libdeflate-devel"]), .brew(["libdeflate"])]),
        .systemLibrary(
            name: "CLibLCMS", pkgConfig: "lcms2",
            providers: [.apt(["liblcms2-dev"]), .yum(["lcms2-devel"]), .brew(["little-cms2"])]),
        .systemLibrary(
            name: "CLibMD", pkgConfig: "libmd",
            providers: [.apt(["libmd-dev"]), .yum(["libmd-devel"]), .brew(["libmd"])]),
        .systemLibrary(
            name: "CLibPNG", pkgConfig: "libpng",
            providers: [.apt(["libpng-dev"]), .yum(["libpng-devel"]), .brew(["libpng"])]),
        .systemLibrary(
            name: "CLibRSVG", pkgConfig: "librsvg-2.0",
            providers: [.apt(["librsvg2-dev"]), .yum(["librsvg2-devel"]), .brew(["librsvg"])]),
        .systemLibrary(
            name: "CLibTIFF", pkgConfig: "libtiff-4",
            providers: [.apt(["libtiff-dev"]), .yum(["libtiff-devel"]), .brew(["libtiff"])]),
        .systemLibrary(
            name: "CLibWebP", pkgConfig: "libwebpdemux",
            providers: [.apt(["libwebp-dev"]), .yum(["libwebp-devel"]), .brew(["webp"])]),
        .systemLibrary(
            name: "CXXHash", pkgConfig: "libxxhash",
            providers: [.apt(["libxxhash-dev"]), .yum(["xxhash-devel"]), .brew(["xxhash"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"]), .brew(["zlib"])]),
        // libcurl, which is loaded at the first request.
        .target(name: "CTintypeCurl", dependencies: ["CTintypeLibraries"]),
        .target(name: "CTintypeGIF", dependencies: ["CLibGIF"]),
        // Without the trait, it is empty, and the Swift module over it compiles, but cannot be linked.
        .target(
            name: "CTintypeGTK", dependencies: [.gtk],
            cSettings: [.define("TINTYPE_GTK", .when(traits: ["GTK"]))]),
        .target(name: "CTintypeJPEG", dependencies: ["CTintypeExif", "CLibJPEG"]),
        .target(name: "CTintypeSamples", exclude: ["Samples"]),
        .target(name: "CTintypePNG", dependencies: ["CTintypeExif", "CLibDeflate", "CLibPNG", "CZlib"]),
        // Loads poppler-glib, which is under the GPL, when the first PDF is decoded. Only the product TintypePDF
        // contains it.
        .target(name: "CTintypePDF"),
        // Loads LibRaw when the first raw image is decoded.
        .target(name: "CTintypeRAW"),
        // Loads OpenEXRCore when the first OpenEXR is decoded.
        .target(name: "CTintypeEXR"),
        // Loads OpenJPEG when the first JPEG 2000 is decoded.
        .target(name: "CTintypeJP2"),
        // Loads libraries of FFmpeg when the first video is decoded.
        .target(name: "CTintypeVideo"),
        // Loads cairo when a program first draws with it.
        .target(name: "CTintypeCairo"),
        // Loads librsvg when the first SVG is decoded, so it is not linked: see SVGDeclarations.
        .target(name: "CTintypeSVG"),
        .target(name: "CTintypeTIFF", dependencies: ["CLibTIFF"]),
        // Loads libssl of OpenSSL when the first connection with TLS is opened.
        .target(name: "CTintypeTLS"),
        // The pkg-config file of libwebpdemux does not name the part of libwebp that writes animations.
        .target(
            name: "CTintypeWebP", dependencies: ["CTintypeExif", "CLibWebP"],
            linkerSettings: [.linkedLibrary("webpmux")]),

        // Sessions of TLS over sockets of our own: those of test servers, and of clients of shared caches.
        .target(name: "TintypeTLS", dependencies: ["TintypeCore", "CTintypeTLS"], swiftSettings: swiftSettings),

        // The engine.
        .target(
            name: "TintypeCore",
            dependencies: ["CEventFD", "CLibMD", "CTintypeKernels", .heap, .logging, .metrics],
            swiftSettings: swiftSettings,
            // For RuntimeLibrary, on systems with a C library before glibc 2.34.
            linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(
            name: "TintypeDisk", dependencies: ["TintypeCore", "CFileSystem", "CXXHash", .grdb, .logging, .sqlite],
            swiftSettings: swiftSettings),
        .target(
            name: "TintypeHTTP",
            dependencies: [
                "TintypeCore", "CLibPSL", "CLibZstd", "CTintypeCurl", "CZlib", .logging,
            ],
            swiftSettings: swiftSettings),
        .target(
            name: "TintypeAVIF", dependencies: ["TintypeColor", "TintypeCore", "CLibAVIF"], swiftSettings: swiftSettings
        ),
        .target(name: "TintypeBMP", dependencies: ["TintypeCore"], swiftSettings: swiftSettings),
        .target(name: "TintypeColor", dependencies: ["TintypeCore", "CLibLCMS"], swiftSettings: swiftSettings),
        .target(name: "TintypeGIF", dependencies: ["TintypeCore", "CTintypeGIF"], swiftSettings: swiftSettings),
        .target(
            name: "TintypeGTK", dependencies: ["TintypeCore", "TintypeViews", "CTintypeGTK"],
            swiftSettings: swiftSettings),
        .target(
            name: "TintypeHEIF", dependencies: ["TintypeColor", "TintypeCore", "CLibDE265", "CLibHEIF"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "TintypeICO", dependencies: ["TintypeBMP", "TintypeCore", "TintypePNG"], swiftSettings: swiftSettings),
        .target(
            name: "TintypeJPEG", dependencies: ["TintypeColor", "TintypeCore", "CTintypeJPEG"],
            swiftSettings: swiftSettings),
        .target(
            name: "TintypeJXL", dependencies: ["TintypeColor", "TintypeCore", "CLibJXL"], swiftSettings: swiftSettings),
        .target(name: "TintypePDF", dependencies: ["TintypeCore", "CTintypePDF"], swiftSettings: swiftSettings),
        .target(
            name: "TintypePNG", dependencies: ["TintypeColor", "TintypeCore", "CTintypePNG"],
            swiftSettings: swiftSettings),
        .target(
            name: "TintypeRAW", dependencies: ["TintypeCore", "TintypeJPEG", "CTintypeRAW"],
            swiftSettings: swiftSettings),
        .target(
            name: "TintypeEXR", dependencies: ["TintypeColor", "TintypeCore", "CTintypeEXR"],
            swiftSettings: swiftSettings),
        .target(
            name: "TintypeJPEG2000", dependencies: ["TintypeColor", "TintypeCore", "CTintypeJP2"],
            swiftSettings: swiftSettings),
        .target(name: "TintypePNM", dependencies: ["TintypeColor", "TintypeCore"], swiftSettings: swiftSettings),
        .target(name: "TintypeTGA", dependencies: ["TintypeCore"], swiftSettings: swiftSettings),
        .target(
            name: "TintypeVideo", dependencies: ["TintypeColor", "TintypeCore", "CTintypeVideo"],
            swiftSettings: swiftSettings),
        .target(name: "TintypeCairo", dependencies: ["TintypeCore", "CTintypeCairo"], swiftSettings: swiftSettings),
        .target(
            name: "TintypeSVG", dependencies: ["TintypeCore", "CTintypeSVG", "CZlib"], swiftSettings: swiftSettings),
        .target(
            name: "TintypeTIFF", dependencies: ["TintypeColor", "TintypeCore", "CTintypeTIFF"],
            swiftSettings: swiftSettings),
        .target(
            name: "TintypeWebP", dependencies: ["TintypeColor", "TintypeCore", "CTintypeWebP"],
            swiftSettings: swiftSettings),
        // Decoding in worker processes. The C target has the system calls, and the constructor in which workers begin.
        .target(name: "CTintypeSandbox"),
        .target(
            name: "TintypeSandbox", dependencies: ["TintypeCore", "CTintypeSandbox", .logging],
            swiftSettings: swiftSettings),
        .target(
            name: "Tintype",
            dependencies: [
                "TintypeAVIF", "TintypeBMP", "TintypeCore", "TintypeDisk", "TintypeGIF", "TintypeHEIF", "TintypeHTTP",
                "TintypeICO", "TintypeJPEG", "TintypeJXL", "TintypePNG", "TintypeSandbox", "TintypeSVG", "TintypeTIFF",
                "TintypeViews", "TintypeWebP", .metrics,
            ],
            swiftSettings: swiftSettings),
        .target(
            name: "TintypeTesting",
            dependencies: ["TintypeCore", "TintypeShared", "TintypeTLS", .heap], swiftSettings: swiftSettings),

        // Caches on other machines, and one computation on all of them.
        .target(
            name: "TintypeShared", dependencies: ["CXXHash", "TintypeCore", .logging, .metrics],
            swiftSettings: swiftSettings),
        .target(
            name: "TintypeRedis", dependencies: ["TintypeCore", "TintypeShared", "TintypeTLS", .logging],
            swiftSettings: swiftSettings),
        .target(
            name: "TintypeS3", dependencies: ["TintypeCore", "TintypeHTTP", "TintypeShared"],
            swiftSettings: swiftSettings),

        // The image server without sockets: settings, URLs, options, caches, and the way of a request.
        .target(
            name: "TintypeServer",
            dependencies: [
                "Tintype", "TintypeCore", "TintypeDisk", "TintypeEXR", "TintypeHTTP", "TintypeJPEG2000", "TintypePDF",
                "TintypePNM", "TintypeRAW", "TintypeRedis", "TintypeS3", "TintypeShared", "TintypeTGA", "TintypeTLS",
                "TintypeTracing", .metrics, .tracing,
            ],
            resources: ["html", "css", "js", "svg"].map { .embedInCode("Development/page.\($0)") },
            swiftSettings: swiftSettings),
        // Its sockets, and the program. Only they need the packages of the trait Server; without it, they are all but
        // empty.
        .target(
            name: "TintypeHummingbird",
            dependencies: [
                "CMalloc", "TintypeCore", "TintypeHTTP", "TintypeServer", .hummingbird, .hummingbirdCore,
                .hummingbirdHTTP2, .logging, .metrics, .serviceLifecycle,
            ],
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "TintypeServerProgram", dependencies: ["TintypeHummingbird", "TintypeServer"],
            swiftSettings: swiftSettings),

        // For servers. Without their traits, both are empty.
        .target(
            name: "TintypeLifecycle", dependencies: ["TintypeCore", .serviceLifecycle], swiftSettings: swiftSettings),
        .target(name: "TintypeTracing", dependencies: ["TintypeCore", .tracing], swiftSettings: swiftSettings),

        // For programs that share a cache or conventions with SDWebImage.
        .target(
            name: "TintypeSDWebImage", dependencies: ["TintypeCore", "TintypeDisk"], swiftSettings: swiftSettings),

        // Views.
        .target(name: "TintypeViews", dependencies: ["TintypeCore"], swiftSettings: swiftSettings),
        .target(
            name: "TintypeTerminal", dependencies: ["TintypeCore", "TintypeViews", "CEventFD", "CZlib"],
            swiftSettings: swiftSettings),

        // The command.
        .executableTarget(
            name: "TintypeCommand",
            dependencies: [
                "Tintype", "TintypeEXR", "TintypeJPEG2000", "TintypePDF", "TintypePNM", "TintypeRAW", "TintypeServer",
                "TintypeTGA", "TintypeTerminal", "TintypeVideo", "CTintypeSamples", .argumentParser, .logging,
            ],
            swiftSettings: swiftSettings),

        // An example of TintypeTerminal.
        .executableTarget(
            name: "TerminalGallery", dependencies: ["Tintype", "TintypeTerminal"], path: "Examples/TerminalGallery",
            swiftSettings: swiftSettings),

        // An example of a web service. Without the trait for servers, it says so.
        .executableTarget(
            name: "ImageService", dependencies: ["Tintype", .hummingbird], path: "Examples/ImageService",
            swiftSettings: swiftSettings),

        // An example of a format that plugs in.
        .target(
            name: "QOIExample", dependencies: ["TintypeCore"], path: "Examples/QOI", swiftSettings: swiftSettings),

        // The program of `make crash-test`, which the tests of the disk cache run in short.
        .executableTarget(
            name: "CrashTest", dependencies: ["TintypeCore", "TintypeDisk", "TintypeTesting"],
            path: "Tests/Programs/CrashTest",
            swiftSettings: swiftSettings),

        // The program of `make faults`.
        .executableTarget(
            name: "FaultTest", dependencies: ["Tintype", "TintypeTesting"], path: "Tests/Programs/FaultTest",
            swiftSettings: swiftSettings),

        // The program of `make gallery`.
        .executableTarget(
            name: "Gallery", dependencies: [.withGTK("TintypeGTK"), .withGTK("GalleryWindow"), .withGTK("Tintype")],
            path: "Examples/Gallery/Program", swiftSettings: swiftSettings),
        .target(
            name: "GalleryWindow",
            dependencies: [
                .gtk, .withGTK("TintypeGTK"), .withGTK("Tintype"), .withGTK("TintypeTesting"),
                .withGTK("CTintypeSamples"),
            ],
            path: "Examples/Gallery/Window", swiftSettings: swiftSettings),

        // The program of `make gallery-test`, which the tests of TintypeGTK run in short.
        .executableTarget(
            name: "GTKTest",
            dependencies: [.gtk, .withGTK("TintypeGTK"), .withGTK("GalleryWindow"), .withGTK("Tintype")],
            path: "Tests/Programs/GTKTest", swiftSettings: swiftSettings),

        // The program that `make cache-tests` tests: the pipeline as a caching proxy.
        .executableTarget(
            name: "CacheProxy", dependencies: ["TintypeCore", "TintypeDisk", "TintypeHTTP", "TintypeTesting"],
            path: "Tests/Programs/CacheProxy", swiftSettings: swiftSettings),

        // Compared with the headers of librsvg whenever all is built; no program has it.
        .target(
            name: "SVGDeclarations", dependencies: ["CLibRSVG"], path: "Tests/SVGDeclarations", publicHeadersPath: "."),

        // Decoders that misbehave, for the tests of TintypeSandbox, and the program of `make sandbox-test`.
        .target(
            name: "HostileDecoders", dependencies: ["TintypeCore"], path: "Tests/Programs/HostileDecoders",
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "SandboxProgram",
            dependencies: [
                "HostileDecoders", "TintypeAVIF", "TintypeCore", "TintypeHEIF", "TintypeJPEG", "TintypeJXL",
                "TintypePDF", "TintypeSVG", "TintypeSandbox",
            ],
            path: "Tests/Programs/SandboxProgram", swiftSettings: swiftSettings),

        // Tests: a folder a target, mirroring its folders.
        .testTarget(
            name: "TintypeCoreTests",
            dependencies: [
                "CEventFD", "CLibMD", "CTintypeKernels", "TestSupport", "TintypeCore", "TintypeTesting", "TintypeViews",
                .heap,
                .logging,
                .metricsTesting,
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeCodecTests",
            dependencies: [
                "CLibJXL", "CZlib", "TestSupport", "Tintype", "TintypeAVIF", "TintypeBMP", "TintypeColor",
                "TintypeCore", "TintypeGIF", "TintypeHEIF", "TintypeICO", "TintypeJPEG", "TintypeJXL", "TintypePNG",
                "TintypeSVG", "TintypeTIFF", "TintypeWebP", "TintypeTesting",
            ],
            resources: [.copy("Fixtures")], swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeGTKTests",
            dependencies: [
                .gtk, .withGTK("TintypeGTK"), .withGTK("GTKTest"), "TestSupport", "Tintype", "TintypeTesting",
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeLifecycleTests",
            dependencies: [
                "TestSupport", "TintypeCore", "TintypeLifecycle", "TintypeTesting", .serviceLifecycle,
                .serviceLifecycleTesting,
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeSDWebImageTests", dependencies: ["TintypeCore", "TintypeSDWebImage", "TintypeTesting"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeSandboxTests",
            dependencies: [
                "HostileDecoders", "TestSupport", "TintypeCore", "TintypeSandbox", "TintypeTesting", .logging,
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeSharedTests",
            dependencies: [
                "TestSupport", "TintypeCore", "TintypeDisk", "TintypePNG", "TintypeShared", "TintypeTesting",
                .metricsTesting,
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeS3Tests",
            dependencies: [
                "TestSupport", "TintypeCore", "TintypeHTTP", "TintypeS3", "TintypeShared", "TintypeTesting",
            ],
            resources: [.copy("Fixtures")], swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeServerTests",
            dependencies: [
                "HTTPTestSupport", "TestSupport", "Tintype", "TintypeCore", "TintypeHTTP", "TintypeServer",
                "TintypeTLS",
                "TintypeTesting", .metrics, .tracing, .tracingTesting,
            ],
            resources: [.copy("Fixtures")], swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeHummingbirdTests",
            dependencies: [
                "HTTPTestSupport", "ImageService", "TestSupport", "Tintype", "TintypeCore", "TintypeHummingbird",
                "TintypeServerProgram", "TintypeTesting",
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeTracingTests",
            dependencies: [
                "TestSupport", "TintypeCore", "TintypeTesting", "TintypeTracing", .tracing, .tracingTesting,
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypePDFTests", dependencies: ["TestSupport", "TintypeCore", "TintypePDF", "TintypeTesting"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeMoreFormatsTests",
            dependencies: [
                "CTintypeEXR", "CTintypeJP2", "TestSupport", "Tintype", "TintypeCairo", "TintypeCore", "TintypeEXR",
                "TintypeJPEG2000",
                "TintypePNM", "TintypeRAW", "TintypeTGA", "TintypeTesting", "TintypeVideo",
            ],
            resources: [.copy("Fixtures")], swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeRAWTests",
            dependencies: ["TestSupport", "TintypeCore", "TintypeJPEG", "TintypeRAW", "TintypeTIFF", "TintypeTesting"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeRedisTests",
            dependencies: [
                "HTTPTestSupport", "TestSupport", "TintypeCore", "TintypeRedis", "TintypeShared", "TintypeTesting",
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeDiskTests",
            dependencies: ["CrashTest", "TestSupport", "TintypeDisk", "TintypeSDWebImage", "TintypeTesting", .grdb],
            swiftSettings: swiftSettings),
        .target(
            name: "TestSupport", dependencies: ["TintypeCore"], path: "Tests/TestSupport", swiftSettings: swiftSettings),
        .target(
            name: "HTTPTestSupport", dependencies: ["TintypeHTTP", "TintypeTesting"],
            path: "Tests/HTTPTestSupport", swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeHTTPTests",
            dependencies: [
                "HTTPTestSupport", "TestSupport", "TintypeHTTP", "TintypeTLS", "TintypeTesting", "CZlib",
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeTests",
            dependencies: [
                "HTTPTestSupport", "QOIExample", "TestSupport", "Tintype", "TintypeCairo", "TintypeSDWebImage",
                "TintypeTesting",
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeTerminalTests",
            dependencies: [
                "CZlib", "TestSupport", "TintypeCore", "TintypePNG", "TintypeTerminal", "TintypeTesting",
                "TintypeViews",
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TintypeCommandTests",
            dependencies: [
                "HTTPTestSupport", "TestSupport", "TintypeCommand", "Tintype", "TintypeTGA", "TintypeTesting",
                .argumentParser,
            ],
            swiftSettings: swiftSettings),
    ]
)

// Libraries that are loaded when the first image, body or cookie of their kind comes (CTintypeLibraries), and linked
// elsewhere.
for (name, library) in [
    ("CLibAVIF", "libavif"), ("CLibDE265", "libde265"), ("CLibHEIF", "libheif"), ("CLibJXL", "libjxl"),
    ("CLibPSL", "libpsl"), ("CLibZstd", "libzstd"),
] {
    #if os(Linux)
    package.targets.append(.target(name: name, dependencies: ["CTintypeLibraries"]))
    #else
    package.targets.append(.systemLibrary(name: name, path: "Sources/\(name)/include", pkgConfig: library))
    #endif
}

#if os(Linux)
// The rows of scripts/bench/report, in one program with what they are compared with.
package.targets += [
    .target(
        name: "CBenchmarkControls", path: "Benchmarks/Controls",
        linkerSettings: ["avif", "curl", "gif", "heif", "jpeg", "jxl", "png", "sqlite3", "tiff", "webp", "webpdemux"]
            .map { .linkedLibrary($0) }),
    .executableTarget(
        name: "BenchmarkProgram", dependencies: ["CBenchmarkControls", "Tintype", "TintypeCore", "TintypeTesting"],
        path: "Benchmarks/Program", swiftSettings: swiftSettings),
]
#endif
