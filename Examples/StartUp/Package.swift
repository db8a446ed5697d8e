// swift-tools-version: 6.2
import PackageDescription

// Three listings for Apple's systems, unchanged, and two scenarios that set up a stack and use it for the first time.
// `swift run startup` lists them.
let coreData = Target.Dependency.product(
    name: "CoreData", package: "cairn", condition: .when(platforms: [.linux]))
let package = Package(
    name: "startup",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "cairn", path: "../..")],
    targets: [
        .target(
            name: "StartUpScenarios",
            dependencies: [coreData],
            resources: [.copy("Models/Notebook.xcdatamodeld")],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(name: "startup", dependencies: ["StartUpScenarios", coreData]),
    ],
    swiftLanguageModes: [.v6]
)
