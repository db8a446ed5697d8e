import Cairn
import CairnFiles
import Foundation

/// The model of the classes in a library product. Only a program that contains the classes can create their
/// model, so this type generates, builds and runs a small program.
struct ClassModel {
    let product: String
    let package: URL
    /// The names of the classes. If empty, all suitable classes in the sources are used.
    let classNames: [String]
    /// The folder in which the library and the small program are built.
    let scratch: URL

    /// The result of an extraction.
    struct Outcome {
        /// The classes from which the model was made.
        let classes: [String]
        /// A line for each feature of the model that a model file cannot contain.
        let lost: [String]
    }

    /// Writes the model to a new `.xcdatamodeld`.
    ///
    /// - Throws: ``ToolFailure`` with the errors of the package, the compiler or the model.
    func extract(to url: URL) throws -> Outcome {
        let description = try described()
        let targets = try description.targets(of: product)
        let (modules, classes) = try chosen(targets, in: description)
        let program = ExtractionProgram(
            package: description.path, product: product, modules: modules, classes: classes,
            modelName: url.deletingPathExtension().lastPathComponent)
        let executable = try built(program)
        let run = try SwiftCommand(executable.path, [url.path], mergesErrors: true)
        let lines = run.text.split(separator: "\n").map(String.init)
        guard run.exitCode == 0 else {
            throw ToolFailure(
                "The classes do not declare a valid model:\n"
                    + lines.map { "    \($0)" }.joined(separator: "\n"))
        }
        return Outcome(classes: classes, lost: lines)
    }

    /// Returns the model.
    ///
    /// - Throws: The same errors as ``extract(to:)``.
    func compiled() throws -> ManagedObjectModel {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cairn-model-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Classes.xcdatamodeld")
        _ = try extract(to: url)
        return try ManagedObjectModel(contentsOf: url)
    }

    private func described() throws -> ProgramPackage {
        let command = try SwiftCommand(
            "swift", ["package", "--package-path", package.path, "describe", "--type", "json"],
            mergesErrors: false)
        // SwiftPM may print messages before the description.
        guard command.exitCode == 0, let start = command.output.firstIndex(of: UInt8(ascii: "{"))
        else { throw ToolFailure("\(package.path) is not a package that SwiftPM can read.") }
        return try JSONDecoder().decode(ProgramPackage.self, from: command.output[start...])
    }

    private func chosen(
        _ targets: [ProgramPackage.Target], in description: ProgramPackage
    ) throws -> (modules: [String], classes: [String]) {
        var found: [SourceClass] = []
        var modules: [String: String] = [:]
        for target in targets {
            for source in description.sources(of: target) {
                let text = String(decoding: try Data(contentsOf: source), as: UTF8.self)
                let classes = ClassScanner.classes(in: text)
                for name in classes.map(\.name) { modules[name] = target.c99name }
                found += classes
            }
        }
        let choice = ClassChoice(found)
        let classes = try classNames.isEmpty ? choice.all() : choice.named(classNames)
        return (Set(classes.compactMap { modules[$0] }).sorted(), classes)
    }

    /// Builds the program and returns its executable. Reuses what earlier builds left, if it is still
    /// current.
    private func built(_ program: ExtractionProgram) throws -> URL {
        let name = ExtractionProgram.name
        let folder = scratch.appendingPathComponent(name)
        let sources = folder.appendingPathComponent("Sources/\(name)")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try write(program.manifest, to: folder.appendingPathComponent("Package.swift"))
        try write(program.source, to: sources.appendingPathComponent("main.swift"))
        try copyPins(to: folder)
        let build = scratch.appendingPathComponent("build")
        let command = try SwiftCommand(
            "swift",
            [
                "build", "--package-path", folder.path, "--scratch-path", build.path, "--product",
                name,
            ],
            mergesErrors: true)
        guard command.exitCode == 0 else {
            throw ToolFailure("\(product) could not be built:\n" + Self.errors(in: command.text))
        }
        return build.appendingPathComponent("debug/\(name)")
    }

    private func write(_ text: String, to url: URL) throws {
        if (try? String(contentsOf: url, encoding: .utf8)) == text { return }
        try DurableFile(url).write(Array(text.utf8))
    }

    /// Copies the program's pins, so that the build uses the same versions of dependencies.
    private func copyPins(to folder: URL) throws {
        let pins = package.appendingPathComponent("Package.resolved")
        guard let content = try? Data(contentsOf: pins) else { return }
        try DurableFile(folder.appendingPathComponent("Package.resolved")).write(Array(content))
    }

    /// Returns the lines with errors, without duplicates. If there are no such lines, returns the whole text.
    ///
    /// An error in the expansion of a macro is shown at the line of the macro.
    static func errors(in text: String) -> String {
        let lines = text.split(separator: "\n")
        var found: [String] = []
        for (line, next) in zip(lines, lines.dropFirst() + [""]) {
            guard let start = line.firstRange(of: "error: ")?.lowerBound, !line.hasPrefix(" "),
                !line.contains("emit-module command failed")
            else { continue }
            var shown = String(line)
            if line.hasPrefix("macro expansion"), let origin = next.firstMatch(of: Self.origin) {
                shown = "\(origin.1): \(line[start...])"
            }
            if !found.contains(shown) { found.append(shown) }
        }
        return (found.isEmpty ? lines.map(String.init) : found)
            .map { "    \($0)" }.joined(separator: "\n")
    }

    private static var origin: Regex<(Substring, Substring)> {
        #/`- (.+): note: expanded code originates here/#
    }
}
