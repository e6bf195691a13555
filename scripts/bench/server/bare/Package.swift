// swift-tools-version:6.1
import PackageDescription

// What the web framework of tintype-server does by itself, for scripts/bench/server.
let package = Package(
    name: "Bare",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0")],
    targets: [
        .executableTarget(name: "Bare", dependencies: [.product(name: "Hummingbird", package: "hummingbird")])
    ])
