// swift-tools-version: 6.2
import PackageDescription

// Editing an outline with undo, validation, a background import, and a list that follows changes. `swift
// run`.
let package = Package(
    name: "outliner",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "cairn", path: "../..")],
    targets: [
        .executableTarget(
            name: "outliner", dependencies: [.product(name: "Cairn", package: "cairn")])
    ],
    swiftLanguageModes: [.v6]
)
