// swift-tools-version: 6.2
import PackageDescription

// One folder of SwiftData models, `Sources/TodoModels`, for an app on Apple's systems and for these programs on Linux. The
// engine of the store is a flag. `swift run todo --engine LMDB --store Todo.lmdb add Home "Buy milk"`.
let package = Package(
    name: "todo",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "cairn", path: "../..")],
    targets: [
        .target(
            name: "TodoModels",
            dependencies: [
                .product(
                    name: "SwiftData", package: "cairn", condition: .when(platforms: [.linux]))
            ]),
        .target(
            name: "TodoPrograms",
            dependencies: [
                "TodoModels",
                .product(
                    name: "SwiftData", package: "cairn", condition: .when(platforms: [.linux])),
            ]),
        .executableTarget(name: "todo", dependencies: ["TodoPrograms"]),
        .executableTarget(name: "todo-server", dependencies: ["TodoPrograms"]),
    ],
    swiftLanguageModes: [.v6]
)
