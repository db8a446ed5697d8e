// swift-tools-version: 6.2
import PackageDescription

// Compares classes that macros write with those that are written by hand, and models of SwiftData's interface with both
// (`swift run -c release model-classes`). A package of its own, because it builds swift-syntax. `script/check-macro-speed`
// runs the first program.
let package = Package(
    name: "macro-classes",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "cairn", path: "../..")],
    targets: [
        .executableTarget(
            name: "macro-classes",
            dependencies: [.product(name: "CairnMacros", package: "cairn")]),
        .executableTarget(
            name: "model-classes",
            dependencies: [
                .product(name: "Cairn", package: "cairn"),
                .product(name: "SwiftData", package: "cairn"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
