import Foundation

/// A program that creates the model of a library's classes, and writes it to the path in its argument.
struct ExtractionProgram {
    /// The name of the program and of its package.
    static let name = "CairnModelExtraction"

    /// The path of the library's package.
    let package: String
    let product: String
    /// The modules that contain the classes.
    let modules: [String]
    /// The names of the classes, in the order in which they are passed to the model.
    let classes: [String]
    /// The name of the model's only version.
    let modelName: String

    /// The text of the package's manifest.
    var manifest: String {
        let identity = package.split(separator: "/").last.map { $0.lowercased() } ?? package
        return """
            // swift-tools-version: 6.0
            import PackageDescription

            let package = Package(
                name: "\(Self.name)",
                platforms: [.macOS(.v15)],
                dependencies: [.package(path: \(Self.literal(package)))],
                targets: [
                    .executableTarget(
                        name: "\(Self.name)",
                        dependencies: [
                            .product(name: \(Self.literal(product)), package: \(Self.literal(identity)))
                        ])
                ])

            """
    }

    /// The text of the program, which prints a line for each feature that a model file cannot contain.
    ///
    /// Classes can be internal, because debug builds allow a testable import.
    var source: String {
        let imports = modules.map { "@testable import \($0)\n" }.joined()
        let list = classes.map { "            \($0).self,\n" }.joined()
        return """
            import Cairn
            import Foundation
            \(imports)
            do {
                let model = try ManagedObjectModel(
                    for: [
            \(list)        ])
                let name = \(Self.literal(modelName))
                let url = URL(fileURLWithPath: CommandLine.arguments[1])
                try ModelCreator.create(
                    VersionedModel(versions: [name: model], currentName: name), as: .xcdatamodeld, at: url)
                let written = try ManagedObjectModel(contentsOf: url)
                for line in ModelChanges(from: model, to: written).lines { print(line) }
            } catch {
                print(error)
                exit(1)
            }

            """
    }

    private static func literal(_ text: String) -> String {
        let escaped = text.flatMap { $0 == "\\" || $0 == "\"" ? ["\\", $0] : [$0] }
        return "\"\(String(escaped))\""
    }
}
