import ArgumentParser
import Cairn
import Foundation

/// `cairn store copy`: copies a store to any engine.
struct StoreCopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copies a store to a new one, of another type where wanted.",
        discussion: """
            Objects keep their keys and versions; the store gets an identifier of its own. All or \
            nothing: a copy that fails, or is interrupted, leaves the destination as it was.
            Example: cairn store copy Trails.sqlite Trails.lmdb --type LMDB
            """)

    @OptionGroup var arguments: StoreArguments

    @Argument(
        help: "The file of the new store.", completion: .file(),
        transform: PathArgument.init(argument:))
    var destination: PathArgument

    @Option(help: "The type of the new store, such as SQLite or LMDB.")
    var type: String

    @Flag(help: "Replace a store that is at the destination. Nobody may have it open.")
    var replace = false

    @OptionGroup var missingData: MissingDataOption

    func run() throws {
        let url = try destination.urlOfNewFile()
        // The copy stores the model, so the model must be complete.
        let source = try ToolStore(arguments).open(allowsDerivedModel: false)
        defer { try? source.close() }
        var copier = StoreCopier(
            to: try StoreRegistry.builtIn.engine(ofType: StoreType(rawValue: type)),
            replacing: replace ? try replacedEngine(at: url) : nil)
        copier.allowsMissingExternalData = missingData.isAllowed
        let interruption = Interruption()
        var line = ProgressLine()
        let result: StoreCopyProgress
        do throws(GraphError) {
            result = try copier.copy(source, to: url) { progress in
                line.show(progress.objectCount, of: progress.totalObjectCount, "objects")
                return interruption.isRequested ? .cancel : .proceed
            }
        } catch {
            line.end()
            guard error.pathOfMissingData != nil else { throw error }
            throw ToolFailure(
                "\(error) Nothing was copied. Pass --allow-missing-external-data to copy such values"
                    + " as nil.")
        }
        line.end()
        var missing = MissingDataReport()
        for value in result.missingValues { missing.note(value) }
        try Output.line("copied \(result.objectCount) objects to \(destination.shown) (\(type))")
    }

    /// Returns the engine of the store that exists at the destination, or `nil` if nothing exists there.
    private func replacedEngine(at url: URL) throws -> (any FileStore.Type)? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        if let engine = StoreRegistry.builtIn.engine(recognizing: .file(url)) { return engine }
        throw ToolFailure(
            "\(destination.shown) is not a store of any known type; it is not replaced.")
    }
}
