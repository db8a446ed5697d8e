import Cairn
import CairnFiles
import Foundation

/// The model of the classes in a library product. A small generated program creates the model, because only a
/// program that contains the classes can do so.
struct ClassModel {
    let product: String
    let package: URL
    /// The names of the classes. If empty, all classes in the sources are used.
    let classNames: [String]
    /// The folder in which the library and the small program are built.
    let scratch: URL

    /// The result of an extraction.
    struct Outcome {
        /// The classes from which the model was created.
        let classes: [String]
        /// A line for each part of the model that the file cannot represent.
        let lost: [String]
    }

    /// Writes the model as a new `.xcdatamodeld`.
    ///
    /// - Throws: ``ToolFailure`` with the errors of the package, of the compiler or of the model.
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
                "The classes make no model:\n" + lines.map { "    \($0)" }.joined(separator: "\n"))
        }
        return Outcome(classes: classes, lost: lines)
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

    /// Builds the program. Reuses everything that has not changed since the last build.
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
            throw ToolFailure("\(product) does not build:\n" + Self.errors(in: command.text))
        }
        return build.appendingPathComponent("debug/\(name)")
    }

    private func write(_ text: String, to url: URL) throws {
        if (try? String(contentsOf: url, encoding: .utf8)) == text { return }
        try DurableFile(url).write(Array(text.utf8))
    }

    /// Use the same versions of dependencies as the library's package.
    private func copyPins(to folder: URL) throws {
        let pins = package.appendingPathComponent("Package.resolved")
        guard let content = try? Data(contentsOf: pins) else { return }
        try DurableFile(folder.appendingPathComponent("Package.resolved")).write(Array(content))
    }

    /// Returns the lines with errors, without duplicates, or the whole output if it contains no such line.
    static func errors(in text: String) -> String {
        let lines = text.split(separator: "\n").filter {
            $0.contains("error: ") && !$0.hasPrefix(" ")
        }
        var seen: Set<Substring> = []
        let unique = lines.filter { seen.insert($0).inserted }
        return (unique.isEmpty ? text.split(separator: "\n") : unique)
            .map { "    \($0)" }.joined(separator: "\n")
    }
}
