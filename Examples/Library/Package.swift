// swift-tools-version: 6.2
import PackageDescription

// Typed classes: written from a model while the package is built, with queries in Swift. `swift run`.
let package = Package(
    name: "library",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "cairn", path: "../..")],
    targets: [
        .executableTarget(
            name: "library",
            dependencies: [.product(name: "Cairn", package: "cairn")],
            resources: [.copy("Library.xcdatamodeld")],
            plugins: [.plugin(name: "CairnClasses", package: "cairn")])
    ],
    swiftLanguageModes: [.v6]
)
