// swift-tools-version: 6.2
import PackageDescription

// Measures how long a save blocks an app's main actor. `swift run -c release freezing`.
let package = Package(
    name: "freezing",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "cairn", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(
            name: "SaveArrangements", dependencies: [.product(name: "Cairn", package: "cairn")]),
        .executableTarget(
            name: "freezing",
            dependencies: [
                "SaveArrangements",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
