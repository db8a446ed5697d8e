// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "cairn-fixtures",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "cairn", path: "../..")],
    targets: [
        // Writes ../Trails.xcdatamodeld and ../Trails.sqlite with the same content each time.
        .executableTarget(
            name: "GenerateFixtures", dependencies: [.product(name: "Cairn", package: "cairn")]),
        // Wrote ../Stores once, and replaces nothing.
        .executableTarget(
            name: "MakeKeptStores", dependencies: [.product(name: "Cairn", package: "cairn")]),
    ],
    swiftLanguageModes: [.v6]
)
