// swift-tools-version: 6.2
import PackageDescription

// An engine outside of Cairn: a store that is a folder of JSON files. `swift run folder-conform` tests it.
// docs/adding-an-engine.md explains how it was written.
let package = Package(
    name: "folder-store",
    platforms: [.macOS(.v15)],
    products: [.library(name: "FolderStore", targets: ["FolderStore"])],
    dependencies: [.package(name: "cairn", path: "../..")],
    targets: [
        .target(
            name: "FolderStore",
            dependencies: [
                .product(name: "CairnAtomicStore", package: "cairn"),
                .product(name: "CairnModel", package: "cairn"),
                .product(name: "CairnStore", package: "cairn"),
            ]),
        .executableTarget(
            name: "folder-conform",
            dependencies: [
                "FolderStore", .product(name: "CairnConformance", package: "cairn"),
            ]),
        .testTarget(
            name: "FolderStoreTests",
            dependencies: [
                "FolderStore", "folder-conform",
                .product(name: "CairnConformance", package: "cairn"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
