// swift-tools-version: 6.2
import PackageDescription

// Five listings that set up a stack and use it for the first time. `swift run startup` lists them.
let package = Package(
    name: "startup",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "cairn", path: "../..")],
    targets: [
        .target(
            name: "StartUpScenarios",
            dependencies: [.product(name: "Cairn", package: "cairn")],
            resources: [.copy("Models/Notebook.xcdatamodeld")]),
        .executableTarget(name: "startup", dependencies: ["StartUpScenarios"]),
    ],
    swiftLanguageModes: [.v6]
)
