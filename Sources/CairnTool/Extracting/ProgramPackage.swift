import Foundation

/// A package, decoded from the output of `swift package describe --type json`.
struct ProgramPackage: Decodable {
    struct Product: Decodable {
        let name: String
        let targets: [String]
        let type: [String: [String]?]

        var isLibrary: Bool { type.keys.contains("library") }
    }

    struct Target: Decodable {
        let name: String
        let c99name: String
        let path: String
        let sources: [String]
        let targetDependencies: [String]?

        enum CodingKeys: String, CodingKey {
            case name, c99name, path, sources
            case targetDependencies = "target_dependencies"
        }
    }

    let path: String
    let products: [Product]
    let targets: [Target]

    /// Returns the targets of a library product, including the targets that they depend on.
    ///
    /// - Throws: ``ToolFailure`` if the package has no library product with that name.
    func targets(of productName: String) throws(ToolFailure) -> [Target] {
        guard let product = products.first(where: { $0.name == productName }) else {
            let names = products.filter(\.isLibrary).map(\.name).joined(separator: ", ")
            throw ToolFailure(
                "The package \(path) has no product “\(productName)”. Its libraries are: "
                    + (names.isEmpty ? "none" : names) + ".")
        }
        guard product.isLibrary else {
            throw ToolFailure(
                "The product \(productName) is not a library, so no other program can use its classes."
                    + " Move the classes to a target of a library product.")
        }
        var found: [Target] = []
        var names = product.targets
        while let name = names.popLast() {
            guard !found.contains(where: { $0.name == name }),
                let target = targets.first(where: { $0.name == name })
            else { continue }
            found.append(target)
            names += target.targetDependencies ?? []
        }
        return found.sorted { $0.name < $1.name }
    }

    /// Returns the Swift files of a target.
    func sources(of target: Target) -> [URL] {
        let folder = URL(fileURLWithPath: path).appendingPathComponent(target.path)
        return target.sources.filter { $0.hasSuffix(".swift") }.sorted()
            .map { folder.appendingPathComponent($0) }
    }
}

/// A finished run of `swift`, or of a program that it built.
struct SwiftCommand {
    /// The output of the command.
    let output: Data
    let exitCode: Int32

    var text: String { String(decoding: output, as: UTF8.self) }

    /// Runs a program, which is looked up in `PATH`, and waits until it ends.
    ///
    /// - Parameter mergesErrors: Whether `output` includes the program's standard error. If `false`, the
    ///   program's standard error is printed immediately.
    /// - Throws: ``ToolFailure`` if the program cannot be started.
    init(_ program: String, _ arguments: [String], mergesErrors: Bool) throws(ToolFailure) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        if mergesErrors { process.standardError = pipe }
        do {
            try process.run()
            output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        } catch {
            throw ToolFailure("\(program) could not be run: \(error)")
        }
        process.waitUntilExit()
        exitCode = process.terminationStatus
    }
}
