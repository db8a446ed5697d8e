// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the measured peers are not dependencies of Cairn.
let package = Package(
    name: "cairn-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "cairn-bench", targets: ["CairnBench"]),
        // For engine authors: the rows and the report, for use in their own program.
        .library(name: "CairnBenchmarks", targets: ["CairnBenchmarks"]),
    ],
    dependencies: [
        .package(name: "cairn", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // Defines, evaluates and displays measurements. Does not depend on any engine.
        .target(name: "BenchmarkKit"),
        // Direct use of the C libraries: the lower limits with which every row is compared.
        .target(
            name: "Baselines",
            dependencies: ["CLibXML2"],
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("lmdb")]),
        .systemLibrary(
            name: "CLibXML2", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        // The rows of the report, one file each.
        .target(
            name: "Workloads",
            dependencies: [
                "BenchmarkKit", "Baselines",
                .product(name: "Cairn", package: "cairn"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        // A benchmark program: arguments, progress, output.
        .target(
            name: "CairnBenchmarks",
            dependencies: [
                "BenchmarkKit", "Workloads",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Cairn", package: "cairn"),
            ]),
        // The program that measures Cairn's own engines.
        .executableTarget(name: "CairnBench", dependencies: ["CairnBenchmarks"]),
        .testTarget(name: "BenchmarkKitTests", dependencies: ["BenchmarkKit"]),
        .testTarget(
            name: "CairnBenchmarksTests",
            dependencies: [
                "BenchmarkKit", "CairnBenchmarks", "Workloads",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
