// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the measured peers are not dependencies of Cairn.
let package = Package(
    name: "cairn-benchmarks",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "cairn-bench", targets: ["CairnBench"])],
    dependencies: [
        .package(name: "cairn", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // The sources of Cairn's product CairnBenchmarks, by a link: the rows, the report and the arguments of a
        // program. They are a module of this package, too, because `package` access ends at a package's edge,
        // and the libraries below need more than an engine author does.
        .target(
            name: "BenchmarkRows",
            dependencies: [
                "BenchmarkHeap",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Cairn", package: "cairn"),
                .product(name: "CairnConformance", package: "cairn"),
            ]),
        // Cairn's module CairnCHeap, by a link.
        .systemLibrary(name: "BenchmarkHeap"),
        // Direct use of the C libraries: the lower limits with which every row is compared.
        .target(
            name: "Baselines",
            dependencies: ["CLibXML2"], exclude: ["postgres_read.c", "postgres_write.c"],
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("lmdb")]),
        .systemLibrary(
            name: "CLibXML2", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        // What the C libraries and GRDB do in the rows, and the rows about objects alone or about one file format.
        .target(
            name: "Workloads",
            dependencies: [
                "BenchmarkRows", "Baselines",
                .product(name: "Cairn", package: "cairn"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ], exclude: ["PostgreSQL"]),
        // The program that measures Cairn's own engines.
        .executableTarget(name: "CairnBench", dependencies: ["BenchmarkRows", "Workloads"]),
        .testTarget(name: "WorkloadsTests", dependencies: ["BenchmarkRows", "Workloads"]),
    ],
    swiftLanguageModes: [.v6]
)

// With CAIRN_POSTGRESQL, as in Cairn's own manifest: the engine for PostgreSQL, beside libpq.
if Context.environment["CAIRN_POSTGRESQL"] != nil {
    for target in package.targets where ["Baselines", "Workloads"].contains(target.name) {
        target.exclude = []
        target.dependencies +=
            target.name == "Baselines"
            ? ["CLibPQ"]
            : [
                .product(name: "CairnConformance", package: "cairn"),
                .product(name: "CairnPostgreSQL", package: "cairn"),
            ]
        target.swiftSettings = [.define("POSTGRESQL")]
    }
    package.targets.append(
        .systemLibrary(
            name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]))
}
