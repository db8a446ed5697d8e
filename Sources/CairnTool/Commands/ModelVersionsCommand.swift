import ArgumentParser
import Cairn
import Foundation

/// The `cairn model versions` command, which lists the versions of a model and marks those that fit a store.
struct ModelVersionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions",
        abstract: "Lists the versions of a model, and which of them a store was created with.")

    @Argument(
        help: "A .xcdatamodeld or .momd.", completion: .file(),
        transform: PathArgument.init(argument:))
    var path: PathArgument

    @Option(
        parsing: .unconditional, help: "A store whose version is to be found.", completion: .file(),
        transform: PathArgument.init(argument:))
    var store: PathArgument?

    func run() throws {
        let model = try ToolModel(path).versions
        let fitting = try store.map { try Self.names(of: model, fitting: $0) }
        let rows = model.names.map { Self.row($0, in: model, fitting: fitting) }
        let headings = ["version", "", "entities", "checksum"] + (fitting == nil ? [] : ["store"])
        try Output.line(TextGrid(headings: headings, rightAligned: [2]).text(of: rows))
        guard let store, fitting?.isEmpty == true else { return }
        throw ToolFailure(
            "The store \(store.shown) matches none of these versions: it was written by a newer"
                + " version of the program or by another program. To see the differences, run “cairn"
                + " model diff” with the model and the store.")
    }

    private static func row(
        _ name: String, in model: VersionedModel, fitting: [String]?
    ) -> [String] {
        let version = model.versions[name]
        var row = [name, name == model.currentName ? "current" : ""]
        row.append("\(version?.entities.count ?? 0)")
        row.append("\(version?.versionChecksum.prefix(12) ?? "")…")
        if let fitting { row.append(fitting.contains(name) ? "fits" : "") }
        return row
    }

    private static func names(
        of model: VersionedModel, fitting store: PathArgument
    ) throws -> [String] {
        model.names(
            compatibleWith: try ToolStore(store, model: nil).metadata.entityVersionHashes)
    }
}
