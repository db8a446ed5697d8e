// swift-tools-version: 6.2
import PackageDescription

// An incremental engine outside of Cairn: a store that is a log, to which each save appends one record.
// `swift run log-conform` tests it. docs/adding-an-engine.md explains how it was written.
let package = Package(
    name: "log-store",
    platforms: [.macOS(.v15)],
    products: [.library(name: "LogStore", targets: ["LogStore"])],
    dependencies: [.package(name: "cairn", path: "../..")],
    targets: [
        .target(
            name: "LogStore",
            dependencies: [
                .product(name: "CairnEngineKit", package: "cairn"),
                .product(name: "CairnFiles", package: "cairn"),
                .product(name: "CairnModel", package: "cairn"),
                .product(name: "CairnStore", package: "cairn"),
            ]),
        .executableTarget(
            name: "log-conform",
            dependencies: [
                "LogStore", .product(name: "CairnConformance", package: "cairn"),
            ]),
        .testTarget(
            name: "LogStoreTests",
            dependencies: [
                "LogStore", "log-conform",
                .product(name: "CairnConformance", package: "cairn"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
