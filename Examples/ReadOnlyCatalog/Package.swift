// swift-tools-version: 6.2
import PackageDescription

// A catalogue that ships with a program, and the user's own data, in one stack. `swift run`.
let package = Package(
    name: "readonlycatalog",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "cairn", path: "../..")],
    targets: [
        .target(name: "FieldGuide", dependencies: [.product(name: "Cairn", package: "cairn")]),
        .executableTarget(name: "readonlycatalog", dependencies: ["FieldGuide"]),
    ],
    swiftLanguageModes: [.v6]
)
