// swift-tools-version: 6.2
import PackageDescription

// Compares classes that macros write with those that are written by hand. A package of its own, because it
// builds swift-syntax. `script/check-macro-speed` runs it.
let package = Package(
    name: "macro-classes",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "cairn", path: "../..")],
    targets: [
        .executableTarget(
            name: "macro-classes",
            dependencies: [.product(name: "CairnMacros", package: "cairn")])
    ],
    swiftLanguageModes: [.v6]
)
