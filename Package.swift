// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "cairn",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "CairnModel", targets: ["CairnModel"]),
        .library(name: "CairnStore", targets: ["CairnStore"]),
        .library(name: "CairnGraph", targets: ["CairnGraph"]),
    ],
    targets: [
        // Schemas, values, predicates and version hashes: pure Sendable values.
        .target(name: "CairnModel"),
        // The contract between the object graph and the store engines, and the packed row.
        .target(name: "CairnStore", dependencies: ["CairnModel"]),
        // Contexts, objects, faulting, saving, the coordinator and the container.
        .target(name: "CairnGraph", dependencies: ["CairnStore", "CairnModel"]),

        .testTarget(name: "CairnModelTests", dependencies: ["CairnModel"]),
        .testTarget(name: "CairnStoreTests", dependencies: ["CairnStore", "CairnModel"]),
    ],
    swiftLanguageModes: [.v6]
)
