// swift-tools-version:6.1
import PackageDescription

/// The settings of the package that is measured.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "TintypeBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Tintype", path: ".."),
        // The malloc interposer is disabled, because it is not part of this build. The controls count allocations
        // themselves.
        .package(url: "https://github.com/ordo-one/benchmark.git", from: "1.38.0", traits: []),
    ],
    targets: [
        // C code that a program would use instead of Tintype, and a counter of allocations.
        .target(
            name: "CBenchmarkControls",
            linkerSettings: ["avif", "curl", "gif", "heif", "jpeg", "jxl", "png", "tiff", "webp", "webpdemux"].map {
                .linkedLibrary($0)
            }),
        // Times single transforms, for scripts/bench/compare-transforms.
        .executableTarget(
            name: "TransformTimings", dependencies: [.product(name: "TintypeCore", package: "Tintype")],
            swiftSettings: swiftSettings),
        // Times single animations, for scripts/bench/compare-animations.
        .executableTarget(
            name: "AnimationTimings",
            dependencies: [
                "CBenchmarkControls",
                .product(name: "TintypeCore", package: "Tintype"),
                .product(name: "TintypeGIF", package: "Tintype"),
                .product(name: "TintypePNG", package: "Tintype"),
                .product(name: "TintypeWebP", package: "Tintype"),
            ],
            swiftSettings: swiftSettings),
        // Times decoders, the libraries they use, and bombs, for scripts/bench/compare-decoders.
        .executableTarget(
            name: "DecodeTimings",
            dependencies: ["CBenchmarkControls", .product(name: "TintypeTesting", package: "Tintype")]
                + ["AVIF", "BMP", "Core", "GIF", "HEIF", "ICO", "JPEG", "JXL", "PNG", "SVG", "TIFF", "WebP"].map {
                    .product(name: "Tintype\($0)", package: "Tintype")
                },
            swiftSettings: swiftSettings),
        // Makes one thumbnail per process, for scripts/bench/compare-decoders.
        .executableTarget(
            name: "JPEGThumbnail",
            dependencies: [
                .product(name: "TintypeCore", package: "Tintype"), .product(name: "TintypeJPEG", package: "Tintype"),
            ],
            swiftSettings: swiftSettings),
        // Times work and its control in turns.
        .target(name: "Timing", swiftSettings: swiftSettings),
        // Compares transfers with a plain program over libcurl, for scripts/bench/measure-transfers.
        .executableTarget(
            name: "TransferTimings",
            dependencies: [
                "CBenchmarkControls", "Timing",
                .product(name: "TintypeDisk", package: "Tintype"), .product(name: "TintypeHTTP", package: "Tintype"),
                .product(name: "TintypeJPEG", package: "Tintype"), .product(name: "TintypeTesting", package: "Tintype"),
            ],
            swiftSettings: swiftSettings),
        // Compares the caches with plain controls, for scripts/bench/measure-caches.
        .executableTarget(
            name: "CacheTimings",
            dependencies: [
                "CBenchmarkControls", "Timing", .product(name: "TintypeCore", package: "Tintype"),
                .product(name: "TintypeDisk", package: "Tintype"), .product(name: "TintypeJPEG", package: "Tintype"),
            ],
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "TintypeBenchmarks",
            dependencies: [
                "CBenchmarkControls",
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "Tintype", package: "Tintype"),
                .product(name: "TintypeTesting", package: "Tintype"),
            ],
            path: "Benchmarks/TintypeBenchmarks",
            swiftSettings: swiftSettings,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ]
)
