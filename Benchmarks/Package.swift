// swift-tools-version:6.1
import PackageDescription

/// Those of the package that is measured.
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
        // Without its malloc interposer, which is no part of this build: the controls count allocations themselves.
        .package(url: "https://github.com/ordo-one/benchmark.git", from: "1.38.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    ],
    targets: [
        // What a program would write without Tintype, where that is C; and a count of allocations.
        .target(
            name: "CBenchmarkControls",
            linkerSettings: ["avif", "gif", "heif", "jpeg", "jxl", "png", "tiff", "webp", "webpdemux"].map {
                .linkedLibrary($0)
            }),
        // Transforms one at a time, for scripts/bench/compare-transforms.
        .executableTarget(
            name: "TransformTimings", dependencies: [.product(name: "TintypeCore", package: "Tintype")],
            swiftSettings: swiftSettings),
        // Animations one at a time, for scripts/bench/compare-animations.
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
        // Decoders beside the bare libraries, and bombs, for scripts/bench/compare-decoders.
        .executableTarget(
            name: "DecodeTimings",
            dependencies: ["CBenchmarkControls", .product(name: "TintypeTesting", package: "Tintype")]
                + ["AVIF", "BMP", "Core", "GIF", "HEIF", "ICO", "JPEG", "JXL", "PNG", "SVG", "TIFF", "WebP"].map {
                    .product(name: "Tintype\($0)", package: "Tintype")
                },
            swiftSettings: swiftSettings),
        // What a process takes that makes a thumbnail, for scripts/bench/compare-decoders.
        .executableTarget(
            name: "JPEGThumbnail",
            dependencies: [
                .product(name: "TintypeCore", package: "Tintype"), .product(name: "TintypeJPEG", package: "Tintype"),
            ],
            swiftSettings: swiftSettings),
        // Work and its control in turns.
        .target(name: "Timing", swiftSettings: swiftSettings),
        // Transfers beside a bare client, for scripts/bench/measure-transfers.
        .executableTarget(
            name: "TransferTimings",
            dependencies: [
                "CBenchmarkControls", "Timing", .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "TintypeDisk", package: "Tintype"), .product(name: "TintypeHTTP", package: "Tintype"),
                .product(name: "TintypeJPEG", package: "Tintype"), .product(name: "TintypeTesting", package: "Tintype"),
            ],
            swiftSettings: swiftSettings),
        // The caches beside bare controls, for scripts/bench/measure-caches.
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
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "Tintype", package: "Tintype"),
                .product(name: "TintypeTesting", package: "Tintype"),
            ],
            path: "Benchmarks/TintypeBenchmarks",
            swiftSettings: swiftSettings,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ]
)
