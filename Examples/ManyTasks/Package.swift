// swift-tools-version: 6.2
import PackageDescription

// A server without a network: many tasks share one container. `swift run -c release manytasks`.
let package = Package(
    name: "manytasks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "cairn", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        .target(
            name: "ManyTasksServer", dependencies: [.product(name: "Cairn", package: "cairn")]),
        .executableTarget(
            name: "manytasks",
            dependencies: [
                "ManyTasksServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
