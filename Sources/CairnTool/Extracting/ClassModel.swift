import Cairn
import CairnFiles
import Foundation

/// The model of the classes of a library product, which a small program makes: only a program that contains the
/// classes can.
struct ClassModel {
    let product: String
    let package: URL
    /// The names of the classes. Empty for those that the sources have.
    let classNames: [String]
    /// Where the library and the small program are built.
    let scratch: URL

    /// What became of an extraction.
    struct Outcome {
        /// The classes that the model was made of.
        let classes: [String]
        /// What a model's file does not hold, a line for each.
        let lost: [String]
    }

    /// Writes the model as a new `.xcdatamodeld`.
    ///
    /// - Throws: ``ToolFailure`` with what the package, the compiler or the model refuses.
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

    /// Builds the program. What has not changed since the last time is not built again.
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

    /// The versions of dependencies are those of the program.
    private func copyPins(to folder: URL) throws {
        let pins = package.appendingPathComponent("Package.resolved")
        guard let content = try? Data(contentsOf: pins) else { return }
        try DurableFile(folder.appendingPathComponent("Package.resolved")).write(Array(content))
    }

    /// Returns the lines with errors, each once, or everything if there is none.
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
