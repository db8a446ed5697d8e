// swift-tools-version: 6.2
import PackageDescription

// The benchmark of an engine outside of Cairn: `swift run -c release folder-bench --size 1000`.
// A separate package, so that users of the engine need not build the benchmark. An author who depends on Cairn by
// its URL asks for the trait that brings the arguments: `traits: ["Tool"]`.
let package = Package(
    name: "folder-store-benchmark",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "cairn", path: "../.."),
        .package(name: "folder-store", path: "../FolderStore"),
    ],
    targets: [
        .executableTarget(
            name: "folder-bench",
            dependencies: [
                .product(name: "CairnBenchmarks", package: "cairn"),
                .product(name: "CairnConformance", package: "cairn"),
                .product(name: "FolderStore", package: "folder-store"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
